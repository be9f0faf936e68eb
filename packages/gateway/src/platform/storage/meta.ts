/** Facts about the database itself, by name. */
import type { Db } from './tables.ts';

export async function readMeta(db: Db, key: string): Promise<string | undefined> {
  const row = await db.selectFrom('meta').select('value').where('key', '=', key).executeTakeFirst();
  return row?.value;
}

export async function writeMeta(db: Db, key: string, value: string): Promise<void> {
  await db
    .insertInto('meta')
    .values({ key, value })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ value }))
    .execute();
}

/** Writes the value only when there is none, and gives back the one that holds: gateways that start together agree. */
export async function writeMetaOnce(db: Db, key: string, value: string): Promise<string> {
  const held = await readMeta(db, key);
  if (held !== undefined) return held;
  await db
    .insertInto('meta')
    .values({ key, value })
    .onConflict((conflict) => conflict.column('key').doNothing())
    .execute();
  return (await readMeta(db, key))!;
}

const PROBE_KEY = 'write-probe';
/** What is small fits into pages that are there already, and says nothing of a disk that is full. */
const PROBE_LENGTH = 64 * 1024;

/** Resolves when something of a usual size could be written; nothing of it stays. */
export async function probeWrite(db: Db): Promise<void> {
  await writeMeta(db, PROBE_KEY, 'x'.repeat(PROBE_LENGTH));
  await db.deleteFrom('meta').where('key', '=', PROBE_KEY).execute();
}
