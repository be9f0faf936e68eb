/** Refused calls in the store: for a while, and never more than a bounded number of them. */
import { type Denial, denial } from '@gatehouse/contract/access/explain/denials';
import { readJson, writeJson } from '../../platform/storage/json.ts';
import type { Db } from '../../platform/storage/tables.ts';

export const KEEP_DENIAL_MS = 30 * 86_400_000;
const MAX_KEPT = 20_000;

const told = denial.omit({ id: true, time: true, expires: true, user: true });
export type NewDenial = Omit<Denial, 'time' | 'expires'>;

export async function insertDenial(db: Db, { id, user, ...data }: NewDenial, now: number): Promise<void> {
  await db
    .insertInto('denial')
    .values({ id, user, time: now, expires: now + KEEP_DENIAL_MS, data: writeJson(data) })
    .execute();
}

export async function findDenial(db: Db, id: string, now: number): Promise<Denial | undefined> {
  const row = await db
    .selectFrom('denial')
    .selectAll()
    .where('id', '=', id)
    .where('expires', '>', now)
    .executeTakeFirst();
  if (!row) return undefined;
  return {
    ...told.parse(readJson(row.data)),
    id: row.id,
    user: row.user,
    time: new Date(row.time).toISOString(),
    expires: new Date(row.expires).toISOString(),
  };
}

/** Takes away what has run out, and the oldest beyond the number that is kept. */
export async function sweepDenials(db: Db, now: number): Promise<void> {
  await db.deleteFrom('denial').where('expires', '<=', now).execute();
  const oldest = await db
    .selectFrom('denial')
    .select('time')
    .orderBy('time', 'desc')
    .offset(MAX_KEPT)
    .limit(1)
    .executeTakeFirst();
  if (oldest) await db.deleteFrom('denial').where('time', '<=', oldest.time).execute();
}
