/** Signs in with a password. Fetched when a password is typed, so that the page itself stays small. */
import { signInRoutes } from '@gatehouse/contract/auth/sign-in';
import { CallError } from '@gatehouse/contract/client';
import { apiOver } from '../api/api.ts';
import type { ApiSend } from '../api/send.ts';

export type SignInResult = { ok: true } | { ok: false; message: string | undefined };

/** The reply's token is not kept: the next page load brings it in the page. No message means that nobody answered. */
export async function sendPassword(send: ApiSend, user: string, pass: string): Promise<SignInResult> {
  try {
    await apiOver(send)(signInRoutes.signIn, { body: { user, pass } });
    return { ok: true };
  } catch (error) {
    return { ok: false, message: error instanceof CallError ? error.message : undefined };
  }
}
