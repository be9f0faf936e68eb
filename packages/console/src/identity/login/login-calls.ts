/** The calls of the login page. Fetched when somebody begins to use it, so that the page itself stays small. */

import type { SecondFactor } from '@gatehouse/contract/console/page-config';
import { mfaRoutes } from '@gatehouse/contract/identity/mfa';
import { recoveryRoutes } from '@gatehouse/contract/identity/recovery';
import { signInRoutes } from '@gatehouse/contract/identity/sign-in';
import type { AssertionOptions } from '@gatehouse/contract/identity/webauthn';
import { CallError } from '@gatehouse/contract/wire/client';
import { apiOver } from '../../platform/api/api.ts';
import type { ApiSend } from '../../platform/api/send.ts';
import { askKey } from '../../platform/webauthn/keys.ts';
import { WebauthnError } from '../../platform/webauthn/webauthn-error.ts';

export interface Credentials {
  user: string;
  pass: string;
}

/** What this account can prove itself with, now that the password was right. */
export interface Factors {
  code: boolean;
  key: boolean;
  /** Given where the gateway asked for the key at once. */
  challenge?: AssertionOptions;
}

/** How a form of factors gives its answer; what is refused is thrown. */
export interface FactorAnswers {
  withCode: (code: string) => Promise<void>;
  /** Given the challenge that is there already; a second try asks for another. */
  withKey: (challenge: AssertionOptions | undefined) => Promise<void>;
}

export function answersAfterPassword(send: ApiSend, credentials: Credentials): FactorAnswers {
  return {
    withCode: (code) => answerWithCode(send, credentials, code),
    withKey: (challenge) => answerWithKey(send, credentials, challenge),
  };
}

/** The reply's token is not kept: the next page load brings it in the page. Gives the factors when one is asked for. */
export async function signIn(
  send: ApiSend,
  mode: SecondFactor,
  { user, pass }: Credentials,
): Promise<Factors | undefined> {
  if (mode === 'webauthn') return { code: false, key: true, challenge: await beginKey(send, { user, pass }) };
  try {
    await apiOver(send)(signInRoutes.signIn, { body: { user, pass } });
    return undefined;
  } catch (error) {
    const factors = factorsIn(error);
    if (factors) return factors;
    throw error;
  }
}

async function answerWithCode(send: ApiSend, { user, pass }: Credentials, code: string): Promise<void> {
  await apiOver(send)(signInRoutes.signIn, { body: { user, pass, second_factor_token: code } });
}

async function answerWithKey(send: ApiSend, credentials: Credentials, challenge?: AssertionOptions): Promise<void> {
  const answer = await askKey(challenge ?? (await beginKey(send, credentials)));
  await apiOver(send)(mfaRoutes.finishLogin, { body: { user: credentials.user, webauthnAssertionResponse: answer } });
}

/** Instead of user name and password. */
export async function answerWithPasskey(
  send: ApiSend,
  options: { signal?: AbortSignal; autofill?: boolean } = {},
): Promise<void> {
  const api = apiOver(send);
  const { webauthn_challenge } = await api(mfaRoutes.beginLogin, { body: { passwordless: true } }, options.signal);
  if (!webauthn_challenge) throw new WebauthnError('nothing-obtained');
  const answer = await askKey(webauthn_challenge, options);
  await api(mfaRoutes.finishLogin, { body: { webauthnAssertionResponse: answer } });
}

/** The token of the link that enrols a new device. */
export async function spendRecoveryCode(
  send: ApiSend,
  { user, pass, code }: Credentials & { code: string },
): Promise<string> {
  const body = { user, code, ...(pass ? { pass } : {}) };
  return (await apiOver(send)(recoveryRoutes.begin, { body })).tokenId;
}

async function beginKey(send: ApiSend, { user, pass }: Credentials): Promise<AssertionOptions> {
  const { webauthn_challenge } = await apiOver(send)(mfaRoutes.beginLogin, { body: { user, pass } });
  if (!webauthn_challenge) throw new WebauthnError('nothing-obtained');
  return webauthn_challenge;
}

function factorsIn(error: unknown): Factors | undefined {
  if (!(error instanceof CallError) || error.code !== 'mfa_required') return undefined;
  const { totp, key } = error.fields;
  return totp === true || key === true ? { code: totp === true, key: key === true } : undefined;
}
