/** What a new lock ended, counted and not supposed: whoever made it in a hurry reads it. */
import type { LockItem } from '@gatehouse/contract/access/locks/locks';
import type { Connect } from '../../access/action.ts';
import type { AccessControl } from '../../access/create-access.ts';
import type { Lock } from '../../access/lock-store.ts';
import type { Db } from '../../platform/storage/tables.ts';
import { findPeople } from '../stores/people.ts';

export interface LockedSession {
  id: string;
  user: string;
  action: Connect;
}

/** The sessions a lock may end: given by who knows them, on a floor above. */
export interface LockedSessions {
  listOpen(): Promise<readonly LockedSession[]>;
  countOpen(ids: readonly string[]): Promise<number>;
}

interface Counting {
  db: Db;
  access: Pick<AccessControl, 'lockFor'>;
  sessions: Pick<LockedSessions, 'countOpen'>;
}

/** Sessions end within two seconds, on whichever gateway they are. */
const WAIT_MS = 3_000;
const LOOK_EVERY_MS = 100;

/** After the lock counts on this gateway. */
export async function countEnded(
  { db, access, sessions }: Counting,
  open: readonly LockedSession[],
  lock: Lock,
): Promise<Pick<NonNullable<LockItem['ended']>, 'sessions' | 'stillOpen'>> {
  const users = await findPeople(db, [...new Set(open.map(({ user }) => user))]);
  const rolesOf = new Map(users.map(({ name, roles }) => [name, roles]));
  const hit = open
    .filter(
      ({ user, action }) => access.lockFor({ username: user, roles: rolesOf.get(user) ?? [] }, action)?.id === lock.id,
    )
    .map(({ id }) => id);
  const until = Date.now() + WAIT_MS;
  for (;;) {
    const stillOpen = await sessions.countOpen(hit);
    if (stillOpen === 0 || Date.now() >= until) return { sessions: hit.length - stillOpen, stillOpen };
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}
