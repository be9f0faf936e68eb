/** Challenges that keys are asked to sign: bounded in number, short-lived, and gone with the first answer. */
import type { AssertionResponse } from '@gatehouse/contract/identity/webauthn';
import { z } from 'zod';
import type { Db, Tx } from '../../platform/storage/tables.ts';
import { WEBAUTHN_TIMEOUT_MS } from '../credentials/webauthn.ts';
import { countedAs, makeRoom } from './crowded-table.ts';

/** Anybody may ask for a passwordless challenge. */
const BOUNDS = { total: 10_000 };

/** `login`: after the password. `passwordless`: instead of it. `mfa`: by someone signed in. */
export type Purpose = 'login' | 'passwordless' | 'mfa';

export interface Challenge {
  challenge: string;
  purpose: Purpose;
  user: string | undefined;
  signInId: string | undefined;
  /** The key of the address it was asked for at, or the cluster that asked; undefined where the sign-in says where, and this one asked. */
  tiedTo?: string | undefined;
}

const purpose = z.enum(['login', 'passwordless', 'mfa']);
const saidChallenge = z.object({ challenge: z.string().min(1).max(128) });

export async function keepChallenge(db: Db, given: Challenge, now: number): Promise<void> {
  const counted = countedAs({ user: given.user, address: given.tiedTo ?? '' });
  await makeRoom(db, 'webauthn_challenge', { network: counted.network, now }, BOUNDS);
  await db
    .insertInto('webauthn_challenge')
    .values({
      challenge: given.challenge,
      purpose: given.purpose,
      user: given.user ?? null,
      sign_in: given.signInId ?? null,
      expires: now + WEBAUTHN_TIMEOUT_MS,
      tied_to: given.tiedTo ?? null,
      ...counted,
    })
    .execute();
}

/** The challenge an answer belongs to. Deleted by being asked for: it serves once, also when the answer is wrong. */
export async function takeChallenge(db: Db, response: AssertionResponse, now: number): Promise<Challenge | undefined> {
  const said = challengeIn(response);
  if (!said) return undefined;
  const row = await db.deleteFrom('webauthn_challenge').where('challenge', '=', said).returningAll().executeTakeFirst();
  if (!row || row.expires <= now) return undefined;
  return {
    challenge: row.challenge,
    purpose: purpose.parse(row.purpose),
    user: row.user ?? undefined,
    signInId: row.sign_in ?? undefined,
    tiedTo: row.tied_to ?? undefined,
  };
}

/** What was asked of somebody who knew the password counts for nothing once there is another. */
export async function forgetChallengesOf(tx: Tx, user: string): Promise<void> {
  await tx.deleteFrom('webauthn_challenge').where('user', '=', user).execute();
}

function challengeIn({ response }: AssertionResponse): string | undefined {
  try {
    const json: unknown = JSON.parse(Buffer.from(response.clientDataJSON, 'base64url').toString('utf8'));
    return saidChallenge.safeParse(json).data?.challenge;
  } catch {
    return undefined;
  }
}
