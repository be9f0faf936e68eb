/** The sessions that a lock ends, as whoever sets one is told of them. */
import type { LockedSessions } from '../identity/locks/count-ended.ts';
import type { Db } from '../platform/storage/tables.ts';
import { findSessions, listOpenSessions } from '../sessions/host/session-store.ts';

export function lockedSessions(db: Db, cluster: string): LockedSessions {
  return {
    listOpen: () => listOpenSessions(db, cluster),
    countOpen: async (ids) => (await findSessions(db, cluster, ids)).filter(({ ended }) => !ended).length,
  };
}
