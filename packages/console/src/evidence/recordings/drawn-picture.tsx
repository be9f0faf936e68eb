/** A small picture of a recorded desktop; until the gateway has made it, what stands in its place. */
import { recordingRoutes } from '@gatehouse/contract/recordings/recordings';
import { readError } from '@gatehouse/contract/wire/client';
import { pathFor, queryString } from '@gatehouse/contract/wire/route';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { useBrowser } from '../../platform/browser/browser-services.tsx';
import { RECORDINGS } from './recording-queries.ts';

interface DrawnPictureProps {
  clusterId: string;
  sid: string;
  /** About this time; the last one without it. */
  atMs?: number | undefined;
  className: string | undefined;
  children: ReactNode;
}

const MAKING_MS = 3_000;
/** What is not there after so long cannot be drawn. */
const MAX_TRIES = 20;

export function DrawnPicture({ clusterId, sid, atMs, className, children }: DrawnPictureProps) {
  const { fetchBytes } = useBrowser();
  const { data } = useQuery({
    queryKey: [RECORDINGS, 'picture', clusterId, sid, atMs],
    queryFn: async ({ signal }) => {
      const query = queryString(atMs === undefined ? {} : { at: String(atMs) });
      const url = pathFor(recordingRoutes.picture.path, { clusterId, sid }) + query;
      const received = await fetchBytes(url, signal);
      if (received.status !== 200) throw readError(received, url);
      return new Blob([received.bytes], { type: 'image/png' });
    },
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
    refetchInterval: ({ state }) => (state.data?.size === 0 && state.dataUpdateCount < MAX_TRIES ? MAKING_MS : false),
  });
  const url = useObjectUrl(data?.size ? data : undefined);
  return url === undefined ? children : <img src={url} alt="" className={className} />;
}

function useObjectUrl(blob: Blob | undefined): string | undefined {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    if (!blob) return;
    const made = URL.createObjectURL(blob);
    setUrl(made);
    return () => {
      setUrl(undefined);
      URL.revokeObjectURL(made);
    };
  }, [blob]);
  return url;
}
