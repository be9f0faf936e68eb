/** Keeps what is on the screen fresh, and leaves when the sign-in was ended elsewhere. */
import { CURRENT_CLUSTER } from '@gatehouse/contract/console/clusters';
import { CHANGES_SOCKET, SITE_CHANGES_SOCKET } from '@gatehouse/contract/identity/change-frames';
import type { EndReason } from '@gatehouse/contract/identity/sign-ins';
import { pathFor } from '@gatehouse/contract/wire/route';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useBrowser } from '../browser/browser-services.tsx';
import { listenForChanges } from './changes.ts';
import { readToken } from './token.ts';
import { usePageCluster } from './user.ts';

/** However many servers come and go, what is in sight is asked for again no more often than this. */
const RESOURCES_EVERY_MS = 3_000;

/** How often there was news of commands that wait for an answer. */
export const HEADLESS_NEWS = ['headless', 'news'];

/** What waits for somebody's approval. Among the resources: what changes there may change who decides. */
export const APPROVALS = ['resources', 'approvals'] as const;

export function LiveChanges({ onEnded }: { onEnded: (why: EndReason) => void }) {
  const { openSocket, storage } = useBrowser();
  const queries = useQueryClient();
  useEffect(() => {
    const resources = seldom(() => void queries.invalidateQueries({ queryKey: ['resources'] }), RESOURCES_EVERY_MS);
    const approvals = seldom(() => void queries.invalidateQueries({ queryKey: APPROVALS }), RESOURCES_EVERY_MS);
    const stop = listenForChanges({
      path: CHANGES_SOCKET,
      openSocket,
      token: () => readToken(storage)?.accessToken,
      onFrame(frame) {
        if (frame.type === 'ended') onEnded(frame.reason);
        if (frame.type === 'alerts') void queries.invalidateQueries({ queryKey: ['alerts'] });
        if (frame.type === 'resources') resources.tell();
        if (frame.type === 'approvals') approvals.tell();
        if (frame.type === 'join-progress') void queries.invalidateQueries({ queryKey: ['join-progress'] });
        if (frame.type === 'headless') queries.setQueryData<number>(HEADLESS_NEWS, (count = 0) => count + 1);
        if (frame.type === 'user') {
          // Whatever this user may do or see of users, roles, locks and resources may be another now.
          for (const key of ['user', 'account', 'access', 'resources'])
            void queries.invalidateQueries({ queryKey: [key] });
        }
      },
    });
    return () => {
      stop();
      resources.stop();
      approvals.stop();
    };
  }, [openSocket, storage, queries, onEnded]);
  return null;
}

/** On pages of a leaf, what changes there. Its word is believed of what it shows, and of nothing else: nobody is signed out by it, and it makes nobody ask more often. */
export function LeafChanges() {
  const clusterId = usePageCluster();
  const { openSocket, storage } = useBrowser();
  const queries = useQueryClient();
  useEffect(() => {
    if (clusterId === CURRENT_CLUSTER) return;
    const again = (...keys: (readonly string[])[]) =>
      seldom(() => {
        for (const queryKey of keys) void queries.invalidateQueries({ queryKey });
      }, RESOURCES_EVERY_MS);
    const news = {
      alerts: again(['alerts', clusterId]),
      resources: again(['resources']),
      approvals: again(APPROVALS),
      user: again(['user', clusterId], ['access'], ['resources']),
    };
    const stop = listenForChanges({
      path: pathFor(SITE_CHANGES_SOCKET, { clusterId }),
      openSocket,
      token: () => readToken(storage)?.accessToken,
      onFrame({ type }) {
        if (type === 'alerts' || type === 'resources' || type === 'approvals' || type === 'user') news[type].tell();
      },
    });
    return () => {
      stop();
      for (const { stop: forget } of Object.values(news)) forget();
    };
  }, [clusterId, openSocket, storage, queries]);
  return null;
}

/** The first at once, and whatever comes within the time after it as one more at its end. */
function seldom(act: () => void, everyMs: number) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let again = false;
  const tell = () => {
    again = timer !== undefined;
    if (again) return;
    act();
    timer = setTimeout(() => {
      timer = undefined;
      if (again) tell();
    }, everyMs);
  };
  return { tell, stop: () => clearTimeout(timer) };
}
