/** The chain of events: a row changed, removed or put in later no longer fits its neighbours. */
import { createHash } from 'node:crypto';
import type { Selectable } from 'kysely';
import { readJson } from '../storage/json.ts';
import type { Db, Tables } from '../storage/tables.ts';
import { canonicalJson } from './canonical-json.ts';

export const FIRST_HASH = '0'.repeat(64);

type HashedColumns = Omit<Selectable<Tables['event']>, 'id' | 'hash' | 'data'>;

/** Covers everything of the row but its number, which the database gives. */
export function eventHash(row: HashedColumns & { data: unknown }): string {
  return createHash('sha256').update(canonicalJson(row)).digest('hex');
}

export type ChainVerdict = { ok: true; length: number } | { ok: false; brokenAt: number };

const PAGE = 1_000;

/** Walks one gateway's chain from its beginning and says where it does not fit. */
export async function verifyChain(db: Db, chain: string): Promise<ChainVerdict> {
  let expected = { index: 1, hash: FIRST_HASH };
  for (;;) {
    const rows = await db
      .selectFrom('event')
      .selectAll()
      .where('chain', '=', chain)
      .where('chain_index', '>=', expected.index)
      .orderBy('chain_index')
      .limit(PAGE)
      .execute();
    for (const { id: _, hash, data, ...row } of rows) {
      const fits = row.chain_index === expected.index && row.prev_hash === expected.hash;
      if (!fits || eventHash({ ...row, data: readJson(data) }) !== hash) return { ok: false, brokenAt: expected.index };
      expected = { index: row.chain_index + 1, hash };
    }
    if (rows.length < PAGE) break;
  }
  const end = await db.selectFrom('event_chain').selectAll().where('chain', '=', chain).executeTakeFirst();
  const whole = (end?.hash ?? FIRST_HASH) === expected.hash && (end?.length ?? 0) === expected.index - 1;
  return whole ? { ok: true, length: expected.index - 1 } : { ok: false, brokenAt: expected.index };
}
