/** The signed ends of all chains, as they are kept. */
import { type CheckpointBody, checkpointBody } from '@gatehouse/contract/audit/checkpoint';
import type { SignedCheckpoint } from '@gatehouse/contract/audit/search';
import type { Db } from '../storage/tables.ts';
import { isSignedBy } from './signing.ts';

/** Older ones are thinned to one an hour: between two of them the chain itself proves as much. */
const KEEP_ALL_MS = 2 * 86_400_000;
const HOUR_MS = 3_600_000;

export async function newestCheckpoint(db: Db): Promise<SignedCheckpoint | undefined> {
  return await db
    .selectFrom('event_checkpoint')
    .select(['body', 'signature'])
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** Those that are really signed, oldest first. */
export async function checkpointsSince(db: Db, time: number, publicKey: string): Promise<CheckpointBody[]> {
  const rows = await db
    .selectFrom('event_checkpoint')
    .select(['body', 'signature'])
    .where('time', '>=', time)
    .orderBy('number')
    .limit(20_000)
    .execute();
  return rows.filter((row) => isSignedBy(row, publicKey)).map(({ body }) => checkpointBody.parse(JSON.parse(body)));
}

export async function thinCheckpoints(db: Db, now: number): Promise<void> {
  const kept = db
    .selectFrom('event_checkpoint')
    .select((eb) => eb.fn.max('number').as('number'))
    .groupBy((eb) => eb('time', '/', HOUR_MS))
    .where('time', '<', now - KEEP_ALL_MS);
  await db
    .deleteFrom('event_checkpoint')
    .where('time', '<', now - KEEP_ALL_MS)
    .where('number', 'not in', kept)
    .execute();
}
