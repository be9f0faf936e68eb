/** The chain of events: a row changed, removed or put in later no longer fits its neighbours. */
import { hash as digest } from 'node:crypto';
import type { Selectable } from 'kysely';
import { quotedJson } from '../std/canonical-json.ts';
import type { Db, Tables } from '../storage/tables.ts';
import { type Anchor, ChainCheck } from './check-chain.ts';

export const FIRST_HASH = '0'.repeat(64);

export type EventRow = Omit<Selectable<Tables['event']>, 'words'>;
/** All that a hash covers: everything of the row but its number, which the database gives, and the hash itself. */
export type HashedRow = Omit<EventRow, 'id' | 'hash'>;

export const EVENT_COLUMNS = [
  'id',
  'uid',
  'time',
  'event',
  'code',
  'severity',
  'user',
  'sign_in',
  'session',
  'resource_kind',
  'resource_name',
  'address',
  'cluster',
  'data',
  'chain',
  'chain_index',
  'prev_hash',
  'hash',
] as const satisfies readonly (keyof EventRow)[];

/** SHA-256 of the row as JSON with sorted keys. Put together by hand: `data` is such JSON already, and a million are checked at once. */
export function eventHash(row: HashedRow): string {
  const text = quotedJson;
  return digest(
    'sha256',
    `{"address":${text(row.address)},"chain":${text(row.chain)},"chain_index":${row.chain_index}` +
      `,"cluster":${text(row.cluster)},"code":${text(row.code)},"data":${row.data},"event":${text(row.event)}` +
      `,"prev_hash":"${row.prev_hash}","resource_kind":${text(row.resource_kind)}` +
      `,"resource_name":${text(row.resource_name)},"session":${text(row.session)},"severity":${text(row.severity)}` +
      `,"sign_in":${text(row.sign_in)},"time":${row.time},"uid":${text(row.uid)},"user":${text(row.user)}}`,
    'hex',
  );
}

export type ChainVerdict = { ok: true; length: number } | { ok: false; brokenAt: number };

const PAGE = 1_000;

/** Walks one gateway's chain from its beginning to the end the store knows, and says where it does not fit. */
export async function verifyChain(db: Db, chain: string): Promise<ChainVerdict> {
  const known = await db.selectFrom('event_chain').selectAll().where('chain', '=', chain).executeTakeFirst();
  const start: Anchor = { index: known?.start_index ?? 0, hash: known?.start_hash ?? FIRST_HASH };
  const end: Anchor = { index: known?.length ?? 0, hash: known?.hash ?? FIRST_HASH };
  const check = new ChainCheck({ chain, start, anchors: end.index > start.index ? [end] : [] });
  for (let after = start.index; ; ) {
    const rows = await chainRows(db, chain, after, PAGE);
    for (const row of rows) {
      const problem = check.add(row, eventHash(row));
      if (problem) return { ok: false, brokenAt: problem.index };
    }
    const last = rows.at(-1);
    if (!last) break;
    after = last.chain_index;
  }
  const problem = check.end();
  if (problem) return { ok: false, brokenAt: problem.index };
  // More events than the store's own end of the chain knows of were put in from outside.
  return check.last.index === end.index ? { ok: true, length: end.index } : { ok: false, brokenAt: end.index + 1 };
}

export async function chainRows(db: Db, chain: string, after: number, limit: number): Promise<EventRow[]> {
  return await db
    .selectFrom('event')
    .select(EVENT_COLUMNS)
    .where('chain', '=', chain)
    .where('chain_index', '>', after)
    .orderBy('chain_index')
    .limit(limit)
    .execute();
}
