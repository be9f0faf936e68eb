/** What somebody would find in a cluster: asked of it only when its row comes into sight, one call for all that is shown of it. */
import { useQuery } from '@tanstack/react-query';
import { type RefObject, useEffect, useState } from 'react';
import { useApi } from '../../../platform/browser/use-api.ts';
import { refusalOf } from '../../../platform/failures/failure-words.ts';
import { userQuery } from '../../../platform/sign-in/user.ts';
import type { ClusterRow } from './cluster-rows.ts';

export interface Visit {
  servers: number | undefined;
  isPending: boolean;
  /** It answered that none of one's roles means anything there. */
  isUnmapped: boolean;
}

/** `asks`: false only tells what is known already. */
export function useVisit({ name, isOwn, isOnline, isShown }: ClusterRow, asks: boolean): Visit {
  const api = useApi();
  const isOpen = isOnline && isShown;
  const { data, error, isPending } = useQuery({
    ...userQuery(api, isOwn ? undefined : name),
    enabled: asks && isOpen,
    retry: false,
  });
  return {
    servers: isOpen ? data?.cluster.nodeCount : undefined,
    isPending: isOpen && isPending,
    isUnmapped: isOpen && refusalOf(error)?.code === 'denied',
  };
}

/** From the first time that it is seen on. */
export function useInSight(place: RefObject<HTMLElement | null>): boolean {
  const [isSeen, setSeen] = useState(false);
  useEffect(() => {
    const host = place.current;
    if (!host || isSeen) return;
    const observer = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) setSeen(true);
    });
    observer.observe(host);
    return () => observer.disconnect();
  }, [place, isSeen]);
  return isSeen;
}
