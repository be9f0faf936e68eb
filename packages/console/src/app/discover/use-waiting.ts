/** What is known of machines that shall join: what was heard of the tokens, what has joined, and since when it is waited for. */
import type { JoinProgress } from '@gatehouse/contract/reach/join-tokens/join-progress';
import { joinTokenRoutes } from '@gatehouse/contract/reach/join-tokens/join-tokens';
import { useQueries } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useBrowser } from '../../platform/browser/browser-services.tsx';
import { useApi } from '../../platform/browser/use-api.ts';
import type { FlowJoining, JoinedThing } from '../../shared/enrolment/flow.ts';
import { useFlow } from '../../shared/enrolment/flow-place.tsx';
import { keptTokens } from '../../shared/enrolment/kept-parts.ts';

/** The changes socket says when to ask again; where it is away, this does. */
const LOOK_EVERY_MS = 5_000;

export interface Waiting {
  /** Absent until the clock was asked. */
  since: number | undefined;
  heard: readonly JoinProgress[];
  /** How many machines, as the gateway counts them: more than lists show. */
  machines: number;
  joined: readonly JoinedThing[];
}

export function useWaiting(joining: FlowJoining, named: string | undefined): Waiting {
  const { now } = useBrowser();
  const api = useApi();
  const { clusterId, kept, keep } = useFlow();
  const known = keptTokens(kept);
  // A second tab knows the name that the address has, and no more.
  const isKnown = named === undefined || known.some(({ id }) => id === named);
  const tokens = isKnown ? known : [{ id: named, resourceId: '', expires: '' }, ...known];
  const asked = useQueries({
    queries: tokens.map(({ id }) => ({
      queryKey: ['join-progress', id],
      queryFn: ({ signal }: { signal: AbortSignal }) => api(joinTokenRoutes.progress, { params: { id } }, signal),
      refetchInterval: LOOK_EVERY_MS,
      // One that was taken back or forgotten says nothing more.
      retry: false,
    })),
  });
  const heard = asked.flatMap(({ data }) => (data ? [data] : []));
  const joined = joining.useJoined(clusterId, tokens);
  const since = typeof kept.waitedFrom === 'number' ? kept.waitedFrom : undefined;
  useEffect(() => {
    if (since === undefined) keep({ waitedFrom: now() });
  }, [since, keep, now]);
  const counted = heard.reduce((sum, { uses }) => sum + uses, 0);
  return { since, heard, machines: Math.max(counted, joined.length), joined };
}
