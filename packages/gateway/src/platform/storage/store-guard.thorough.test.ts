import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { openTestFolder } from '../../../testing/storage/test-folder.ts';
import { silentLog } from '../std/log.ts';
import { StartError } from '../std/start-error.ts';
import { openStorage } from './open-storage.ts';
import type { StoreConsent } from './store-guard.ts';

const open = async (dataDir: string, consent: StoreConsent = {}) => {
  const storage = await openStorage({ dataDir, log: silentLog, now: Date.now, consent });
  onTestFinished(() => storage.close());
  return storage;
};

/** As a gateway leaves its folder. */
async function usedFolder(): Promise<{ dataDir: string; clusterId: string }> {
  const dataDir = openTestFolder();
  const { cluster, close } = await open(dataDir);
  await close();
  writeFileSync(join(dataDir, 'secrets.key'), 'key');
  mkdirSync(join(dataDir, 'recordings'));
  writeFileSync(join(dataDir, 'recordings', 'one.rec'), 'recording');
  return { dataDir, clusterId: cluster.clusterId };
}

const refused = async (dataDir: string): Promise<string> => {
  const before = readdirSync(dataDir).toSorted();
  const error = await open(dataDir).then(
    () => new Error('it was opened'),
    (failed: Error) => failed,
  );
  expect(error).toBeInstanceOf(StartError);
  // Twice: what the first attempt leaves behind must not let the second pass.
  await expect(open(dataDir)).rejects.toThrow(StartError);
  const left = readdirSync(dataDir).filter((name) => !/-wal$|-shm$|\.lock$/.test(name));
  expect(left.toSorted()).toEqual(before.filter((name) => !/-wal$|-shm$|\.lock$/.test(name)));
  return error.message;
};

test.each([
  ['missing', (file: string) => rmSync(file)],
  ['emptied', (file: string) => truncateSync(file)],
  [
    'new',
    (file: string) => {
      rmSync(file);
      const database = new DatabaseSync(file);
      database.exec('pragma journal_mode=wal; vacuum');
      database.close();
    },
  ],
])('a %s database where a gateway has run is refused, with what to do', async (_, spoil) => {
  const { dataDir, clusterId } = await usedFolder();
  spoil(join(dataDir, 'gatehouse.db'));

  const words = await refused(dataDir);

  expect(words).toContain(`'${join(dataDir, 'gatehouse.db')}' is empty or missing`);
  expect(words).toContain('secrets.key, recordings');
  expect(words).toContain(clusterId);
  expect(words).toContain('gatehouse start --new-cluster');
});

test.each(['secrets.key', 'audit-signed', 'gateway-id', 'gatehouse.db'])(
  'a folder that holds nothing but %s is not begun anew',
  async (name) => {
    const dataDir = openTestFolder();
    writeFileSync(join(dataDir, name), '');

    expect(await refused(dataDir)).toContain('--new-cluster');
  },
);

test('a database copied from under a gateway without its log is refused, with it accepted', async () => {
  const dataDir = openTestFolder();
  const { db, cluster } = await open(dataDir);
  await db.insertInto('meta').values({ key: 'late', value: 'x' }).execute();
  const [bare, whole] = [openTestFolder(), openTestFolder()];
  for (const to of [bare, whole]) copyFileSync(join(dataDir, 'gatehouse.db'), join(to, 'gatehouse.db'));
  copyFileSync(join(dataDir, 'gatehouse.db-wal'), join(whole, 'gatehouse.db-wal'));

  expect(await refused(bare)).toContain('without gatehouse.db-wal: what was written last is missing');
  expect((await open(bare, { olderStore: true })).cluster).toEqual(cluster);
  const copy = await open(whole);
  expect(await copy.db.selectFrom('meta').select('value').where('key', '=', 'late').execute()).toEqual([
    { value: 'x' },
  ]);
});

test('a database that was stopped cleanly is whole without a log, wherever it is copied', async () => {
  const { dataDir, clusterId } = await usedFolder();
  const to = openTestFolder();
  copyFileSync(join(dataDir, 'gatehouse.db'), join(to, 'gatehouse.db'));

  expect((await open(to)).cluster.clusterId).toBe(clusterId);
});

test('a database that another program closed in its place is whole', async () => {
  const dataDir = openTestFolder();
  const { cluster, close } = await open(dataDir);
  await close();
  // As after a crash of the gateway, when somebody has looked into it.
  const database = new DatabaseSync(join(dataDir, 'gatehouse.db'));
  database.exec("insert into meta values ('store.in-use', '1')");
  database.close();
  expect(existsSync(join(dataDir, 'gatehouse.db-wal'))).toBe(false);

  expect((await open(dataDir)).cluster).toEqual(cluster);
});

test('a first start that was killed goes on', async () => {
  const dataDir = openTestFolder();
  writeFileSync(join(dataDir, 'cluster.json'), '{}\n');
  const database = new DatabaseSync(join(dataDir, 'gatehouse.db'));
  database.exec('pragma journal_mode=wal; vacuum');
  database.close();
  expect(statSync(join(dataDir, 'gatehouse.db')).size).toBeGreaterThan(0);

  await open(dataDir);
});

test('a new cluster begins only where the store is lost, and the rest of the old one is put aside', async () => {
  const { dataDir, clusterId } = await usedFolder();
  const same = await open(dataDir, { newCluster: true });
  expect(same.cluster.clusterId).toBe(clusterId);
  await same.close();
  truncateSync(join(dataDir, 'gatehouse.db'));

  const anew = await open(dataDir, { newCluster: true });

  expect(anew.cluster.clusterId).not.toBe(clusterId);
  const aside = readdirSync(dataDir).find((name) => name.startsWith('before-'))!;
  expect(readdirSync(join(dataDir, aside)).toSorted()).toEqual(['cluster.json', 'gatehouse.db', 'recordings']);
  expect(existsSync(join(dataDir, 'secrets.key'))).toBe(true);
  expect(JSON.parse(readFileSync(join(dataDir, 'cluster.json'), 'utf8'))).toMatchObject({
    clusterId: anew.cluster.clusterId,
  });
});

test('the database of another cluster is refused', async () => {
  const [one, other] = [await usedFolder(), await usedFolder()];
  copyFileSync(join(one.dataDir, 'gatehouse.db'), join(other.dataDir, 'gatehouse.db'));

  expect(await refused(other.dataDir)).toContain(`belongs to another cluster (${one.clusterId})`);
});
