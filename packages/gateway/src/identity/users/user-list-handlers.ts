/** Answers who fits a search: what the caller may know of people and of locks, and nothing that would tell of others. */
import { type FoundUser, findUsers, type UserState } from '@gatehouse/contract/identity/users/find-users';
import type { userListRoutes } from '@gatehouse/contract/identity/users/user-list';
import type { UserItem } from '@gatehouse/contract/identity/users/users';
import { listLocks } from '../../access/lock-store.ts';
import { seesLock } from '../../access/sees-lock.ts';
import type { Actor } from '../../platform/http/actor.ts';
import type { Handlers } from '../../platform/http/call.ts';
import type { IdentityDeps } from '../identity-deps.ts';
import { listLockOuts } from '../sign-in/failures.ts';
import { listKnownUsers } from './known-users.ts';

export function userListHandlers(parts: IdentityDeps): Handlers<typeof userListRoutes> {
  const { db, access, now } = parts;
  return {
    async find({ actor, query }) {
      const [users, isLocked, lockOuts] = await Promise.all([
        listKnownUsers(parts, actor),
        lockedTo(actor),
        listLockOuts(db, now()),
      ]);
      const out = new Set(lockOuts.map(({ name }) => name));
      return findUsers(
        users.map((user): FoundUser => ({ ...user, state: stateOf(user, isLocked(user), out.has(user.name)) })),
        query,
      );
    },
  };

  /** By the locks the caller may see: the others must not show through a state either. */
  async function lockedTo(actor: Actor): Promise<(user: UserItem) => boolean> {
    const locks = (await listLocks(db, now())).filter((lock) => seesLock(access, actor, 'list', lock));
    const named = (kind: string) =>
      new Set(locks.filter(({ target }) => target.kind === kind).map(({ target }) => target.name));
    const [users, roles] = [named('user'), named('role')];
    return ({ name, roles: held }) => users.has(name) || held.some((role) => roles.has(role));
  }
}

function stateOf(
  { invited, formerConnector, closedConnector, roles }: UserItem,
  isLocked: boolean,
  isLockedOut: boolean,
): UserState {
  if (isLocked) return 'locked';
  if (isLockedOut) return 'locked-out';
  // The last administrator keeps their roles, and with them what they have of their own to come in by.
  if ((formerConnector ?? closedConnector) !== undefined && roles.length === 0) return 'left-behind';
  return invited ? 'invited' : 'active';
}
