/** Checks a password, at the same price whether or not the name exists. */

import type { IdentityDeps } from '../identity-deps.ts';
import { replacePasswordHash, type User } from '../stores/user-store.ts';

export async function checkPassword(
  { db, passwords }: Pick<IdentityDeps, 'db' | 'passwords'>,
  user: User | undefined,
  plain: string,
): Promise<boolean> {
  const stored = user?.passwordHash;
  if (!user || stored === undefined) {
    await passwords.verifyNobody(plain);
    return false;
  }
  const { ok, rehash } = await passwords.verify(plain, stored);
  if (ok && rehash) {
    const fresh = await passwords.hash(plain);
    await db.transaction().execute((tx) => replacePasswordHash(tx, user.name, stored, fresh));
  }
  return ok;
}
