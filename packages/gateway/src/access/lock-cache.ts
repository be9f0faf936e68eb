/** The locks in force, in memory: every call and every session start asks them. */
import { factsOf } from '@gatehouse/contract/kinds/kinds';
import type { ChangeFeed } from '../platform/change-feed/change-feed.ts';
import { createMutex } from '../platform/std/mutex.ts';
import type { Db } from '../platform/storage/tables.ts';
import { type Action, loginsIn, namesToDeny } from './action.ts';
import { LOCK_TOPIC, type Lock, listLocks } from './lock-store.ts';
import { foldText } from './match/pattern.ts';

export interface LockCache {
  /** A lock on the user, or on a role they hold. */
  on(subject: { username: string; roles: readonly string[] }): Lock | undefined;
  /** A lock on what an action uses: the login, the resource, its agent. */
  against(action: Action): Lock | undefined;
  /** A lock on an agent, by its id or its name: it may not connect. */
  onAgent(agent: { id: string; name: string }): Lock | undefined;
  /** When each of them runs out. */
  expiries(): (number | undefined)[];
  refresh(): Promise<void>;
  close(): void;
}

interface LockCacheDeps {
  db: Db;
  feed: Pick<ChangeFeed, 'subscribe'>;
  now: () => number;
  onChange(): void;
}

export async function openLockCache({ db, feed, now, onChange }: LockCacheDeps): Promise<LockCache> {
  let locks: readonly Lock[] = [];
  /** Agents that are locked by name: what they own names them by id. */
  let agentIds: ReadonlyMap<string, string> = new Map();
  const inTurn = createMutex();
  const refresh = () =>
    inTurn(async () => {
      const read = await listLocks(db, now());
      agentIds = await idsOfAgents(db, read);
      locks = read;
      onChange();
    });
  const subscription = feed.subscribe([LOCK_TOPIC], { change: refresh, gap: refresh });
  await refresh();

  const find = (matches: (lock: Lock) => boolean) =>
    locks.find((lock) => (lock.expires === undefined || lock.expires > now()) && matches(lock));
  return {
    on: ({ username, roles }) =>
      find(({ target }) =>
        target.kind === 'user' ? target.name === username : target.kind === 'role' && roles.includes(target.name),
      ),
    against(action) {
      if (action.type !== 'connect') return undefined;
      const { kind, resource } = action;
      const logins = loginsIn(action).flatMap((login) => namesToDeny(kind, login).map(foldText));
      return find(({ target }) => {
        if (target.kind === 'login') return logins.includes(foldText(target.name));
        if (target.kind === 'agent')
          return (
            resource.owner !== '' && (target.name === resource.owner || agentIds.get(target.name) === resource.owner)
          );
        return (
          target.kind === factsOf(kind).lockTarget && (target.name === resource.id || target.name === resource.name)
        );
      });
    },
    onAgent: ({ id, name }) =>
      find(({ target }) => target.kind === 'agent' && (target.name === id || target.name === name)),
    expiries: () => locks.map(({ expires }) => expires),
    refresh,
    close: () => subscription.close(),
  };
}

/** One that joins under a locked name later does not come in: nothing of it needs to be ended. */
async function idsOfAgents(db: Db, locks: readonly Lock[]): Promise<Map<string, string>> {
  const names = locks.filter(({ target }) => target.kind === 'agent').map(({ target }) => target.name);
  if (names.length === 0) return new Map();
  const rows = await db.selectFrom('agent').select(['id', 'name']).where('name', 'in', names).execute();
  return new Map(rows.map(({ id, name }) => [name, id]));
}
