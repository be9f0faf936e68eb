import { startPostgres, type TestPostgres } from '@gatehouse/testkit/postgres';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { changeFeedContract } from '../../../../testing/changes/change-feed-contract.ts';
import { secretsContract } from '../../../../testing/secrets/secrets-contract.ts';
import { crowdedTableContract } from '../../../../testing/storage/crowded-table-contract.ts';
import { givenByMigrationContract } from '../../../../testing/storage/given-by-migration-contract.ts';
import { namesMigrationContract } from '../../../../testing/storage/names-migration-contract.ts';
import { storageContract } from '../../../../testing/storage/storage-contract.ts';
import { openSuiteStorage, openTestFolder } from '../../../../testing/storage/test-folder.ts';
import { openChangeFeed } from '../../change-feed/change-feed.ts';
import { publish } from '../../change-feed/publish.ts';
import { silentLog } from '../../std/log.ts';
import { StartError } from '../../std/start-error.ts';
import { isStoreDown } from '../errors.ts';
import type { Migration } from '../migrate.ts';
import { MIGRATIONS } from '../migrations.ts';
import { openStorage } from '../open-storage.ts';
import type { Storage } from '../storage.ts';
import { openPostgresStorage } from './postgres-storage.ts';

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.stop());

const onNewDatabase = async () => openSuiteStorage(await postgres.createDatabase());

describe('PostgreSQL', () => storageContract(onNewDatabase));
const onOldDatabase = async () => {
  const url = await postgres.createDatabase();
  return (migrations: readonly Migration[]) => openPostgresStorage(url, { migrations, log: silentLog, now: Date.now });
};
describe('names from before on PostgreSQL', () => namesMigrationContract(onOldDatabase));
describe('users of connectors from before on PostgreSQL', () => givenByMigrationContract(onOldDatabase));
describe('tables that strangers fill, on PostgreSQL', () => crowdedTableContract(onNewDatabase));
describe('the change feed on PostgreSQL', () => changeFeedContract(onNewDatabase));
describe('secrets on PostgreSQL', () => secretsContract(onNewDatabase));

async function openGateway(url: string): Promise<Storage> {
  const storage = await openStorage({ url, dataDir: openTestFolder(), log: silentLog, now: Date.now });
  onTestFinished(() => storage.close());
  return storage;
}

async function follow(storage: Storage) {
  const feed = await openChangeFeed({ storage, log: silentLog, now: Date.now });
  onTestFinished(() => feed.close());
  const heard: string[] = [];
  feed.subscribe(['t'], { change: (change) => void heard.push(change.id), gap: () => void heard.push('gap') });
  return { feed, heard };
}

const say = (storage: Storage, id: string) => storage.db.transaction().execute((tx) => publish(tx, { topic: 't', id }));

test('gateways that start together migrate once and are one cluster', async () => {
  const url = await postgres.createDatabase();

  const gateways = await Promise.all([openGateway(url), openGateway(url), openGateway(url)]);

  expect(new Set(gateways.map((gateway) => gateway.cluster.clusterId)).size).toBe(1);
  const applied = await gateways[0]!.db.selectFrom('migration').selectAll().execute();
  expect(applied).toHaveLength(MIGRATIONS.length);
});

test('a gateway hears what another has committed by its notice, without looking by itself', async () => {
  const url = await postgres.createDatabase();
  const [ann, bob] = await Promise.all([openGateway(url), openGateway(url)]);
  // The feed also looks once a second: this one never does.
  vi.useFakeTimers({ toFake: ['setInterval'] });
  const { heard } = await follow(bob).finally(() => vi.useRealTimers());
  await listening(bob);

  for (const id of ['one', 'two', 'three', 'four', 'five']) {
    await say(ann, id);
    await vi.waitFor(() => expect(heard.at(-1)).toBe(id), { timeout: 10_000, interval: 2 });
  }

  expect(heard).toEqual(['one', 'two', 'three', 'four', 'five']);
});

test('a change that commits late is heard after those that overtook it', async () => {
  const url = await postgres.createDatabase();
  const [ann, bob] = await Promise.all([openGateway(url), openGateway(url)]);
  const { feed, heard } = await follow(bob);
  const published = Promise.withResolvers<void>();
  const commit = Promise.withResolvers<void>();

  const late = ann.db.transaction().execute(async (tx) => {
    await publish(tx, { topic: 't', id: 'late' });
    published.resolve();
    await commit.promise;
  });
  await published.promise;
  await say(ann, 'early');
  await vi.waitFor(() => expect(heard).toEqual(['early']), { timeout: 1_000 });
  commit.resolve();
  await late;
  await vi.waitFor(() => expect(heard).toEqual(['early', 'late']), { timeout: 1_000 });

  await feed.settled();
  expect(heard).toEqual(['early', 'late']);
});

test('publishing first and writing later does not deadlock with the opposite order', async () => {
  const { db } = await openGateway(await postgres.createDatabase());
  await db.insertInto('meta').values({ key: 'row', value: '0' }).execute();
  const touch = (handle: Storage['db'], value: string) =>
    handle.updateTable('meta').set({ value }).where('key', '=', 'row').execute();
  const firstPublished = Promise.withResolvers<void>();
  const secondTouched = Promise.withResolvers<void>();

  const first = db.transaction().execute(async (tx) => {
    await publish(tx, { topic: 't', id: 'first' });
    firstPublished.resolve();
    await secondTouched.promise;
    await touch(tx, '1');
  });
  const second = db.transaction().execute(async (tx) => {
    await firstPublished.promise;
    await touch(tx, '2');
    secondTouched.resolve();
    await publish(tx, { topic: 't', id: 'second' });
  });

  await expect(Promise.all([first, second])).resolves.toBeDefined();
});

test('many writers on two gateways: every follower hears everything once and in the same order', async () => {
  const url = await postgres.createDatabase();
  const [ann, bob] = await Promise.all([openGateway(url), openGateway(url)]);
  const [atAnn, atBob] = await Promise.all([follow(ann), follow(bob)]);
  const wanted = Array.from({ length: 100 }, (_, index) => `c${index}`);

  await Promise.all(
    wanted.map((id, index) =>
      (index % 2 ? ann : bob).db.transaction().execute(async (tx) => {
        await publish(tx, { topic: 't', id });
        await sql`select pg_sleep(${Math.random() / 50})`.execute(tx);
      }),
    ),
  );
  await Promise.all([atAnn.feed.settled(), atBob.feed.settled()]);

  expect(atAnn.heard.toSorted()).toEqual(wanted.toSorted());
  expect(atBob.heard).toEqual(atAnn.heard);
});

test('a gateway whose connections are cut hears what it missed, once', async () => {
  const url = await postgres.createDatabase();
  const [ann, bob] = await Promise.all([openGateway(url), openGateway(url)]);
  const { feed, heard } = await follow(bob);
  await listening(bob);
  await say(ann, 'before');
  await vi.waitFor(() => expect(heard).toEqual(['before']));

  const { rows } = await sql<{ cut: number }>`
    select count(pg_terminate_backend(pid)) as cut from pg_stat_activity
    where datname = current_database() and query like 'listen %'`.execute(ann.db);
  await say(ann, 'missed-1');
  await say(ann, 'missed-2');
  await vi.waitFor(() => expect(heard).toHaveLength(3), { timeout: 3_000 });
  await listening(bob);
  await say(ann, 'after');
  await vi.waitFor(() => expect(heard).toHaveLength(4), { timeout: 1_000 });

  expect(rows).toEqual([{ cut: 1 }]);
  await feed.settled();
  expect(heard).toEqual(['before', 'missed-1', 'missed-2', 'after']);
});

test('a connection cut in the middle of a transaction fails that transaction alone', async () => {
  const { db } = await openGateway(await postgres.createDatabase());

  const failing = db.transaction().execute(async (tx) => {
    await tx.insertInto('meta').values({ key: 'cut', value: '1' }).execute();
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(tx);
    await sql`select pg_terminate_backend(${rows[0]!.pid})`.execute(db);
    await new Promise((resolve) => setTimeout(resolve, 100));
    await tx.insertInto('meta').values({ key: 'after', value: '1' }).execute();
  });

  await expect(failing).rejects.toSatisfy(isStoreDown);
  expect(await db.selectFrom('meta').selectAll().where('key', '=', 'cut').execute()).toEqual([]);
});

test('a newer database is refused', async () => {
  const url = await postgres.createDatabase();
  const { db } = await openGateway(url);
  await db.insertInto('migration').values({ number: 9999, name: 'future', applied: 1 }).execute();

  await expect(openGateway(url)).rejects.toThrow('at version 9999-future');
});

test('a server that does not answer is told by its address, without the password', async () => {
  const failing = openGateway('postgres://ann:hunter2@127.0.0.1:1/gatehouse');

  await expect(failing).rejects.toThrow(StartError);
  await expect(failing).rejects.toThrow("the database at '127.0.0.1:1/gatehouse' cannot be reached");
  await expect(failing).rejects.not.toThrow('hunter2');
});

test('a store whose server went away is recognised as down', async () => {
  const own = await startPostgres();
  onTestFinished(() => own.stop());
  const { db } = await openGateway(own.url);

  await own.stop();

  const error = await db
    .selectFrom('meta')
    .selectAll()
    .execute()
    .catch((reason: unknown) => reason);
  expect(isStoreDown(error)).toBe(true);
});

/** Until the gateway's own connection for notices is up. */
async function listening(storage: Storage): Promise<void> {
  await vi.waitFor(
    async () => {
      const { rows } = await sql`
        select 1 from pg_stat_activity where datname = current_database() and query like 'listen %'`.execute(
        storage.db,
      );
      expect(rows.length).toBeGreaterThan(0);
    },
    { timeout: 5_000, interval: 20 },
  );
}
