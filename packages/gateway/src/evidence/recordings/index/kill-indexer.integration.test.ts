import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { buildRecording } from '../../../../testing/recordings/playback/build-recording.ts';
import { ordinaryWork } from '../../../../testing/recordings/playback/ordinary-work.ts';
import { testSigner } from '../../../../testing/recordings/test-signer.ts';
import { silentLog } from '../../../platform/std/log.ts';
import { openStorage } from '../../../platform/storage/open-storage.ts';
import { insertSession, markEnded } from '../../../sessions/host/session-store.ts';
import { findIndexRow, readBlocks } from './index-store.ts';
import { unpackLines } from './line-blocks.ts';
import { decodeIndex } from './recording-index.ts';

const PROCESS = join(import.meta.dirname, '../../../../testing/recordings/index/index-process.ts');

test('an indexer that is killed in the middle goes on where it was: no line twice, none lost', {
  timeout: 240_000,
}, async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'gatehouse-kill-index-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  const sid = randomUUID();
  // The store first: one that is empty beside recordings is taken for lost.
  await addSession(dataDir, sid);
  mkdirSync(join(dataDir, 'recordings'), { recursive: true });
  const happenings = ordinaryWork({ seed: 3, durationMs: 3_600_000, bytes: 24_000_000 });
  writeFileSync(join(dataDir, 'recordings', `${sid}.rec`), buildRecording({ sid }, happenings, testSigner()));
  const indexPath = join(dataDir, 'recordings', `${sid}.index`);

  // Twice, each after something more was kept.
  for (let kept = 0; kept < 2; kept += 1) {
    const before = existsSync(indexPath) ? readFileSync(indexPath).length : 0;
    const child = spawn(process.execPath, [PROCESS, dataDir], { stdio: ['ignore', 'pipe', 'inherit'] });
    await vi.waitFor(
      () =>
        expect(child.exitCode === null && existsSync(indexPath) && readFileSync(indexPath).length > before).toBe(true),
      { timeout: 100_000, interval: 20 },
    );
    child.kill('SIGKILL');
    await exited(child);
  }
  const half = decodeIndex(readFileSync(indexPath));
  expect(half).toMatchObject({ complete: false });
  const last = spawn(process.execPath, [PROCESS, dataDir], { stdio: ['ignore', 'pipe', 'inherit'] });
  expect(await exited(last)).toBe(0);

  expect(decodeIndex(readFileSync(indexPath))).toMatchObject({ complete: true, durationMs: 3_600_000 });
  const storage = await openStorage({ dataDir, log: silentLog, now: Date.now });
  const row = await findIndexRow(storage.db, sid);
  const blocks = await readBlocks(storage.db, row?.number ?? 0, 0, 5_000);
  await storage.close();
  expect(row).toMatchObject({ complete: 1, blocks: blocks.length });
  const lines = blocks.flatMap(({ lines: block }) => unpackLines(block));
  expect(new Set(lines.map(({ text }) => text)).size).toBe(lines.length);
  // So many are kept of any recording; without a hole in the middle.
  expect(lines.length).toBe(50_000);
});

async function addSession(dataDir: string, sid: string): Promise<void> {
  const storage = await openStorage({ dataDir, log: silentLog, now: Date.now });
  const created = Date.now() - 7_200_000;
  const resource = { cluster: 'localhost', kind: 'node' as const, id: 'n', name: 'edge', labels: {} };
  const whole = { ...resource, spec: { type: 'agent', hostname: 'edge' }, owner: 'n', expires: undefined };
  await storage.db.transaction().execute(async (tx) => {
    await insertSession(tx, {
      ...{
        id: sid,
        cluster: 'localhost',
        user: 'ann',
        signInId: 's',
        address: '',
        request: sid,
        created,
        begun: created,
      },
      action: { type: 'connect', kind: 'node', login: 'ubuntu', resource: whole },
      ...{ size: { cols: 80, rows: 24 }, agent: undefined, gateway: 'g', mfa: false, recorded: true },
    });
    await markEnded(tx, { id: sid, user: 'ann' }, { cause: 'exited', message: '' }, created + 3_600_000);
  });
  await storage.close();
}

function exited(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) resolve(child.exitCode);
    else child.once('exit', (code) => resolve(code));
  });
}
