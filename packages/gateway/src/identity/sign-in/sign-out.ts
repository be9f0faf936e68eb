/** Ends a sign-in because whoever holds it asked for that, or did nothing for too long. */
import { userSignedOut } from '@gatehouse/contract/audit/sign-in-events';
import type { Actor } from '../../platform/http/actor.ts';
import type { IdentityDeps } from '../identity-deps.ts';
import type { LiveSignIn } from '../stores/sign-in-cache.ts';
import { endSignIn } from '../stores/sign-in-store.ts';

type EndDeps = Pick<IdentityDeps, 'db' | 'now' | 'audit' | 'cache'>;

export async function signOut(
  { db, now, audit, cache }: EndDeps,
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

/** It has rested longer than the gateway allows. */
export async function endInactive({ db, now, audit, cache }: EndDeps, { signIn }: LiveSignIn): Promise<void> {
  await db.transaction().execute(async (tx) => {
    if (!(await endSignIn(tx, signIn.id, 'inactive', now()))) return;
    const fields = { user: signIn.user, sign_in_kind: signIn.kind, reason: 'inactive' };
    await audit.emit(tx, userSignedOut, fields, { signInId: signIn.id });
  });
  cache.dropSignIn(signIn.id);
}
