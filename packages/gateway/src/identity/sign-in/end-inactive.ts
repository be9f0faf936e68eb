/** Ends a sign-in that has rested longer than the gateway allows. */
import { userSignedOut } from '@gatehouse/contract/audit/sign-in-events';
import type { IdentityDeps } from '../identity-deps.ts';
import type { LiveSignIn } from '../stores/sign-in-cache.ts';
import { endSignIn } from '../stores/sign-in-store.ts';

export async function endInactive(
  { db, now, audit, cache }: Pick<IdentityDeps, 'db' | 'now' | 'audit' | 'cache'>,
  { signIn }: LiveSignIn,
): Promise<void> {
  await db.transaction().execute(async (tx) => {
    if (!(await endSignIn(tx, signIn.id, 'inactive', now()))) return;
    const fields = { user: signIn.user, sign_in_kind: signIn.kind, reason: 'inactive' };
    await audit.emit(tx, userSignedOut, fields, { signInId: signIn.id });
  });
  cache.dropSignIn(signIn.id);
}
