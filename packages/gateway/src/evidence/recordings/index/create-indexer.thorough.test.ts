import { afterEach, beforeEach, expect, test } from 'vitest';
import { type RecordingWorld, startRecordingWorld } from '../../../../testing/recordings/recording-world.ts';
import { silentLog } from '../../../platform/std/log.ts';
import { OutputRate } from '../output-rate.ts';
import type { RecordingStore } from '../stores/recording-store.ts';
import { createIndexer, type Indexer } from './create-indexer.ts';
import { createIndexCache } from './index-cache.ts';
import { findIndexRow } from './index-store.ts';
import { INDEX_VERSION } from './recording-index.ts';

const LONG_AGO_MS = 30 * 86_400_000;

let world: RecordingWorld;
let indexer: Indexer;
let sid: string;
/** How often the recording fails before it can be read, and how often somebody tried. */
let failing: number;
let tries: number;

beforeEach(async () => {
  world = await startRecordingWorld();
  sid = (await world.recorded()).session.id;
  world.clock.now += LONG_AGO_MS;
  failing = 0;
  tries = 0;
});
afterEach(async () => {
  await indexer.close();
  await world.close();
});

function start(where: 'opened' | 'read'): void {
  const isBroken = () => failing > 0 && failing-- > 0;
  const store: RecordingStore = {
    ...world.store,
    async open(wanted) {
      tries += 1;
      const broken = isBroken();
      if (broken && where === 'opened') throw new Error('the bucket is away');
      const source = await world.store.open(wanted);
      return source && broken ? { ...source, read: () => Promise.reject(new Error('the disk is tired')) } : source;
    },
  };
  const { db, now } = world;
  indexer = createIndexer({
    db,
    store,
    cache: createIndexCache(store),
    outputRate: new OutputRate(),
    clusterName: 'main',
    log: silentLog,
    now,
  });
}

test('a recording that was given up is tried as often as any other once the index is of another version', async () => {
  const given = { version: INDEX_VERSION - 1, failures: 3, complete: 0, lines_complete: 1 };
  await world.db
    .insertInto('recording_index')
    .values({ sid, ...given, blocks: 0, bytes: 0, indexed: 0, lease: 0 })
    .execute();
  failing = 2;
  start('read');

  for (let round = 0; round < 3; round += 1) await indexer.settled();

  expect(await findIndexRow(world.db, sid)).toMatchObject({ version: INDEX_VERSION, complete: 1, failures: 0 });
});

test.each(['opened', 'read'] as const)(
  'one that could not be %s is tried again, however long ago it ended',
  async (where) => {
    failing = 2;
    start(where);

    await indexer.settled();
    expect(await findIndexRow(world.db, sid)).toMatchObject({ complete: 0, failures: 1 });
    await indexer.settled();
    await indexer.settled();

    expect(await findIndexRow(world.db, sid)).toMatchObject({ complete: 1, failures: 0, blocks: 1 });
  },
);

test('one that fails every time is given up, and others are not kept waiting', async () => {
  failing = Number.POSITIVE_INFINITY;
  start('read');

  for (let round = 0; round < 5; round += 1) await indexer.settled();
  expect([tries, await findIndexRow(world.db, sid)]).toMatchObject([3, { complete: 0, failures: 3 }]);

  failing = 0;
  const next = (await world.recorded()).session.id;
  await indexer.settled();
  expect(await findIndexRow(world.db, next)).toMatchObject({ complete: 1 });
  expect(tries).toBe(4);
});
