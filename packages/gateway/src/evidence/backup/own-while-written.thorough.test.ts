/** A backup is for its owner alone from the first byte on: somebody looks all the while, from another thread. */
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { formatMasterKeys, newMasterKey } from '../../platform/secrets/master-key.ts';
import { restoreBackup } from './restore-backup.ts';
import { takeBackup } from './take-backup.ts';

const WATCH = `
const { readdirSync, lstatSync } = require('node:fs');
const { join } = require('node:path');
const { parentPort, workerData: { folder, over } } = require('node:worker_threads');
const seen = new Set();
parentPort.postMessage('looks');
while (Atomics.load(new Int32Array(over), 0) === 0)
  for (const name of readdirSync(folder)) {
    const found = lstatSync(join(folder, name), { throwIfNoEntry: false });
    if (found?.isFile()) seen.add(name + ' ' + (found.mode & 0o777).toString(8));
  }
parentPort.postMessage([...seen]);
`;

/** Names with the modes they were seen with, at any moment while the work went on. */
async function modesDuring(folder: string, work: () => Promise<unknown>): Promise<string[]> {
  const over = new SharedArrayBuffer(4);
  const worker = new Worker(WATCH, { eval: true, workerData: { folder, over } });
  const next = () => new Promise((resolve) => worker.once('message', resolve));
  await next();
  const told = next() as Promise<string[]>;
  try {
    await work();
  } finally {
    Atomics.store(new Int32Array(over), 0, 1);
  }
  return (await told).toSorted();
}

const KEY = newMasterKey();
/** Long enough to be seen while it is copied. */
const KEY_TEXT = `${formatMasterKeys([KEY])}${'# kept in the safe\n'.repeat(1_000_000)}`;

let folder: string;
let mask: number;
beforeEach(() => {
  mask = process.umask(0o022);
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-own-'));
  for (const name of ['data', 'backup', 'again']) mkdirSync(join(folder, name));
  for (const name of ['backup', 'again']) chmodSync(join(folder, name), 0o755);
  const database = new DatabaseSync(join(folder, 'data', 'gatehouse.db'));
  database.exec(`
    create table meta (key text primary key, value text);
    insert into meta values ('cluster.id', 'c1'), ('cluster.created', '0'), ('secrets.check', 'v1.${KEY.id}.x');
    create table migration (number integer, name text);
    insert into migration values (1, 'first');
    create table filler (bytes blob);
  `);
  const fill = database.prepare('insert into filler values (?)');
  for (let index = 0; index < 40; index++) fill.run(randomBytes(1 << 20));
  database.close();
  writeFileSync(join(folder, 'safe.key'), KEY_TEXT, { mode: 0o644 });
});
afterEach(() => {
  process.umask(mask);
  rmSync(folder, { recursive: true });
});

test('nothing in a backup, nor what is restored from it, is ever readable to others', async () => {
  const [to, dataDir, keyFile] = [join(folder, 'backup'), join(folder, 'again'), join(folder, 'safe.key')];
  const options = { isRunning: false, withRecordings: false, withKeys: true, now: Date.now() };

  const taken = await modesDuring(to, () => takeBackup({ dataDir: join(folder, 'data'), to, keyFile, ...options }));
  const restored = await modesDuring(dataDir, () => restoreBackup({ from: to, dataDir, keyFile, isDry: false }));

  expect(taken).toEqual(expect.arrayContaining(['gatehouse.db.unfinished 600', 'secrets.key 600']));
  expect(taken.filter((each) => !each.endsWith(' 600'))).toEqual([]);
  expect(restored).toEqual(expect.arrayContaining(['gatehouse.db.unfinished 600', 'secrets.key.unfinished 600']));
  expect(restored.filter((each) => !each.endsWith(' 600'))).toEqual([]);
});
