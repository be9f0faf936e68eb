/** Checks a password, at the same price whether or not the name exists. */

import type { Tx } from '../../platform/storage/tables.ts';
import type { IdentityDeps } from '../identity-deps.ts';
import { holdUsers } from '../stores/administrators.ts';
import { findUser, replacePasswordHash, type User } from '../stores/user-store.ts';

/** Gives the hash that it fits, as that is stored from now on; nothing where it is not right. */
export async function checkPassword(
  { db, passwords }: Pick<IdentityDeps, 'db' | 'passwords'>,
  user: User | undefined,
  plain: string,
): Promise<string | undefined> {
  const stored = user?.passwordHash;
  if (!user || stored === undefined) {
    await passwords.verifyNobody(plain);
    return undefined;
  }
  const { ok, rehash } = await passwords.verify(plain, stored);
  if (!ok) return undefined;
  if (!rehash) return stored;
  const fresh = await passwords.hash(plain);
  await db.transaction().execute((tx) => replacePasswordHash(tx, user.name, stored, fresh));
  return fresh;
}

/** Checking takes long enough for the password to be taken away: whoever goes on by it asks again, in the transaction that they go on in. */
export async function isStillPassword(tx: Tx, name: string, hash: string): Promise<boolean> {
  // Whoever takes it away, and ends what was signed in with it, holds them too.
  await holdUsers(tx);
  return (await findUser(tx, name))?.passwordHash === hash;
}
