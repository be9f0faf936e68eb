/** The kept changes: reading on from a position, and dropping the old ones. */
import { sql } from 'kysely';
import { readJson } from '../storage/json.ts';
import { readMeta } from '../storage/meta.ts';
import type { Db } from '../storage/tables.ts';

const PRUNED = 'changes.pruned';
const PRUNE_BATCH = 1_000;

export interface Change {
  /** Grows with every commit; a follower that remembers it can go on from there. */
  position: number;
  topic: string;
  id: string;
  data: unknown;
  time: number;
}

export interface ChangePage {
  changes: Change[];
  /** Changes after the asked position have been dropped meanwhile: whoever asks has missed something. */
  missed: boolean;
}

/** The next changes after a position, in commit order. */
export async function readChanges(db: Db, after: number, limit: number): Promise<ChangePage> {
  // One statement, so that a row cannot be dropped between reading the rows and reading what was dropped.
  const rows = await db
    .selectFrom('change')
    .selectAll()
    .select((eb) => eb.selectFrom('meta').select('value').where('key', '=', PRUNED).as('pruned'))
    .where('position', '>', after)
    .orderBy('position')
    .limit(limit)
    .execute();
  return {
    changes: rows.map(({ position, topic, id, data, time }) => ({
      position,
      topic,
      id,
      data: data === null ? undefined : readJson(data),
      time,
    })),
    missed: Number(rows[0]?.pruned ?? 0) > after,
  };
}

/** The position of the newest change. */
export async function newestPosition(db: Db): Promise<number> {
  const row = await db
    .selectFrom('change')
    .select((eb) => eb.fn.max('position').as('newest'))
    .executeTakeFirst();
  return row?.newest ?? Number((await readMeta(db, PRUNED)) ?? 0);
}

/** Drops what is older than `keepMs` or beyond the newest `keepRows`, but never the newest change. Gives back how many went. */
export async function pruneChanges(db: Db, keep: { keepMs: number; keepRows: number }, now: number): Promise<number> {
  const last = await lastToPrune(db, keep, now);
  let dropped = 0;
  for (let batch = PRUNE_BATCH; last !== undefined && batch === PRUNE_BATCH; ) {
    batch = await db.transaction().execute(async (tx) => {
      const oldest = await tx
        .selectFrom('change')
        .select('position')
        .where('position', '<=', last)
        .orderBy('position')
        .limit(PRUNE_BATCH)
        .execute();
      const end = oldest.at(-1)?.position;
      if (end === undefined) return 0;
      await raisePruned(tx, end);
      await tx.deleteFrom('change').where('position', '<=', end).execute();
      return oldest.length;
    });
    dropped += batch;
  }
  return dropped;
}

async function lastToPrune(
  db: Db,
  { keepMs, keepRows }: { keepMs: number; keepRows: number },
  now: number,
): Promise<number | undefined> {
  const newest = await newestPosition(db);
  const old = await db
    .selectFrom('change')
    .select((eb) => eb.fn.max('position').as('position'))
    .where('time', '<', now - keepMs)
    .executeTakeFirst();
  const surplus = await db
    .selectFrom('change')
    .select('position')
    .orderBy('position', 'desc')
    .offset(Math.max(keepRows, 1))
    .limit(1)
    .executeTakeFirst();
  const last = Math.max(old?.position ?? 0, surplus?.position ?? 0);
  // The newest stays as the witness from which a late reader learns that it missed the others.
  return last === 0 ? undefined : Math.min(last, newest - 1);
}

/** Two gateways may prune at once; the mark only ever rises. */
async function raisePruned(db: Db, position: number): Promise<void> {
  await db
    .insertInto('meta')
    .values({ key: PRUNED, value: String(position) })
    .onConflict((conflict) =>
      conflict
        .column('key')
        .doUpdateSet({ value: String(position) })
        .where(sql<number>`cast(meta.value as bigint)`, '<', position),
    )
    .execute();
}
