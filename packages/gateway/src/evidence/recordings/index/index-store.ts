/** How far each recording is indexed, and the lines it is found by, in the store. */
import type { ExpressionBuilder, Selectable } from 'kysely';
import { sql } from 'kysely';
import { isPostgres } from '../../../platform/storage/named-lock.ts';
import type { Db, Tables, Tx } from '../../../platform/storage/tables.ts';
import type { StoredBlock } from './line-blocks.ts';
import { INDEX_VERSION } from './recording-index.ts';
import type { Checkpoint } from './thread-messages.ts';

/** Ids of blocks: the number of the recording, then the block's own. */
const BLOCK_BITS = 12;
const MAX_FAILURES = 3;
const PER_STATEMENT = 32;

export type IndexRow = Selectable<Tables['recording_index']>;

export interface WaitingRecording {
  sid: string;
  running: boolean;
}

export function firstBlockId(number: number): number {
  return number * 2 ** BLOCK_BITS;
}

export async function findIndexRow(db: Db, sid: string): Promise<IndexRow | undefined> {
  return await db.selectFrom('recording_index').selectAll().where('sid', '=', sid).executeTakeFirst();
}

/**
 * Ended sessions whose recording has not been read to its end, newest first, and running ones that were not looked at for a
 * while.
 */
export async function listWaiting(
  db: Db,
  { cluster, endedSince, runningBefore, now, limit }: WaitingQuery,
): Promise<WaitingRecording[]> {
  const rows = await db
    .selectFrom('session')
    .leftJoin('recording_index', 'recording_index.sid', 'session.id')
    .select(['session.id', 'session.ended'])
    .where('session.cluster', '=', cluster)
    .where('session.recorded', '=', 1)
    .where((eb) => eb.or([eb('session.ended', 'is', null), eb('session.ended', '>=', endedSince)]))
    .where((eb) =>
      eb.or([
        eb('recording_index.sid', 'is', null),
        eb('recording_index.version', '!=', INDEX_VERSION),
        eb.and([
          eb('recording_index.complete', '=', 0),
          eb('recording_index.failures', '<', MAX_FAILURES),
          eb('recording_index.lease', '<=', now),
          eb.or([eb('session.ended', 'is not', null), eb('recording_index.indexed', '<=', runningBefore)]),
        ]),
      ]),
    )
    .orderBy(sql`case when session.ended is null then 1 else 0 end`)
    .orderBy('session.ended', 'desc')
    .limit(limit)
    .execute();
  return rows.map(({ id, ended }) => ({ sid: id, running: ended === null }));
}

export interface WaitingQuery {
  cluster: string;
  endedSince: number;
  runningBefore: number;
  now: number;
  limit: number;
}

/** Undefined: another gateway is at it. */
export async function takeLease(
  db: Db,
  sid: string,
  { now, leaseMs }: { now: number; leaseMs: number },
): Promise<IndexRow | undefined> {
  const lease = now + leaseMs;
  const fresh = {
    version: INDEX_VERSION,
    blocks: 0,
    complete: 0,
    lines_complete: 1,
    bytes: 0,
    indexed: 0,
    failures: 0,
  };
  return await db
    .insertInto('recording_index')
    .values({ ...fresh, sid, lease })
    .onConflict((conflict) => conflict.column('sid').doUpdateSet({ lease }).where('recording_index.lease', '<=', now))
    .returningAll()
    .executeTakeFirst();
}

export async function keepBlocks(
  tx: Tx,
  row: Pick<IndexRow, 'number' | 'sid'>,
  checkpoint: Checkpoint,
  { now, bytes, leaseMs }: { now: number; bytes: number; leaseMs: number },
): Promise<void> {
  const first = firstBlockId(row.number) + checkpoint.firstBlock;
  await removeBlocks(tx, row.number, checkpoint.firstBlock);
  const blocks = checkpoint.fresh.map((block, index) => ({ ...block, id: first + index }));
  for (let at = 0; at < blocks.length; at += PER_STATEMENT)
    await insertBlocks(tx, blocks.slice(at, at + PER_STATEMENT));
  await tx
    .updateTable('recording_index')
    .set({
      version: INDEX_VERSION,
      blocks: checkpoint.blocks,
      complete: checkpoint.complete ? 1 : 0,
      lines_complete: checkpoint.linesComplete ? 1 : 0,
      bytes,
      indexed: now,
      failures: 0,
      lease: checkpoint.complete ? 0 : now + leaseMs,
    })
    .where('number', '=', row.number)
    .execute();
}

export interface LeaseOutcome {
  failed?: boolean;
  /** There is no recording, and will be none. */
  absent?: boolean;
}

/** Nothing more is to be done for now. */
export async function giveLease(db: Db, number: number, outcome: LeaseOutcome & { now: number }): Promise<void> {
  await db
    .updateTable('recording_index')
    .set((eb) => ({
      lease: 0,
      indexed: outcome.now,
      // Not tried for ever; but what another version failed at says nothing about this one.
      ...(outcome.failed ? { failures: oneMoreFailure(eb), version: INDEX_VERSION } : {}),
      ...(outcome.absent ? { complete: 1, version: INDEX_VERSION } : {}),
    }))
    .where('number', '=', number)
    .execute();
}

function oneMoreFailure(eb: ExpressionBuilder<Tables, 'recording_index'>) {
  return eb
    .case()
    .when('version', '=', INDEX_VERSION)
    .then(eb('failures', '+', 1))
    .else(1)
    .end();
}

export async function dropLeases(db: Db): Promise<void> {
  await db.updateTable('recording_index').set({ lease: 0 }).where('lease', '>', 0).execute();
}

/** Of recordings that are gone: nothing in them is found any more. */
export async function forgetRecordings(db: Db | Tx, sids: readonly string[]): Promise<void> {
  for (const sid of sids) {
    const row = await findIndexRow(db, sid);
    if (!row) continue;
    await removeBlocks(db, row.number, 0);
    await db.updateTable('recording_index').set({ blocks: 0, complete: 1 }).where('number', '=', row.number).execute();
  }
}

/** Retention took them away and nobody has said so here. */
export async function listRemoved(db: Db, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('recording')
    .innerJoin('recording_index', 'recording_index.sid', 'recording.sid')
    .select('recording.sid')
    .where('recording.state', '=', 'removed')
    .where('recording_index.blocks', '>', 0)
    .limit(limit)
    .execute();
  return rows.map(({ sid }) => sid);
}

export async function readBlocks(
  db: Db,
  number: number,
  from = 0,
  limit = 256,
): Promise<{ id: number; lines: Uint8Array }[]> {
  const first = firstBlockId(number);
  return await db
    .selectFrom('recording_block')
    .select(['id', 'lines'])
    .where('id', '>=', first + from)
    .where('id', '<', first + 2 ** BLOCK_BITS)
    .orderBy('id')
    .limit(limit)
    .execute();
}

async function removeBlocks(db: Db | Tx, number: number, from: number): Promise<void> {
  const first = firstBlockId(number);
  await db
    .deleteFrom('recording_block')
    .where('id', '>=', first + from)
    .where('id', '<', first + 2 ** BLOCK_BITS)
    .execute();
}

async function insertBlocks(tx: Tx, blocks: readonly (StoredBlock & { id: number })[]): Promise<void> {
  if (isPostgres(tx)) {
    const rows = blocks.map(({ id, lines, words }) => ({
      id,
      lines,
      words: sql`array_to_tsvector(${words}::text[])`,
    }));
    await tx.insertInto('recording_block').values(rows).execute();
    return;
  }
  await tx
    .insertInto('recording_block')
    .values(blocks.map(({ id, lines }) => ({ id, lines })))
    .execute();
  await tx
    .insertInto('recording_words')
    .values(blocks.map(({ id, words }) => ({ rowid: id, words: words.join(' ') })))
    .execute();
}
