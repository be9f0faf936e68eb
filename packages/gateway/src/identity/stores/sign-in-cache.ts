/** Who is behind a secret, kept in memory so that a call costs no query; dropped the moment a change is heard of. */
import type { Acl } from '@gatehouse/contract/access/acl';
import type { AccessControl } from '../../access/create-access.ts';
import { BoundedMap } from '../../platform/std/bounded-map.ts';
import type { Db } from '../../platform/storage/tables.ts';
import { findPerson } from './people.ts';
import { findSecret, type KnownSecret } from './sign-in-secrets.ts';
import { findSignIn, type SignIn } from './sign-in-store.ts';
import { limitToScope } from './token-scope.ts';
import type { User } from './user-store.ts';

/**
 * Changes drop entries at once; this bounds the harm of one that never arrives. Longer than the 15 s between two polls
 * of a console, or every call would find its entry gone.
 */
const MAX_AGE_MS = 5 * 60_000;
const MAX_SIGN_INS = 20_000;
const MAX_SECRETS = 60_000;
const MAX_USERS = 20_000;

export interface LiveSignIn {
  signIn: SignIn;
  user: User;
  /** Read anew each time: roles change while people are signed in. */
  readonly acl: Acl;
}

export interface SignInCache {
  secret(hash: string): Promise<KnownSecret | undefined>;
  signIn(id: string): Promise<LiveSignIn | undefined>;
  /** From the store, whatever is remembered: a change that is still on its way here counts. */
  read(id: string): Promise<LiveSignIn | undefined>;
  dropSecrets(hashes: readonly string[]): void;
  dropSignIn(id: string): void;
  dropUser(name: string): void;
  dropAll(): void;
}

export function createSignInCache(db: Db, now: () => number, access: Pick<AccessControl, 'aclOf'>): SignInCache {
  const secrets = new BoundedMap<string, { value: KnownSecret; at: number }>(MAX_SECRETS);
  const signIns = new BoundedMap<string, { value: LiveSignIn; at: number }>(MAX_SIGN_INS);
  const users = new BoundedMap<string, { value: User; at: number }>(MAX_USERS);
  // A value read before a change must not be kept after it.
  let drops = 0;

  async function cached<T>(
    map: Map<string, { value: T; at: number }>,
    key: string,
    load: () => Promise<T | undefined>,
  ) {
    const held = map.get(key);
    if (held && now() - held.at < MAX_AGE_MS) return held.value;
    const before = drops;
    const value = await load();
    map.delete(key);
    if (value === undefined || before !== drops) return value;
    map.set(key, { value, at: now() });
    return value;
  }

  async function load(
    id: string,
    userOf: (name: string) => Promise<User | undefined>,
  ): Promise<LiveSignIn | undefined> {
    const signIn = await findSignIn(db, id);
    const user = signIn && (await userOf(signIn.user));
    if (!user) return undefined;
    const subject = { username: user.name, roles: user.roles, traits: user.traits };
    return {
      signIn,
      user,
      get acl() {
        return limitToScope(access.aclOf(subject), signIn.scope);
      },
    };
  }

  const knownUser = (name: string) => cached(users, name, () => findPerson(db, name));

  return {
    secret: (hash) => cached(secrets, hash, () => findSecret(db, hash)),
    signIn: (id) => cached(signIns, id, () => load(id, knownUser)),
    async read(id) {
      // Whose a sign-in is does not change: where that is remembered, both are read at once.
      const name = signIns.get(id)?.value.user.name;
      const person = name === undefined ? undefined : findPerson(db, name);
      person?.catch(() => {});
      return await load(id, (user) => (person && user === name ? person : findPerson(db, user)));
    },
    dropSecrets(hashes) {
      drops++;
      for (const hash of hashes) secrets.delete(hash);
    },
    dropSignIn(id) {
      drops++;
      signIns.delete(id);
    },
    dropUser(name) {
      drops++;
      users.delete(name);
      for (const [id, { value }] of signIns) if (value.user.name === name) signIns.delete(id);
    },
    dropAll() {
      drops++;
      signIns.clear();
      users.clear();
      secrets.clear();
    },
  };
}
