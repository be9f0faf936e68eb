/** Ends a sign-in because whoever holds it asked for that. */
import { userSignedOut } from '@gatehouse/contract/audit/sign-in-events';
import type { Actor } from '../../platform/http/actor.ts';
import type { IdentityDeps } from '../identity-deps.ts';
import { endSignIn } from '../stores/sign-in-store.ts';

export async function signOut(
  { db, now, audit, cache }: Pick<IdentityDeps, 'db' | 'now' | 'audit' | 'cache'>,
  { username, signInId, signInKind }: Pick<Actor, 'username' | 'signInId' | 'signInKind'>,
  address: string,
): Promise<void> {
  await db.transaction().execute(async (tx) => {
    if (!(await endSignIn(tx, signInId, 'signed_out', now()))) return;
    const fields = { user: username, sign_in_kind: signInKind, reason: 'signed_out', 'addr.remote': address };
    await audit.emit(tx, userSignedOut, fields, { signInId });
  });
  cache.dropSignIn(signInId);
}
