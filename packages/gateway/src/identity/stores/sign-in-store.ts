/** Sign-ins in the store: one row for as long as it lasts, through all renewals. */
import { randomUUID } from 'node:crypto';
import { type TokenScope, tokenScope } from '@gatehouse/contract/access/api-tokens';
import { END_REASONS, type EndReason, SIGN_IN_KINDS, type SignInKind } from '@gatehouse/contract/identity/sign-ins';
import type { Selectable } from 'kysely';
import { z } from 'zod';
import { publish } from '../../platform/change-feed/publish.ts';
import { clientKey } from '../../platform/std/client-key.ts';
import { readJson, writeJson } from '../../platform/storage/json.ts';
import type { Db, Tables, Tx } from '../../platform/storage/tables.ts';

export const SIGN_IN_MS = 12 * 3_600_000;

export interface SignIn {
  id: string;
  user: string;
  kind: SignInKind;
  name: string;
  scope: TokenScope;
  created: number;
  expires: number;
  lastActive: number;
  address: string;
  /** The key of the address it belongs to; undefined until it is first used, for tokens and what was made on the machine itself. */
  tiedTo: string | undefined;
  userAgent: string;
  /** When whoever began it proved who they are; undefined where a provider does not say, and for what is no browser's. */
  provenAt: number | undefined;
  passwordAt: number | undefined;
  mfaAt: number | undefined;
  /** The device that it was proven with; undefined where a provider says so. */
  mfaDevice: string | undefined;
  ended: { at: number; reason: EndReason } | undefined;
  /** Undefined for one of this gateway alone. */
  through: Through | undefined;
}

/** The identity at a provider that a sign-in stands on: it ends with it. */
export interface Through {
  connector: string;
  subject: string;
  providerSession: string | undefined;
}

export interface NewSignIn {
  /** Drawn unless it stands for a sign-in elsewhere. */
  id?: string;
  user: string;
  kind: SignInKind;
  name?: string;
  scope?: TokenScope;
  now: number;
  expires: number;
  address: string;
  userAgent: string;
  provenAt?: number | undefined;
  passwordAt?: number | undefined;
  mfaAt?: number | undefined;
  mfaDevice?: string | undefined;
  through?: Through | undefined;
}

const kind = z.enum(SIGN_IN_KINDS);
const endReason = z.enum(END_REASONS);

export async function insertSignIn(tx: Tx, given: NewSignIn): Promise<SignIn> {
  const row = {
    id: given.id ?? randomUUID(),
    user: given.user,
    kind: given.kind,
    name: given.name ?? '',
    scope: given.scope === undefined ? null : writeJson(given.scope),
    created: given.now,
    expires: given.expires,
    last_active: given.now,
    address: given.address,
    tied_to: given.kind === 'token' || given.address === '' ? null : clientKey(given.address),
    user_agent: given.userAgent,
    proven_at: given.provenAt ?? null,
    password_at: given.passwordAt ?? null,
    mfa_at: given.mfaAt ?? null,
    mfa_device: given.mfaDevice ?? null,
    ended: null,
    ended_reason: null,
    connector: given.through?.connector ?? null,
    subject: given.through?.subject ?? null,
    provider_session: given.through?.providerSession ?? null,
  };
  await tx.insertInto('sign_in').values(row).execute();
  if (given.kind !== 'token') {
    await tx.updateTable('user').set({ last_sign_in: given.now }).where('name', '=', given.user).execute();
  }
  // The list of what is signed in is open in other tabs.
  await publish(tx, { topic: 'sign-in', id: row.id, data: { user: row.user } });
  return toSignIn(row);
}

export async function findSignIn(db: Db, id: string): Promise<SignIn | undefined> {
  const row = await db.selectFrom('sign_in').selectAll().where('id', '=', id).executeTakeFirst();
  return row && toSignIn(row);
}

/** Statements have a limit of values. */
const CHUNK = 1_000;

/** How long each of them may last and whether it was ended; without those that are no more. */
export async function findStates(
  db: Db,
  ids: readonly string[],
): Promise<Map<string, { expires: number; ended: EndReason | undefined; tiedTo: string | undefined }>> {
  const chunks = Array.from({ length: Math.ceil(ids.length / CHUNK) }, (_, at) =>
    ids.slice(at * CHUNK, (at + 1) * CHUNK),
  );
  const select = db.selectFrom('sign_in').select(['id', 'expires', 'ended_reason', 'tied_to']);
  const rows = await Promise.all(chunks.map((chunk) => select.where('id', 'in', chunk).execute()));
  return new Map(
    rows.flat().map(({ id, expires, ended_reason, tied_to }) => [
      id,
      {
        expires,
        ended: ended_reason === null ? undefined : endReason.parse(ended_reason),
        tiedTo: tied_to ?? undefined,
      },
    ]),
  );
}

/** What is alive, newest first. */
export async function listSignIns(db: Db, user: string, now: number): Promise<SignIn[]> {
  const rows = await db
    .selectFrom('sign_in')
    .selectAll()
    .where('user', '=', user)
    .where('expires', '>', now)
    .where('ended', 'is', null)
    .orderBy('last_active', 'desc')
    .orderBy('id')
    .execute();
  return rows.map(toSignIn);
}

/** Ends it for good: its secrets are deleted, and everybody who follows sign-ins hears why. False when it was over before. */
export async function endSignIn(tx: Tx, id: string, reason: EndReason, now: number): Promise<boolean> {
  const row = await tx
    .updateTable('sign_in')
    .set({ ended: now, ended_reason: reason })
    .where('id', '=', id)
    .where('ended', 'is', null)
    .returning('user')
    .executeTakeFirst();
  if (!row) return false;
  await tx.deleteFrom('sign_in_secret').where('sign_in', '=', id).execute();
  // What was proven there and not used yet: whoever was sent out must not go on by it. Others of theirs prove it again.
  await tx
    .updateTable('user_token')
    .set({ used_at: now, sealed_totp: null, challenge: null })
    .where('user', '=', row.user)
    .where('type', '=', 'privilege')
    .where('used_at', 'is', null)
    .execute();
  await publish(tx, { topic: 'sign-in', id, data: { user: row.user, ended: reason } });
  return true;
}

/**
 * Those that ran out while something that was opened under them goes on: whoever signs in again finds it. Until then nothing else tells it
 * that it is over.
 */
export function listRunOut(db: Db, now: number) {
  return db
    .selectFrom('sign_in')
    .select(['id', 'user'])
    .where('id', 'in', (eb) => eb.selectFrom('session').select('session.sign_in').where('session.ended', 'is', null))
    .where((eb) =>
      eb.or([eb.and([eb('ended', 'is', null), eb('expires', '<=', now)]), eb('ended_reason', '=', 'inactive')]),
    )
    .orderBy('id');
}

/** Ends what goes on under one that ran out. */
export async function endRunOut(
  tx: Tx,
  { id, user }: Pick<SignIn, 'id' | 'user'>,
  reason: EndReason,
  now: number,
): Promise<void> {
  await tx
    .updateTable('sign_in')
    .set((eb) => ({ ended: eb.fn.coalesce('ended', eb.val(now)), ended_reason: reason }))
    .where('id', '=', id)
    .execute();
  await publish(tx, { topic: 'sign-in', id, data: { user, ended: reason } });
}

/** Ends every sign-in of a user but one, and what goes on under those that ran out; gives back the ended ones. */
export async function endSignInsOf(
  tx: Tx,
  user: string,
  reason: EndReason,
  { now, except, keepTokens = false }: { now: number; except?: string; keepTokens?: boolean },
): Promise<SignIn[]> {
  const alive = (await listSignIns(tx, user, now)).filter(
    ({ id, kind }) => id !== except && !(keepTokens && kind === 'token'),
  );
  alive.sort((a, b) => (a.id < b.id ? -1 : 1));
  for (const { id } of alive) await endSignIn(tx, id, reason, now);
  for (const runOut of await listRunOut(tx, now).where('user', '=', user).execute())
    await endRunOut(tx, runOut, reason, now);
  return alive;
}

/** One that stands for a sign-in at another cluster, which says that it goes on, and until when. */
export async function reviveSignIn(tx: Tx, { id, user }: Pick<SignIn, 'id' | 'user'>, expires: number): Promise<void> {
  await tx.updateTable('sign_in').set({ expires, ended: null, ended_reason: null }).where('id', '=', id).execute();
  await publish(tx, { topic: 'sign-in', id, data: { user } });
}

export async function markProven(
  tx: Tx,
  id: string,
  proven: { passwordAt: number } | { mfaAt: number; mfaDevice: string },
): Promise<void> {
  const set =
    'mfaAt' in proven ? { mfa_at: proven.mfaAt, mfa_device: proven.mfaDevice } : { password_at: proven.passwordAt };
  await tx.updateTable('sign_in').set(set).where('id', '=', id).execute();
}

/** Whoever uses it first ties it; what is tied stays so. */
export async function tieSignIn(db: Db, id: string, address: string): Promise<void> {
  await db
    .updateTable('sign_in')
    .set({ tied_to: clientKey(address) })
    .where('id', '=', id)
    .where('tied_to', 'is', null)
    .execute();
}

/** Written in batches; a late batch must not take back what another gateway has seen since. */
export async function writeLastActive(tx: Tx, seen: ReadonlyMap<string, number>): Promise<void> {
  for (const [id, time] of seen) {
    await tx
      .updateTable('sign_in')
      .set({ last_active: time })
      .where('id', '=', id)
      .where('last_active', '<', time)
      .execute();
  }
}

/** Of one that a provider gave less time than sign-ins have: what is begun by it must not outlive that. */
export function endByProvider({ through, created, expires }: SignIn): number {
  return through && expires < created + SIGN_IN_MS ? expires : Number.POSITIVE_INFINITY;
}

export function isAlive({ ended, expires }: Pick<SignIn, 'ended' | 'expires'>, now: number): boolean {
  return ended === undefined && expires > now;
}

export function toSignIn(row: Selectable<Tables['sign_in']>): SignIn {
  return {
    id: row.id,
    user: row.user,
    kind: kind.parse(row.kind),
    name: row.name,
    scope: row.scope === null ? 'all' : tokenScope.parse(readJson(row.scope)),
    created: row.created,
    expires: row.expires,
    lastActive: row.last_active,
    address: row.address,
    tiedTo: row.tied_to ?? undefined,
    userAgent: row.user_agent,
    provenAt: row.proven_at ?? undefined,
    passwordAt: row.password_at ?? undefined,
    mfaAt: row.mfa_at ?? undefined,
    mfaDevice: row.mfa_device ?? undefined,
    ended: row.ended === null ? undefined : { at: row.ended, reason: endReason.parse(row.ended_reason) },
    through:
      row.connector === null || row.subject === null
        ? undefined
        : { connector: row.connector, subject: row.subject, providerSession: row.provider_session ?? undefined },
  };
}
