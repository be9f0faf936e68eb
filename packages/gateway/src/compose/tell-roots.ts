/** Tells the root of whoever it sent what they open here: its log names the session, ours tells what was done in it. */
import type { Federation } from '../identity/federation/federation.ts';
import { readRemoteName } from '../identity/stores/remote-name.ts';
import type { ChangeFeed } from '../platform/change-feed/change-feed.ts';
import { BoundedMap } from '../platform/std/bounded-map.ts';
import type { Log } from '../platform/std/log.ts';
import type { Db } from '../platform/storage/tables.ts';
import { findSession, SESSION_TOPIC } from '../sessions/host/session-store.ts';

const MAX_TOLD = 20_000;

export interface TellRootsDeps {
  db: Db;
  feed: Pick<ChangeFeed, 'subscribe'>;
  federation: Pick<Federation, 'tellSession'>;
  clusterName: string;
  log: Log;
}

export function tellRoots({ db, feed, federation, clusterName, log }: TellRootsDeps): { close(): void } {
  const told = new BoundedMap<string, true>(MAX_TOLD);

  async function tell(id: string): Promise<void> {
    const session = await findSession(db, clusterName, id);
    if (!session || session.ended) return;
    const { user: username, signInId, action } = session;
    await federation.tellSession({ username, signInId }, { id, kind: action.kind, resource: action.resource.name });
  }

  return feed.subscribe([SESSION_TOPIC], {
    change({ id, data }) {
      const user = typeof data === 'object' && data !== null && 'user' in data ? data.user : undefined;
      if (typeof user !== 'string' || !readRemoteName(user) || told.has(id)) return;
      told.set(id, true);
      void tell(id).catch((error: unknown) => log.warn({ error, session: id }, 'a root cannot be told of a session'));
    },
    gap() {},
  });
}
