import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { openTestFolder } from '../../../../testing/storage/test-folder.ts';
import { silentLog } from '../../std/log.ts';
import { openStorage } from '../open-storage.ts';

const KILLS = 20;
const WRITER = fileURLToPath(new URL('../../../../testing/storage/crash-writer.ts', import.meta.url));

test('killed twenty times in the middle of writes, the store has lost no acknowledged write', async () => {
  const dataDir = openTestFolder();
  const acknowledged: string[] = [];

  for (let round = 0; round < KILLS; round++) {
    const keys = await writeUntilKilled(dataDir, round);
    expect(keys.length).toBeGreaterThan(0);
    acknowledged.push(...keys);
  }

  const database = new DatabaseSync(join(dataDir, 'gatehouse.db'));
  onTestFinished(() => database.close());
  const stored = new Set(
    database
      .prepare("select key from meta where key like 'crash-%'")
      .all()
      .map((row) => row.key),
  );
  const published = new Set(
    database
      .prepare('select id from change')
      .all()
      .map((row) => row.id),
  );
  const inTransactions = acknowledged.filter((key) => /-[cd]-/.test(key));
  expect(acknowledged.filter((key) => !stored.has(key))).toEqual([]);
  expect(inTransactions.filter((key) => !published.has(key))).toEqual([]);
  expect([...stored].filter((key) => /-[cd]-/.test(String(key)) && !published.has(key))).toEqual([]);
  expect(database.prepare('pragma integrity_check').get()).toEqual({ integrity_check: 'ok' });
});

test('a living gateway of another process keeps others out; a killed one does not', async () => {
  const dataDir = openTestFolder();
  const { writer, kill } = startWriter(dataDir, 0);
  await once(writer.stdout, 'data');
  const open = () => openStorage({ dataDir, log: silentLog, now: Date.now });

  await expect(open()).rejects.toThrow(`in use by another gateway (process ${writer.pid})`);
  await kill();

  const storage = await open();
  onTestFinished(() => storage.close());
  expect(await storage.db.selectFrom('meta').selectAll().where('key', 'like', 'crash-%').execute()).not.toEqual([]);
});

function startWriter(dataDir: string, round: number) {
  const writer = spawn(process.execPath, [WRITER, dataDir, String(round)], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(writer, 'close');
  const kill = async () => {
    writer.kill('SIGKILL');
    await exited;
  };
  onTestFinished(kill);
  return { writer, kill };
}

/** The keys that were acknowledged before the kill. */
async function writeUntilKilled(dataDir: string, round: number): Promise<string[]> {
  const { writer, kill } = startWriter(dataDir, round);
  let printed = '';
  writer.stdout.on('data', (chunk: Buffer) => {
    printed += chunk.toString();
  });
  await once(writer.stdout, 'data');
  await new Promise((resolve) => setTimeout(resolve, 10 + Math.random() * 150));
  await kill();
  // The last line may be cut off.
  return printed.split('\n').slice(0, -1);
}
