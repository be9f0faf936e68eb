/** The people of sessions with the rights they have now, however many there are of them, without a query for each. */

import type { AccessControl } from '../../access/create-access.ts';
import { findPeople } from '../../identity/stores/people.ts';
import { type KnownUser, openUserCache, type UserCacheDeps } from '../../identity/stores/user-cache.ts';
import type { Actor } from '../../platform/http/actor.ts';
import type { Db } from '../../platform/storage/tables.ts';
import type { Session } from './session-store.ts';

/** Somebody under the sign-in that a session, or a place in it, stands on. */
export type Owned = Pick<Session, 'user' | 'signInId'>;

/** Reads all of them together; what it gives back answers at once, by roles as they are when it is asked, and not for long. */
export type ReadPeople = (users: Iterable<string>) => Promise<(owned: Owned) => Actor | undefined>;

/** For rounds over many: nobody is read again of whom no change was heard. */
export interface Owners {
  all: ReadPeople;
  /** Only what roles they hold; undefined of who is no more. */
  roles(users: Iterable<string>): Promise<(user: string) => readonly string[] | undefined>;
  /** A change of the user was heard of: what was known before does not count any more. */
  changed(user: string): void;
  /** Changes were missed. */
  forget(): void;
  close(): void;
}

type Access = Pick<AccessControl, 'aclOf'>;

export function createOwners({ access, ...deps }: UserCacheDeps & { access: Access }): Owners {
  const users = openUserCache(deps);
  return {
    all: async (names) => toOwners(access, await users.many(names)),
    async roles(names) {
      const found = await users.many(names);
      return (user) => found.get(user)?.roles;
    },
    changed: users.drop,
    forget: users.dropAll,
    close: users.close,
  };
}

/** As the store has them at this moment. */
export function readPeople({ db, access }: { db: Db; access: Access }): ReadPeople {
  return async (names) => {
    const found = await findPeople(db, [...new Set(names)]);
    return toOwners(access, new Map(found.map((user) => [user.name, user])));
  };
}

/** The user as they are now, under the sign-in the session stands on. */
export async function ownerOf(deps: { db: Db; access: Access }, owned: Owned): Promise<Actor | undefined> {
  return (await readPeople(deps)([owned.user]))(owned);
}

function toOwners(access: Access, users: ReadonlyMap<string, KnownUser>): (owned: Owned) => Actor | undefined {
  return ({ user, signInId }) => {
    const found = users.get(user);
    if (!found) return undefined;
    const { name: username, roles, traits } = found;
    return {
      username,
      roles,
      traits,
      signInId,
      signInKind: 'browser',
      authType: found.authType === 'local' ? 'local' : 'sso',
      // Worked out when it is asked for: of thousands who are listed most are not.
      get acl() {
        return access.aclOf({ username, roles, traits });
      },
    };
  };
}
