/** Tells a challenge for somebody who is signed in from one that signs in. Without schemas: every page that opens sessions has it. */
import type { AssertionOptions } from './webauthn.ts';

/** The first bytes of every challenge for somebody who is signed in: nine, which are whole in base64. */
export const SIGNED_IN_MARK = 'signed-in';
const SIGNED_IN_BASE64 = 'c2lnbmVkLWlu';

/**
 * Whether a challenge is for somebody who is signed in already. Challenges come to a browser from other clusters too,
 * and one of those could hand on a challenge that signs in: its answer would be theirs to sign in with.
 */
export function isForSignedIn({ publicKey }: AssertionOptions): boolean {
  return publicKey.challenge.startsWith(SIGNED_IN_BASE64);
}
