/** Open sessions and pictures of those in sight, for the screen that shows them. */

import { matchPage } from '@gatehouse/contract/console/pages';
import { type ActiveSession, sessionRoutes } from '@gatehouse/contract/sessions/sessions';
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import type { Api } from '../../platform/api/api.ts';
import type { Asking } from '../../platform/api/query-client.ts';
import { useBrowser } from '../../platform/browser/browser-services.tsx';
import { useApi } from '../../platform/browser/use-api.ts';
import { readToken } from '../../platform/sign-in/token.ts';
import { type Following, followSessions, type LiveLook } from './follow-sessions.ts';

/** Cards that scroll past are not asked for. */
const REST_MS = 150;

export function sessionsQuery(api: Api, clusterId: string) {
  return queryOptions({
    queryKey: ['sessions', clusterId],
    queryFn: async ({ signal }): Promise<readonly ActiveSession[]> =>
      (await api(sessionRoutes.list, { params: { clusterId } }, signal)).sessions,
  });
}

export async function prefetchSessions({ api, queries }: Asking): Promise<void> {
  const page = matchPage(window.location.pathname);
  const clusterId = page?.params.clusterId;
  if (page?.name === 'sessions' && clusterId !== undefined) await queries.prefetchQuery(sessionsQuery(api, clusterId));
}

export interface LiveSessions {
  /** Undefined until they are known. */
  sessions: readonly ActiveSession[] | undefined;
  error: Error | null;
  /** What is on their screens. */
  looks: ReadonlyMap<string, LiveLook>;
  /** False while the line is lost: what is shown may be old. */
  isLive: boolean;
  /** A card came into sight or went out of it. */
  see(sid: string, isSeen: boolean): void;
}

export function useLiveSessions(clusterId: string): LiveSessions {
  const api = useApi();
  const { openSocket, storage } = useBrowser();
  const queries = useQueryClient();
  // Asked for once, in case the line takes longer; from then on everything is told.
  const query = sessionsQuery(api, clusterId);
  const { data, error } = useQuery({ ...query, staleTime: Number.POSITIVE_INFINITY });
  const [looks, setLooks] = useState<ReadonlyMap<string, LiveLook>>(new Map());
  const [isLive, setLive] = useState(true);
  const following = useRef<Following>(undefined);
  const seen = useRef(new Set<string>());
  const rest = useRef<ReturnType<typeof setTimeout>>(undefined);

  useEffect(() => {
    const followed = followSessions({
      clusterId,
      openSocket,
      token: () => readToken(storage)?.accessToken,
      onSessions(sessions) {
        const { queryKey } = sessionsQuery(api, clusterId);
        // An answer that is still on its way is older.
        void queries.cancelQueries({ queryKey }).then(() => queries.setQueryData(queryKey, sessions));
        const open = new Set(sessions.map(({ id }) => id));
        setLooks((before) => new Map([...before].filter(([sid]) => open.has(sid))));
      },
      onLook: (look) => setLooks((before) => new Map(before).set(look.sid, look)),
      onLive: setLive,
    });
    following.current = followed;
    followed.look([...seen.current]);
    return () => followed.stop();
  }, [api, clusterId, openSocket, storage, queries]);

  const see = useCallback((sid: string, isSeen: boolean) => {
    if (isSeen) seen.current.add(sid);
    else seen.current.delete(sid);
    clearTimeout(rest.current);
    rest.current = setTimeout(() => following.current?.look([...seen.current]), REST_MS);
  }, []);

  return { sessions: data, error, looks, isLive, see };
}
