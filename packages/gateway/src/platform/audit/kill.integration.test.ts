import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { openTestFolder } from '../../../testing/storage/test-folder.ts';
import { silentLog } from '../std/log.ts';
import { openStorage } from '../storage/open-storage.ts';
import { verifyChain } from './chain.ts';

const KILLS = 20;
const WRITER = fileURLToPath(new URL('../../../testing/audit/emit-until-killed.ts', import.meta.url));

test('killed twenty times while it records, a gateway has every acknowledged event once, in one whole chain', async () => {
  const dataDir = openTestFolder();
  const acknowledged: string[] = [];
  for (let round = 0; round < KILLS; round++) {
    const users = await emitUntilKilled(dataDir, round);
    expect(users.length).toBeGreaterThan(0);
    acknowledged.push(...users);
  }

  const { db, close } = await openStorage({ dataDir, log: silentLog, now: Date.now });
  onTestFinished(close);
  const stored: string[] = [];
  for (let after = 0; ; ) {
    const rows = await db
      .selectFrom('event')
      .select(['id', 'user'])
      .where('id', '>', after)
      .orderBy('id')
      .limit(10_000)
      .execute();
    if (rows.length === 0) break;
    stored.push(...rows.map(({ user }) => user));
    after = rows.at(-1)!.id;
  }

  const known = new Set(stored);
  expect(acknowledged.filter((user) => !known.has(user))).toEqual([]);
  expect(known.size).toBe(stored.length);
  expect(await verifyChain(db, 'gateway')).toEqual({ ok: true, length: stored.length });
});

/** Those that were acknowledged before the kill. */
async function emitUntilKilled(dataDir: string, round: number): Promise<string[]> {
  const writer = spawn(process.execPath, [WRITER, dataDir, String(round)], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(writer, 'close');
  onTestFinished(() => void writer.kill('SIGKILL'));
  let printed = '';
  writer.stdout.on('data', (chunk: Buffer) => {
    printed += chunk.toString();
  });
  await once(writer.stdout, 'data');
  await new Promise((resolve) => setTimeout(resolve, 10 + Math.random() * 150));
  writer.kill('SIGKILL');
  await exited;
  // The last line may be cut off.
  return printed.split('\n').slice(0, -1);
}
