import { dbQuery } from '@gatehouse/contract/kinds/db/db-events';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openMemoryStorage } from '../../../testing/storage/memory-storage.ts';
import { silentLog } from '../std/log.ts';
import type { Storage } from '../storage/storage.ts';
import { verifyChain } from './chain.ts';
import { type EventStream, openEventStream } from './event-stream.ts';

const ABOUT = { user: 'ann', sid: 's1', db_service: 'shop', db_protocol: 'postgres', db_uri: 'localhost:5432' };
let storage: Storage;
let events: EventStream;

beforeEach(async () => {
  storage = await openMemoryStorage(() => 1);
  const named = { now: () => 1, clusterName: 'c1', chain: 'g1' };
  events = openEventStream({ ...named, db: storage.db, queue: undefined, strict: true, log: silentLog });
});
afterEach(async () => {
  await events.close();
  await storage.close();
});

/** Those of one turn share a commit. */
async function tell(queries: readonly string[]): Promise<void> {
  const statement = { door: 'native', n: 1 };
  await Promise.all(
    queries.map((db_query) =>
      events.write(dbQuery, { ...ABOUT, db_labels: {}, statement, db_query, success: true }, {}),
    ),
  );
}

test('of those that are written together, each is found by its own words', async () => {
  const { db } = storage;
  const all = Array.from({ length: 151 }, (_, n) => `select "é" as own${n}`);
  await tell(all.slice(0, 1));
  await tell(all.slice(1, 4));
  // The highest is gone: its number is given to nobody else.
  await db.deleteFrom('event').where('chain_index', '=', 4).execute();
  await tell(all.slice(4));

  for (const [n, query] of all.entries()) {
    const found = await sql<{ data: string }>`select data from event_words join event on event.id = event_words.rowid
      where event_words match ${`"own${n}"`}`.execute(db);
    expect(found.rows.map(({ data }) => JSON.parse(data).db_query)).toEqual(n === 3 ? [] : [query]);
  }
});

test('what is long, or of other letters, is kept and chained as it was told', async () => {
  const { db } = storage;
  await tell(['select 1', `select '${'x'.repeat(9_000)}'`, "select 'naïve \"\n\0'", '']);

  expect(await verifyChain(db, 'g1')).toEqual({ ok: true, length: 4 });
  const rows = await db.selectFrom('event').select('data').orderBy('id').execute();
  const told = rows.map(({ data }) => String(JSON.parse(data).db_query));
  expect([told[0], told[2], told[3]]).toEqual(['select 1', "select 'naïve \"\n\ufffd'", '']);
  expect(told[1]).toContain('… (9009 characters)');
});
