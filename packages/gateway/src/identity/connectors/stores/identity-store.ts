/** Who users are to sign-in providers, in the store. The key is the connector and the subject, never a name or an address. */
import { randomUUID } from 'node:crypto';
import { CONNECTOR_KINDS, type ConnectorKind } from '@gatehouse/contract/identity/connectors/connector-kinds';
import { type ExpressionBuilder, type Selectable, sql } from 'kysely';
import { z } from 'zod';
import type { SecretBox } from '../../../platform/secrets/secret-box.ts';
import { readJson, writeJson } from '../../../platform/storage/json.ts';
import type { Db, Tables, Tx } from '../../../platform/storage/tables.ts';
import { LINKED_BY, type LinkedBy } from '../../stores/linked-by.ts';
import type { Claims } from '../providers/provider.ts';

export interface StoredIdentity {
  user: string;
  kind: ConnectorKind;
  connector: string;
  subject: string;
  issuer: string;
  /** What the provider calls them. */
  name: string;
  claims: Claims;
  created: number;
  confirmed: number;
  nextRecheck: number | undefined;
  trouble: string;
  linkedBy: LinkedBy;
  sealedId: string;
  sealedTokens: string | undefined;
}

export interface SeenIdentity {
  user: string;
  kind: ConnectorKind;
  connector: string;
  subject: string;
  issuer: string;
  name: string;
  claims: Claims;
  now: number;
  /** When it is asked again; undefined where it cannot be. */
  nextRecheck: number | undefined;
  tokens: string | undefined;
  /** Undefined: as it was. */
  linkedBy: LinkedBy | undefined;
  /** As it was read in the same transaction, by whoever has. */
  held?: StoredIdentity;
}

const kind = z.enum(CONNECTOR_KINDS);
const linkedBy = z.enum(LINKED_BY);
const storedRoles = z.array(z.string());
const stored = z.object({
  name: z.string().default(''),
  claims: z.array(z.tuple([z.string(), z.array(z.string())])).default([]),
});
/** Of each claim, for the effect of a draft: more would only make the row large. */
const MAX_KEPT_VALUES = 2_000;
const MAX_KEPT_CLAIMS = 200;

export async function findIdentity(db: Db, connector: string, subject: string): Promise<StoredIdentity | undefined> {
  const row = await db
    .selectFrom('user_identity')
    .selectAll()
    .where('connector', '=', connector)
    .where('subject', '=', subject)
    .executeTakeFirst();
  return row && toIdentity(row);
}

export async function listIdentitiesOf(db: Db, user: string): Promise<StoredIdentity[]> {
  const rows = await db.selectFrom('user_identity').selectAll().where('user', '=', user).orderBy('created').execute();
  return rows.map(toIdentity);
}

export async function listIdentitiesAt(db: Db, connector: string): Promise<StoredIdentity[]> {
  const rows = await db
    .selectFrom('user_identity')
    .selectAll()
    .where('connector', '=', connector)
    .orderBy('user')
    .execute();
  return rows.map(toIdentity);
}

export async function countIdentities(db: Db): Promise<ReadonlyMap<string, number>> {
  const rows = await db
    .selectFrom('user_identity')
    .select((eb) => ['connector', eb.fn.countAll<number>().as('count')])
    .groupBy('connector')
    .execute();
  return new Map(rows.map(({ connector, count }) => [connector, Number(count)]));
}

/** Made or renewed by a sign-in. */
export async function keepIdentity(tx: Tx, box: SecretBox, seen: SeenIdentity): Promise<void> {
  const held = seen.held ?? (await findIdentity(tx, seen.connector, seen.subject));
  const sealedId = held?.sealedId || randomUUID();
  const columns = {
    // Of another issuer, the subject was somebody else before.
    user: seen.user,
    data: dataOf(seen),
    issuer: seen.issuer,
    confirmed: seen.now,
    next_recheck: seen.nextRecheck ?? null,
    sealed_id: sealedId,
    sealed_tokens: sealedAgain(box, held, { sealedId, tokens: seen.tokens }),
    trouble: '',
    linked_by: seen.linkedBy ?? held?.linkedBy ?? 'self',
  };
  if (held) {
    await tx
      .updateTable('user_identity')
      .set(columns)
      .where('connector', '=', seen.connector)
      .where('subject', '=', seen.subject)
      .execute();
    return;
  }
  await tx
    .insertInto('user_identity')
    .values({
      connector_kind: seen.kind,
      connector: seen.connector,
      subject: seen.subject,
      created: seen.now,
      ...columns,
    })
    .execute();
}

/** The same stay as they are written: whoever asks with them meanwhile gets others for them, and must see that they are still those. */
function sealedAgain(
  box: SecretBox,
  held: StoredIdentity | undefined,
  { sealedId, tokens }: { sealedId: string; tokens: string | undefined },
): string | null {
  if (tokens === undefined) return null;
  if (held?.sealedTokens !== undefined && openTokens(box, held) === tokens) return held.sealedTokens;
  return box.seal(placeOf(sealedId), tokens);
}

/** From now on it is the word of somebody else. With an empty issuer the provider is yet to be heard; what it is asked with stays. */
export async function relink(
  tx: Tx,
  { connector, subject }: StoredIdentity,
  { linkedBy: by, issuer }: { linkedBy: LinkedBy; issuer: string },
): Promise<void> {
  await tx
    .updateTable('user_identity')
    .set({ linked_by: by, issuer })
    .where('connector', '=', connector)
    .where('subject', '=', subject)
    .execute();
}

export async function deleteIdentity(tx: Tx, connector: string, subject: string): Promise<void> {
  await tx.deleteFrom('user_identity').where('connector', '=', connector).where('subject', '=', subject).execute();
}

export function openTokens(box: SecretBox, { sealedId, sealedTokens }: StoredIdentity): string | undefined {
  return sealedTokens === undefined ? undefined : box.openText(placeOf(sealedId), sealedTokens);
}

/** The connectors that somebody is to be asked for at. */
export async function listConnectorsDue(db: Db, now: number): Promise<string[]> {
  const rows = await db
    .selectFrom('user_identity')
    .select('connector')
    .distinct()
    .where('next_recheck', '<=', now)
    .where((eb) => isAskedByNobody(eb, now))
    .execute();
  return rows.map(({ connector }) => connector);
}

/** Those of a connector that are to be asked for, the longest waiting first; `isHere`: whether anything would be ended. */
export async function listDue(
  db: Db,
  connector: string,
  now: number,
  limit: number,
): Promise<{ identity: StoredIdentity; isHere: boolean }[]> {
  const rows = await db
    .selectFrom('user_identity')
    .selectAll()
    .select((eb) => [liveSignIn(eb, now), openSession(eb)])
    .where('connector', '=', connector)
    .where('next_recheck', '<=', now)
    .where((eb) => isAskedByNobody(eb, now))
    .orderBy('next_recheck')
    .limit(limit)
    .execute();
  return rows.map((row) => ({ identity: toIdentity(row), isHere: row.live !== null || row.open !== null }));
}

/** Whom the provider has not confirmed since, where that would end or take back anything; those it was never heard of are not meant. */
export async function listUnconfirmed(
  db: Db,
  connector: string,
  since: number,
  now: number,
): Promise<{ subject: string }[]> {
  const rows = await db
    .selectFrom('user_identity')
    .innerJoin('user', 'user.name', 'user_identity.user')
    .select(['user_identity.subject', 'user_identity.issuer', 'user.given_by', 'user.roles'])
    .select((eb) => [liveSignIn(eb, now), openSession(eb)])
    .where('user_identity.connector', '=', connector)
    .where('user_identity.confirmed', '<', since)
    .execute();
  const holds = (roles: string) => storedRoles.parse(readJson(roles)).length > 0;
  return rows.filter(({ live, open, issuer, given_by, roles }) => {
    const isGiven = given_by === connector && holds(roles);
    // One that nobody has come through yet confirms nothing, unless it was unheard again while they hold what it gave.
    return issuer === '' ? isGiven : live !== null || open !== null || isGiven;
  });
}

/** Null for somebody who is nowhere signed in. */
function liveSignIn(eb: ExpressionBuilder<Tables, 'user_identity'>, now: number) {
  return eb
    .selectFrom('sign_in')
    .select('sign_in.id')
    .whereRef('sign_in.user', '=', 'user_identity.user')
    .where('sign_in.ended', 'is', null)
    .where('sign_in.expires', '>', now)
    .limit(1)
    .as('live');
}

/** Null for somebody of whom nothing is open. It can go on for longer than the sign-in it was opened under. */
function openSession(eb: ExpressionBuilder<Tables, 'user_identity'>) {
  return eb
    .selectFrom('session')
    .select('session.id')
    .whereRef('session.user', '=', 'user_identity.user')
    .where('session.ended', 'is', null)
    .limit(1)
    .as('open');
}

/** Also not by another gateway: somebody can become due while one asks about them, and it asks with the same tokens. */
function isAskedByNobody(eb: ExpressionBuilder<Tables, 'user_identity'>, now: number) {
  return eb.or([eb('asking_until', 'is', null), eb('asking_until', '<=', now)]);
}

/**
 * Whoever claims somebody has the use of their tokens alone until they release them, or that time is over. False when another gateway was
 * first, or has others in their place since they were read: those may be used up.
 */
export async function claimRecheck(
  db: Db,
  { connector, subject, nextRecheck, sealedTokens }: StoredIdentity,
  { now, until }: { now: number; until: number },
): Promise<boolean> {
  const result = await db
    .updateTable('user_identity')
    .set({ next_recheck: until, asking_until: until })
    .where('connector', '=', connector)
    .where('subject', '=', subject)
    .where('next_recheck', '=', nextRecheck ?? 0)
    .where('sealed_tokens', sealedTokens === undefined ? 'is' : '=', sealedTokens ?? null)
    .where((eb) => isAskedByNobody(eb, now))
    .executeTakeFirst();
  return Number(result.numUpdatedRows) === 1;
}

/** One that ran out meanwhile may be another gateway's by now: it stays that one's. */
export async function releaseRecheck(
  db: Db,
  { connector, subject }: StoredIdentity,
  claim: number | undefined,
): Promise<void> {
  await db
    .updateTable('user_identity')
    .set({ asking_until: null })
    .where('connector', '=', connector)
    .where('subject', '=', subject)
    .where('asking_until', '=', claim ?? 0)
    .execute();
}

/** Whoever has signed in since it was claimed stays due. */
export async function putOffRecheck(db: Db, identity: StoredIdentity, claim: number): Promise<void> {
  const { connector, subject } = identity;
  await db
    .updateTable('user_identity')
    .set({ next_recheck: null })
    .where('connector', '=', connector)
    .where('subject', '=', subject)
    .where('next_recheck', '=', claim)
    .execute();
  await releaseRecheck(db, identity, claim);
}

export async function recheckAt(tx: Tx, { connector, subject, nextRecheck }: StoredIdentity): Promise<void> {
  await tx
    .updateTable('user_identity')
    .set({ next_recheck: nextRecheck ?? null })
    .where('connector', '=', connector)
    .where('subject', '=', subject)
    .execute();
}

/** Somebody came in by another way: each provider that can be asked about them is asked now. */
export async function recheckNow(tx: Tx, user: string, now: number): Promise<void> {
  await tx
    .updateTable('user_identity')
    .set({ next_recheck: now })
    .where('user', '=', user)
    .where('sealed_tokens', 'is not', null)
    .execute();
}

/** Everybody is asked about that much sooner, and stays as far from the others as before. */
export async function hastenRechecks(
  tx: Tx,
  connector: string,
  { every, before, now }: { every: number; before: number; now: number },
): Promise<void> {
  await tx
    .updateTable('user_identity')
    .set({ next_recheck: sql<number>`${now} + cast((next_recheck - ${now}) * ${every} / ${before} as bigint)` })
    .where('connector', '=', connector)
    .where('next_recheck', '>', now)
    .execute();
}

/** What they were asked about with was given to another client, or by another server. */
export async function dropTokensAt(tx: Tx, connector: string): Promise<void> {
  await tx
    .updateTable('user_identity')
    .set({ sealed_tokens: null, next_recheck: null })
    .where('connector', '=', connector)
    .execute();
}

/** What a recheck that did not confirm has left. */
export async function noteRecheck(
  tx: Tx,
  { connector, subject }: StoredIdentity,
  heard: { trouble: string; nextRecheck: number | undefined },
): Promise<void> {
  await tx
    .updateTable('user_identity')
    .set({ trouble: heard.trouble, next_recheck: heard.nextRecheck ?? null })
    .where('connector', '=', connector)
    .where('subject', '=', subject)
    .execute();
}

/** The provider gave others for them: those that were asked with are used up. */
export async function replaceTokens(
  tx: Tx,
  box: SecretBox,
  { connector, subject, sealedId }: StoredIdentity,
  tokens: string,
): Promise<void> {
  await tx
    .updateTable('user_identity')
    .set({ sealed_tokens: box.seal(placeOf(sealedId), tokens) })
    .where('connector', '=', connector)
    .where('subject', '=', subject)
    .execute();
}

function dataOf({ name, claims }: SeenIdentity): string {
  const kept = [...claims]
    .slice(0, MAX_KEPT_CLAIMS)
    .map(([claim, values]) => [claim, values.slice(0, MAX_KEPT_VALUES)]);
  return writeJson({ name, claims: kept });
}

function placeOf(sealedId: string) {
  return { table: 'user_identity', id: sealedId, column: 'sealed_tokens' };
}

function toIdentity(row: Selectable<Tables['user_identity']>): StoredIdentity {
  const { name, claims } = stored.parse(readJson(row.data));
  return {
    user: row.user,
    kind: kind.parse(row.connector_kind),
    connector: row.connector,
    subject: row.subject,
    issuer: row.issuer,
    name,
    claims: new Map(claims),
    created: row.created,
    confirmed: row.confirmed,
    nextRecheck: row.next_recheck ?? undefined,
    trouble: row.trouble,
    linkedBy: linkedBy.parse(row.linked_by),
    sealedId: row.sealed_id,
    sealedTokens: row.sealed_tokens ?? undefined,
  };
}
