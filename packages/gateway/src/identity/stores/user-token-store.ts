/** Links and proofs in the store: invite, reset, recovery, privilege. Known by the hash of their secret part. */
import type { LinkFailure } from '@gatehouse/contract/identity/passwords';
import type { DeviceUsage } from '@gatehouse/contract/identity/webauthn';
import type { Selectable } from 'kysely';
import { z } from 'zod';
import { hashToken, newToken } from '../../platform/crypto/tokens.ts';
import type { SealedContext, SecretBox } from '../../platform/secrets/secret-box.ts';
import { AppError } from '../../platform/std/app-error.ts';
import { clientKey } from '../../platform/std/client-key.ts';
import type { Db, Tables, Tx } from '../../platform/storage/tables.ts';
import { WEBAUTHN_TIMEOUT_MS } from '../credentials/webauthn.ts';

export const USER_TOKEN_TYPES = ['invite', 'password', 'recovery', 'privilege'] as const;
export type UserTokenType = (typeof USER_TOKEN_TYPES)[number];

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

/** How long each lives, and how long it may be asked to live at most. */
export const TOKEN_TTL: Record<UserTokenType, { usualMs: number; maxMs: number }> = {
  invite: { usualMs: HOUR_MS, maxMs: 48 * HOUR_MS },
  password: { usualMs: 8 * HOUR_MS, maxMs: 24 * HOUR_MS },
  recovery: { usualMs: 30 * MINUTE_MS, maxMs: 3 * HOUR_MS },
  privilege: { usualMs: 5 * MINUTE_MS, maxMs: 5 * MINUTE_MS },
};

export interface UserToken {
  hash: string;
  type: UserTokenType;
  user: string;
  created: number;
  createdBy: string;
  expires: number;
  sealedTotp: string | undefined;
  /** The key of the address it is good at, for people whose role pins that. */
  tiedTo: string | undefined;
  /** The sign-in of the narrowed token that made it. */
  madeWith: string | undefined;
  registration: { challenge: string; usage: DeviceUsage; expires: number } | undefined;
}

const tokenType = z.enum(USER_TOKEN_TYPES);

interface NewUserToken {
  type: UserTokenType;
  user: string;
  createdBy: string;
  /** The sign-in of whoever makes it, where that may do less than they may themselves. */
  madeWith?: string | undefined;
  now: number;
  ttlMs?: number;
  address?: string;
}

/** Makes a token; an earlier one of the same type for the same user stops working. */
export async function createUserToken(tx: Tx, given: NewUserToken): Promise<{ tokenId: string; expires: number }> {
  const { usualMs, maxMs } = TOKEN_TTL[given.type];
  const expires = given.now + Math.min(given.ttlMs ?? usualMs, maxMs);
  const tokenId = newToken();
  await tx
    .updateTable('user_token')
    .set({ used_at: given.now })
    .where('user', '=', given.user)
    .where('type', '=', given.type)
    .where('used_at', 'is', null)
    .execute();
  await tx
    .insertInto('user_token')
    .values({
      hash: hashToken(tokenId),
      type: given.type,
      user: given.user,
      created: given.now,
      created_by: given.createdBy,
      expires,
      used_at: null,
      sealed_totp: null,
      challenge: null,
      challenge_usage: null,
      challenge_expires: null,
      tied_to: given.address === undefined ? null : clientKey(given.address),
      made_with: given.madeWith ?? null,
    })
    .execute();
  return { tokenId, expires };
}

/** The token, when it is of one of these types and still good; otherwise says what is wrong with it. */
export async function requireUserToken(
  db: Db,
  tokenId: string,
  types: readonly UserTokenType[],
  now: number,
): Promise<UserToken> {
  const row = await db.selectFrom('user_token').selectAll().where('hash', '=', hashToken(tokenId)).executeTakeFirst();
  const token = row && toUserToken(row);
  if (!row || !token || !types.includes(token.type)) throw refusedLink('unknown');
  if (row.used_at !== null) throw refusedLink('used');
  if (row.expires <= now) throw refusedLink('expired');
  return token;
}

/** Of two calls with one token only one gets true. */
export async function spendUserToken(tx: Tx, { hash }: UserToken, now: number): Promise<void> {
  const result = await tx
    .updateTable('user_token')
    .set({ used_at: now, sealed_totp: null, challenge: null })
    .where('hash', '=', hash)
    .where('used_at', 'is', null)
    .executeTakeFirst();
  if (Number(result.numUpdatedRows) !== 1) throw refusedLink('used');
}

/** Everything else that could still change the user's credentials stops working. */
export async function spendAllTokensOf(tx: Tx, user: string, now: number): Promise<void> {
  await tx
    .updateTable('user_token')
    .set({ used_at: now, sealed_totp: null, challenge: null })
    .where('user', '=', user)
    .where('used_at', 'is', null)
    .execute();
}

/** Links for others that were made with a key which has ended would go on by the rights that the account has now. */
export async function spendLinksMadeBy(tx: Tx, user: string, now: number): Promise<void> {
  await tx
    .updateTable('user_token')
    .set({ used_at: now, sealed_totp: null, challenge: null })
    .where('created_by', '=', user)
    .where('type', 'in', ['invite', 'password'])
    .where('used_at', 'is', null)
    .execute();
}

export async function setPendingTotp(db: Db, { hash }: UserToken, secret: string, secrets: SecretBox): Promise<void> {
  await db
    .updateTable('user_token')
    .set({ sealed_totp: secrets.seal(place(hash), secret) })
    .where('hash', '=', hash)
    .execute();
}

export function pendingTotp({ hash, sealedTotp }: UserToken, secrets: SecretBox): string | undefined {
  return sealedTotp === undefined ? undefined : secrets.openText(place(hash), sealedTotp);
}

export async function setPendingKey(
  db: Db,
  { hash }: UserToken,
  { challenge, usage }: { challenge: string; usage: DeviceUsage },
  now: number,
): Promise<void> {
  await db
    .updateTable('user_token')
    .set({ challenge, challenge_usage: usage, challenge_expires: now + WEBAUTHN_TIMEOUT_MS })
    .where('hash', '=', hash)
    .execute();
}

/** Forgets the challenge with the first answer to it. */
export async function takePendingKey(db: Db, token: UserToken, now: number): Promise<UserToken['registration']> {
  const { registration } = token;
  if (!registration || registration.expires <= now) return undefined;
  const result = await db
    .updateTable('user_token')
    .set({ challenge: null })
    .where('hash', '=', token.hash)
    .where('challenge', '=', registration.challenge)
    .executeTakeFirst();
  return Number(result.numUpdatedRows) === 1 ? registration : undefined;
}

const REASONS: Record<LinkFailure, string> = {
  unknown: 'this link is not known: check that it is complete, or ask for a new one',
  used: 'this link was used already, or a newer one was made: ask for a new one if you still need it',
  expired: 'this link has expired: ask for a new one',
};

export function refusedLink(reason: LinkFailure): AppError {
  return new AppError('denied', REASONS[reason], { fields: { reason } });
}

function place(hash: string): SealedContext {
  return { table: 'user_token', id: hash, column: 'sealed_totp' };
}

function toUserToken(row: Selectable<Tables['user_token']>): UserToken {
  const usage = row.challenge_usage === 'passwordless' ? 'passwordless' : 'mfa';
  return {
    hash: row.hash,
    type: tokenType.parse(row.type),
    user: row.user,
    created: row.created,
    createdBy: row.created_by,
    expires: row.expires,
    sealedTotp: row.sealed_totp ?? undefined,
    tiedTo: row.tied_to ?? undefined,
    madeWith: row.made_with ?? undefined,
    registration:
      row.challenge === null ? undefined : { challenge: row.challenge, usage, expires: row.challenge_expires ?? 0 },
  };
}
