/** Asks someone who is signed in to prove their second factor again. */
import type { AssertionResponse } from '@gatehouse/contract/identity/webauthn';
import type { Who } from '../../platform/http/actor.ts';
import type { Exchange } from '../../platform/http/call.ts';
import { AppError } from '../../platform/std/app-error.ts';
import { checkCode, checkKey, type ProvenFactor } from '../factors/second-factor.ts';
import type { IdentityDeps } from '../identity-deps.ts';
import type { Attempts } from '../sign-in/failures.ts';
import { refuseSignIn } from '../sign-in/finish-sign-in.ts';
import { listDevices } from '../stores/device-store.ts';

export interface FactorAnswer {
  code: string | undefined;
  key: AssertionResponse | undefined;
  /** The cluster that asked for it, where it was not this one. */
  through?: string | undefined;
}

/** Call it inside `attempts.attempt`: a stolen sign-in must not be able to try all codes. */
export async function proveFactor(
  parts: IdentityDeps,
  who: Who,
  { code, key, through }: FactorAnswer,
  exchange: Exchange,
): Promise<ProvenFactor> {
  if (key) {
    return checkKey(
      parts,
      { response: key, requestOrigin: exchange.origin },
      // Bound to the sign-in that asked: an answer given elsewhere, even by the same user, is not this one.
      (challenge, device) =>
        challenge.purpose === 'mfa' &&
        challenge.signInId === who.signInId &&
        challenge.tiedTo === through &&
        device.user === who.username,
    ).catch((cause: unknown) => {
      throw new AppError('bad_request', 'the key was not accepted: try again', { cause });
    });
  }
  const factor = code ? await checkCode(parts, await listDevices(parts.db, who.username), code) : undefined;
  if (factor) return factor;
  throw await wrongCode(parts, who, exchange);
}

/** Proves a factor and uses it up, for something that asks for one at this moment. Throws why it was not taken. */
export async function proveAgain(
  parts: IdentityDeps & { attempts: Attempts },
  who: Who,
  answer: FactorAnswer,
  exchange: Exchange,
): Promise<void> {
  await parts.attempts.attempt({ name: who.username, address: exchange.address }, async () => {
    const factor = await proveFactor(parts, who, answer, exchange);
    const used = await parts.db.transaction().execute((tx) => factor.use(tx));
    if (!used) throw await wrongCode(parts, who, exchange);
  });
}

/** A code that was right and used by another call in the same moment counts as wrong too. */
export async function wrongCode(parts: IdentityDeps, who: Who, exchange: Exchange): Promise<AppError> {
  const { address } = exchange;
  await refuseSignIn(parts, { name: who.username, address, exchange, reason: 'wrong one-time code' });
  return new AppError('bad_request', 'the code is not right, or was used already: wait for the next one', {
    fields: { field: 'code' },
  });
}
