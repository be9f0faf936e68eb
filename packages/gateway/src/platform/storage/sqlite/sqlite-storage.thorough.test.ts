import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import { sql } from 'kysely';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { givenByMigrationContract } from '../../../../testing/storage/given-by-migration-contract.ts';
import { namesMigrationContract } from '../../../../testing/storage/names-migration-contract.ts';
import { openTestFolder } from '../../../../testing/storage/test-folder.ts';
import { silentLog } from '../../std/log.ts';
import { StartError } from '../../std/start-error.ts';
import { isStoreDown } from '../errors.ts';
import type { Migration } from '../migrate.ts';
import { MIGRATIONS } from '../migrations.ts';
import { openStorage } from '../open-storage.ts';
import { openSqliteStorage } from './sqlite-storage.ts';

const OPTIONS = { log: silentLog, now: Date.now };

const extra: Migration = {
  number: MIGRATIONS.at(-1)!.number + 1,
  name: 'extra',
  async up(db) {
    await sql`create table extra (id integer primary key)`.execute(db);
  },
};

async function open(dataDir = openTestFolder()) {
  const storage = await openStorage({ dataDir, ...OPTIONS });
  onTestFinished(() => storage.close());
  return storage;
}

test('the data folder and the database are for their owner alone', async () => {
  const dataDir = join(openTestFolder(), 'deep', 'data');
  await open(dataDir);

  expect(statSync(dataDir).mode & 0o777).toBe(0o700);
  for (const file of ['gatehouse.db', 'gatehouse.db-wal', 'gatehouse.pid', 'gatehouse.lock', 'cluster.json']) {
    expect([file, statSync(join(dataDir, file)).mode & 0o777]).toEqual([file, 0o600]);
  }
});

test('a data folder that cannot be used is told by its name', async () => {
  const file = join(openTestFolder(), 'file');
  writeFileSync(file, '');

  await expect(open(file)).rejects.toThrow(StartError);
  await expect(open(join(file, 'below'))).rejects.toThrow(`the data folder '${join(file, 'below')}' cannot be used`);
});

test('a file that is no database is told by its name', async () => {
  const dataDir = openTestFolder();
  writeFileSync(join(dataDir, 'gatehouse.db'), 'something else entirely, '.repeat(100));

  await expect(open(dataDir)).rejects.toThrow(
    /the database '.*gatehouse\.db' cannot be opened: file is not a database/,
  );
});

test('a second gateway on the same data folder is refused with the process of the first', async () => {
  const dataDir = openTestFolder();
  const first = await open(dataDir);

  await expect(open(dataDir)).rejects.toThrow(`in use by another gateway (process ${process.pid})`);

  await first.close();
  const { cluster } = await open(dataDir);
  expect(cluster).toEqual(first.cluster);
});

test('a database of a newer version is refused and left alone', async () => {
  const dataDir = openTestFolder();
  const newer = await openSqliteStorage(dataDir, { migrations: [...MIGRATIONS, extra], ...OPTIONS });
  await newer.close();

  const failing = open(dataDir);

  await expect(failing).rejects.toThrow(StartError);
  await expect(failing).rejects.toThrow(/at version \d{4}-extra, .* knows versions up to \d{4}-/);
});

test('a database of another lineage is refused', async () => {
  const dataDir = openTestFolder();
  const foreign = { ...extra, name: 'foreign' };
  await (await openSqliteStorage(dataDir, { migrations: [...MIGRATIONS, foreign], ...OPTIONS })).close();

  const failing = openSqliteStorage(dataDir, { migrations: [...MIGRATIONS, extra], ...OPTIONS });

  await expect(failing).rejects.toThrow('do not belong together');
});

test('an older database is copied before it is migrated, and five copies are kept', async () => {
  const dataDir = openTestFolder();
  const old = await open(dataDir);
  await old.db.insertInto('meta').values({ key: 'mine', value: 'kept' }).execute();
  await old.close();
  const backups = join(dataDir, 'backups');
  expect(existsSync(backups)).toBe(false);
  mkdirSync(backups);
  for (let day = 1; day <= 6; day++)
    writeFileSync(join(backups, `gatehouse-before-0001-2020010${day}T000000000Z.db`), '');

  const newer = await openSqliteStorage(dataDir, { migrations: [...MIGRATIONS, extra], ...OPTIONS });
  await newer.close();

  const copies = readdirSync(backups).sort();
  expect(copies).toHaveLength(5);
  const copy = new DatabaseSync(join(backups, copies.find((name) => !name.includes('2020'))!));
  onTestFinished(() => copy.close());
  expect(copy.prepare("select value from meta where key = 'mine'").get()).toEqual({ value: 'kept' });
  expect(copy.prepare("select count(*) as n from sqlite_master where name = 'extra'").get()).toEqual({ n: 0 });
});

test('a migration that fails leaves the database as it was', async () => {
  const dataDir = openTestFolder();
  await (await open(dataDir)).close();
  const failing: Migration = {
    ...extra,
    async up(db) {
      await sql`create table half_done (id integer)`.execute(db);
      throw new Error('no further');
    },
  };

  await expect(openSqliteStorage(dataDir, { migrations: [...MIGRATIONS, failing], ...OPTIONS })).rejects.toThrow(
    'no further',
  );

  const { db } = await open(dataDir);
  const { rows } = await sql`select name from sqlite_master where name = 'half_done'`.execute(db);
  expect(rows).toEqual([]);
});

test('a slow query holds up neither the event loop nor other reads', async () => {
  const { db } = await open();
  const done: string[] = [];
  let ticks = 0;
  const timer = setInterval(() => ticks++, 5);
  onTestFinished(() => clearInterval(timer));

  const slow =
    sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < 2000000) select max(i) from n`
      .execute(db)
      .then(() => done.push('slow'));
  const quick = db
    .selectFrom('meta')
    .selectAll()
    .execute()
    .then(() => done.push('quick'));
  await Promise.all([slow, quick]);

  expect(done).toEqual(['quick', 'slow']);
  expect(ticks).toBeGreaterThan(5);
});

test('a query without a limit is refused before it fills the memory', async () => {
  const { db } = await open();

  const failing = sql`with recursive n(i) as (select 1 union all select i + 1 from n) select i from n`.execute(db);

  await expect(failing).rejects.toThrow('read it in pages');
});

test('a thread that dies rejects what waits for it and says that the store is lost', async () => {
  const spy = vi.spyOn(Worker.prototype, 'postMessage');
  onTestFinished(() => spy.mockRestore());
  const { db, failed } = await open();
  const writer = spy.mock.contexts[0] as Worker;
  const waiting =
    sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < 3000000) select max(i) from n`
      .execute(db)
      .catch((error: unknown) => error);
  await vi.waitFor(() => expect(spy).toHaveBeenLastCalledWith([expect.objectContaining({ type: 'alone' })]));

  await writer.terminate();

  expect(isStoreDown(await waiting)).toBe(true);
  expect(await failed).toBeInstanceOf(Error);
  await expect(db.deleteFrom('meta').execute()).rejects.toThrow("the store's thread ended");
});

test('calls after the close fail instead of hanging', async () => {
  const storage = await open();
  await storage.close();

  await expect(storage.db.selectFrom('meta').selectAll().execute()).rejects.toThrow('the store is closed');
});

const inOldFile = async () => {
  const folder = openTestFolder();
  return (migrations: readonly Migration[]) => openSqliteStorage(folder, { migrations, ...OPTIONS });
};
describe('names from before in a file', () => namesMigrationContract(inOldFile));
describe('users of connectors from before in a file', () => givenByMigrationContract(inOldFile));
