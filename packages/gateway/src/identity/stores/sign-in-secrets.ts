/** The secrets a sign-in is known by: the browser's cookie and bearer, a command line's or script's bearer. Stored hashed. */
import { z } from 'zod';
import { hashToken, newToken } from '../../platform/crypto/tokens.ts';
import type { Db, Tx } from '../../platform/storage/tables.ts';
import type { SignIn } from './sign-in-store.ts';

export const BEARER_MS = 10 * 60_000;
/** Calls another tab has on their way still carry the cookie from before a renewal. */
export const OLD_COOKIE_MS = 60_000;

export interface Bearer {
  token: string;
  expires: number;
}

const cookieValue = z.object({ user: z.string().min(1).max(256), sid: z.string().min(1).max(128) });

/** The session cookie as the wire has it: hex of the JSON of user and secret. */
export function encodeCookie(user: string, sid: string): string {
  return Buffer.from(JSON.stringify({ user, sid }), 'utf8').toString('hex');
}

export function decodeCookie(value: string): z.output<typeof cookieValue> | undefined {
  if (value.length > 2048 || value.length % 2 !== 0 || !/^[0-9a-f]+$/.test(value)) return undefined;
  try {
    return cookieValue.safeParse(JSON.parse(Buffer.from(value, 'hex').toString('utf8'))).data;
  } catch {
    return undefined;
  }
}

/** A browser's bearer is short-lived and never outlives its sign-in. */
export async function issueBearer(tx: Tx, signIn: Pick<SignIn, 'id' | 'expires'>, now: number): Promise<Bearer> {
  const expires = Math.min(now + BEARER_MS, signIn.expires);
  return { token: await issue(tx, signIn.id, 'bearer', expires), expires };
}

/** What a command line or a script holds: as long-lived as its sign-in. */
export async function issueCredential(tx: Tx, signIn: Pick<SignIn, 'id' | 'expires'>): Promise<string> {
  return issue(tx, signIn.id, 'bearer', signIn.expires);
}

/** The first cookie and bearer of a browser. */
export async function issueFirst(
  tx: Tx,
  signIn: Pick<SignIn, 'id' | 'user' | 'expires'>,
  now: number,
): Promise<{ cookie: string; bearer: Bearer }> {
  const sid = newToken();
  const bearer = { token: newToken(), expires: Math.min(now + BEARER_MS, signIn.expires) };
  const cookieRow = { hash: hashToken(sid), sign_in: signIn.id, type: 'cookie', expires: signIn.expires };
  const bearerRow = { hash: hashToken(bearer.token), sign_in: signIn.id, type: 'bearer', expires: bearer.expires };
  await tx.insertInto('sign_in_secret').values([cookieRow, bearerRow]).execute();
  return { cookie: encodeCookie(signIn.user, sid), bearer };
}

/** A cookie in place of the ones before, which work for a moment longer; `replaced` are their hashes. */
export async function replaceCookie(
  tx: Tx,
  signIn: Pick<SignIn, 'id' | 'user' | 'expires'>,
  now: number,
): Promise<{ cookie: string; replaced: string[] }> {
  const overlapEnd = now + OLD_COOKIE_MS;
  const replaced = await tx
    .updateTable('sign_in_secret')
    .set({ expires: overlapEnd })
    .where('sign_in', '=', signIn.id)
    .where('type', '=', 'cookie')
    .where('expires', '>', overlapEnd)
    .returning('hash')
    .execute();
  const cookie = encodeCookie(signIn.user, await issue(tx, signIn.id, 'cookie', signIn.expires));
  return { cookie, replaced: replaced.map(({ hash }) => hash) };
}

export interface KnownSecret {
  signInId: string;
  type: string;
  expires: number;
}

export async function findSecret(db: Db, hash: string): Promise<KnownSecret | undefined> {
  const row = await db.selectFrom('sign_in_secret').selectAll().where('hash', '=', hash).executeTakeFirst();
  return row && { signInId: row.sign_in, type: row.type, expires: row.expires };
}

async function issue(tx: Tx, signIn: string, type: 'cookie' | 'bearer', expires: number): Promise<string> {
  const token = newToken();
  await tx
    .insertInto('sign_in_secret')
    .values({ hash: hashToken(token), sign_in: signIn, type, expires })
    .execute();
  return token;
}
