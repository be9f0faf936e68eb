/** What outlives a sign-in is made only while that lives: it may have ended, here or at another gateway, since the call was let in. */
import type { Actor } from '../../platform/http/actor.ts';
import type { Tx } from '../../platform/storage/tables.ts';
import { holdUsers } from '../stores/administrators.ts';
import { findSignIn, isAlive, type SignIn } from '../stores/sign-in-store.ts';
import { notSignedIn } from './authenticate.ts';

/** First in its transaction. Throws `not_signed_in`. */
export async function requireStillSignedIn(
  tx: Tx,
  { signInId }: Pick<Actor, 'signInId'>,
  now: number,
): Promise<SignIn> {
  // Whoever ends all that somebody has holds them too: it is over here, or what is made here is found there.
  await holdUsers(tx);
  const signIn = await findSignIn(tx, signInId);
  if (!signIn || !isAlive(signIn, now)) throw notSignedIn();
  return signIn;
}
