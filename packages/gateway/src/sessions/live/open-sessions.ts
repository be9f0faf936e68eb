/** The sessions that are open in the cluster, in memory: a list costs the rows that changed since the last one, not all of them. */
import type { ChangeFeed } from '../../platform/change-feed/change-feed.ts';
import type { Db } from '../../platform/storage/tables.ts';
import type { SessionHost } from '../host/session-host.ts';
import { findSessions, listOpenSessions, SESSION_TOPIC, type Session } from '../host/session-store.ts';

export interface OpenSessions {
  /** Oldest first. What this gateway serves it knows better, and earlier, than the store. */
  all(): Promise<Session[]>;
  close(): void;
}

export interface OpenSessionsDeps {
  db: Db;
  feed: Pick<ChangeFeed, 'subscribe'>;
  host: Pick<SessionHost, 'get' | 'all'>;
  clusterName: string;
}

export function createOpenSessions({ db, feed, host, clusterName }: OpenSessionsDeps): OpenSessions {
  /** Undefined: nobody has asked yet, or changes were missed. */
  let known: Map<string, Session> | undefined;
  let changed = new Set<string>();
  let reading: Promise<void> | undefined;
  // Followed before the first read: a change in between is then read once more.
  const subscription = feed.subscribe([SESSION_TOPIC], {
    change: ({ id }) => void (known || reading ? changed.add(id) : undefined),
    gap() {
      known = undefined;
    },
  });

  async function read(): Promise<void> {
    const before = known;
    const ids = changed;
    changed = new Set();
    try {
      if (!before) {
        known = new Map((await listOpenSessions(db, clusterName)).map((session) => [session.id, session]));
        return;
      }
      const found = new Map((await findSessions(db, clusterName, [...ids])).map((session) => [session.id, session]));
      for (const id of ids) {
        const session = found.get(id);
        if (session && !session.ended) before.set(id, session);
        else before.delete(id);
      }
    } catch (error) {
      for (const id of ids) changed.add(id);
      throw error;
    }
  }

  return {
    async all() {
      while (reading) await reading.catch(() => undefined);
      if (!known || changed.size > 0) {
        reading = read().finally(() => {
          reading = undefined;
        });
        await reading;
      }
      const open = new Map(known);
      for (const { id, session, end } of host.all()) {
        if (end) open.delete(id);
        else open.set(id, session);
      }
      return [...open.values()].sort(byAge);
    },
    close: () => subscription.close(),
  };
}

function byAge(a: Session, b: Session): number {
  return a.created - b.created || (a.id < b.id ? -1 : 1);
}
