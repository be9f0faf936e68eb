/** Join tokens in the store. Of the secret only a hash is there. */

import { randomUUID } from 'node:crypto';
import { JOIN_METHODS, type JoinMethod } from '@gatehouse/contract/reach/join-tokens/iam';
import { JOIN_ROLES, type JoinRole } from '@gatehouse/contract/reach/join-tokens/join-tokens';
import { type AllowRule, allowRule } from '@gatehouse/contract/reach/join-tokens/token-facts';
import { type TokenOffers, tokenOffers } from '@gatehouse/contract/reach/join-tokens/token-offers';
import { type MatcherLabels, matcherLabels } from '@gatehouse/contract/std/matcher-labels';
import type { Selectable } from 'kysely';
import { z } from 'zod';
import { hashToken } from '../../../platform/crypto/tokens.ts';
import { readJson, writeJson } from '../../../platform/storage/json.ts';
import type { Db, Tables, Tx } from '../../../platform/storage/tables.ts';
import { patternsIn } from './may-offer.ts';

const HINT_CHARACTERS = 6;
/** An expired one is told from an unknown one for a while. */
const KEEP_EXPIRED_MS = 7 * 86_400_000;

export interface StoredJoinToken {
  id: string;
  hint: string;
  roles: JoinRole[];
  labels: Record<string, string>;
  created: number;
  createdBy: string;
  expires: number;
  maxUses: number | undefined;
  uses: number;
  offers: TokenOffers;
  /** Names of applications belong to it. */
  group: string;
  allow: AllowRule[];
  matcherLabels: MatcherLabels;
  /** Database servers that may be signed with it. */
  hosts: string[];
  method: JoinMethod;
}

export type NewJoinToken = Pick<
  StoredJoinToken,
  'roles' | 'labels' | 'created' | 'createdBy' | 'expires' | 'maxUses' | 'offers' | 'group'
> &
  Partial<Pick<StoredJoinToken, 'allow' | 'matcherLabels' | 'hosts' | 'method'>>;

const storedRoles = z.array(z.enum(Object.keys(JOIN_ROLES) as [JoinRole, ...JoinRole[]]));
const storedLabels = z.record(z.string(), z.string());
const storedHosts = z.array(z.string());
const storedMethod = z.enum(JOIN_METHODS);

export async function insertJoinToken(tx: Tx, secret: string, given: NewJoinToken): Promise<StoredJoinToken> {
  const row = {
    id: randomUUID(),
    hash: hashToken(secret),
    hint: secret.slice(0, HINT_CHARACTERS),
    roles: writeJson(given.roles),
    labels: writeJson(given.labels),
    created: given.created,
    created_by: given.createdBy,
    expires: given.expires,
    max_uses: given.maxUses ?? null,
    uses: 0,
    offers: writeJson(given.offers),
    token_group: given.group,
    allow_rules: writeJson(given.allow ?? []),
    matcher_labels: writeJson(given.matcherLabels ?? {}),
    hosts: writeJson(given.hosts ?? []),
    method: given.method ?? 'token',
  };
  await tx.insertInto('join_token').values(row).execute();
  return toJoinToken(row);
}

/** By its hash: how long it takes says nothing about a secret that is nearly right. */
export async function findJoinToken(db: Db, secret: string): Promise<StoredJoinToken | undefined> {
  const row = await db.selectFrom('join_token').selectAll().where('hash', '=', hashToken(secret)).executeTakeFirst();
  return row && toJoinToken(row);
}

/** Also one that lets nobody in any more, for a while. */
export async function findJoinTokenById(db: Db, id: string): Promise<StoredJoinToken | undefined> {
  const row = await db.selectFrom('join_token').selectAll().where('id', '=', id).executeTakeFirst();
  return row && toJoinToken(row);
}

/** Those that still let somebody in. */
export async function listJoinTokens(db: Db, now: number): Promise<StoredJoinToken[]> {
  const rows = await db
    .selectFrom('join_token')
    .selectAll()
    .where('expires', '>', now)
    .where((builder) => builder.or([builder('max_uses', 'is', null), builder('uses', '<', builder.ref('max_uses'))]))
    .orderBy('expires')
    .orderBy('id')
    .execute();
  return rows.map(toJoinToken);
}

export async function deleteJoinToken(tx: Tx, id: string): Promise<StoredJoinToken | undefined> {
  const row = await tx.deleteFrom('join_token').where('id', '=', id).returningAll().executeTakeFirst();
  return row && toJoinToken(row);
}

/** A token that names nothing under this path yet is for this one from now on. False when it names another by now. */
export async function bindName(db: Db, id: string, path: string, name: string): Promise<boolean> {
  const row = await db.selectFrom('join_token').select('offers').where('id', '=', id).executeTakeFirst();
  if (!row) return false;
  const offers = tokenOffers.parse(readJson(row.offers));
  const bound = patternsIn(offers, path);
  if (bound !== undefined) return bound.includes(name);
  const { numUpdatedRows } = await db
    .updateTable('join_token')
    .set({ offers: writeJson({ ...offers, [path]: [name] }) })
    .where('id', '=', id)
    // Another gateway may have bound it since it was read: the first stays.
    .where('offers', '=', row.offers)
    .executeTakeFirst();
  return Number(numUpdatedRows) > 0 || (await bindName(db, id, path, name));
}

/** `first` and `again` let a key in. `spent`: no use is left, or the token was taken back meanwhile. */
export async function countUse(tx: Tx, token: string, key: string, now: number): Promise<'first' | 'again' | 'spent'> {
  const before = await tx
    .selectFrom('join_token_use')
    .select('time')
    .where('token', '=', token)
    .where('key', '=', key)
    .executeTakeFirst();
  if (before) return 'again';
  const { numUpdatedRows } = await tx
    .updateTable('join_token')
    .set((builder) => ({ uses: builder('uses', '+', 1) }))
    .where('id', '=', token)
    .where((builder) => builder.or([builder('max_uses', 'is', null), builder('uses', '<', builder.ref('max_uses'))]))
    .executeTakeFirst();
  if (Number(numUpdatedRows) === 0) return 'spent';
  await tx.insertInto('join_token_use').values({ token, key, time: now }).execute();
  return 'first';
}

export async function sweepJoinTokens(db: Db, now: number): Promise<void> {
  await db
    .deleteFrom('join_token')
    .where('expires', '<', now - KEEP_EXPIRED_MS)
    .execute();
}

function toJoinToken(row: Selectable<Tables['join_token']>): StoredJoinToken {
  return {
    id: row.id,
    hint: row.hint,
    roles: storedRoles.parse(readJson(row.roles)),
    labels: storedLabels.parse(readJson(row.labels)),
    created: row.created,
    createdBy: row.created_by,
    expires: row.expires,
    maxUses: row.max_uses ?? undefined,
    uses: row.uses,
    offers: tokenOffers.parse(readJson(row.offers)),
    group: row.token_group,
    allow: z.array(allowRule).parse(readJson(row.allow_rules)),
    matcherLabels: matcherLabels.parse(readJson(row.matcher_labels)),
    hosts: storedHosts.parse(readJson(row.hosts)),
    method: storedMethod.parse(row.method),
  };
}
