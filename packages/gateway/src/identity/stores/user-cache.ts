/** Users as decisions need them, kept in memory: everything open is decided again without a query for each of its people. */
import type { ChangeFeed } from '../../platform/change-feed/change-feed.ts';
import { BoundedMap } from '../../platform/std/bounded-map.ts';
import type { Db } from '../../platform/storage/tables.ts';
import { findPeople } from './people.ts';
import type { User } from './user-store.ts';

/** Changes drop entries at once; this bounds the harm of one that never arrives. */
const MAX_AGE_MS = 5 * 60_000;
const MAX_USERS = 50_000;

export type KnownUser = Pick<User, 'name' | 'roles' | 'traits' | 'authType'>;

export interface UserCache {
  /** Those of the names that there are; all that are not known are read together. */
  many(names: Iterable<string>): Promise<ReadonlyMap<string, KnownUser>>;
  /** For who has heard of a change himself and must not meet what was before it. */
  drop(name: string): void;
  dropAll(): void;
  close(): void;
}

export interface UserCacheDeps {
  db: Db;
  feed: Pick<ChangeFeed, 'subscribe'>;
}

export function openUserCache({ db, feed }: UserCacheDeps): UserCache {
  const users = new BoundedMap<string, { user: KnownUser; at: number }>(MAX_USERS);
  // A user read before a change must not be kept after it.
  let drops = 0;
  const drop = (name: string) => {
    drops += 1;
    users.delete(name);
  };
  const dropAll = () => {
    drops += 1;
    users.clear();
  };
  const subscription = feed.subscribe(['user'], { change: ({ id }) => drop(id), gap: dropAll });

  function keep(user: KnownUser): void {
    users.delete(user.name);
    users.set(user.name, { user, at: performance.now() });
  }

  return {
    async many(names) {
      const found = new Map<string, KnownUser>();
      const unknown = new Set<string>();
      const oldest = performance.now() - MAX_AGE_MS;
      for (const name of names) {
        const held = users.get(name);
        if (held && held.at >= oldest) found.set(name, held.user);
        else unknown.add(name);
      }
      if (unknown.size === 0) return found;
      const before = drops;
      for (const { name, roles, traits, authType } of await findPeople(db, [...unknown])) {
        const user = { name, roles, traits, authType };
        found.set(name, user);
        if (before === drops) keep(user);
      }
      return found;
    },
    drop,
    dropAll,
    close: () => subscription.close(),
  };
}
