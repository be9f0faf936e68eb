/** The embedded store whose writing thread hangs or dies: both are noticed, and nobody is let in on what may be gone. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Worker } from 'node:worker_threads';
import { freePort } from '@gatehouse/testkit/free-port';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openTestFolder } from '../../testing/storage/test-folder.ts';
import { startGateway } from '../gateway.ts';
import { loadConfig } from '../platform/config/load-config.ts';
import { createLog } from '../platform/log/create-log.ts';

/** A whole gateway in this process, and the real thread that writes for it. */
async function startHere() {
  const workers: Worker[] = [];
  const keep = (worker: Worker) => void workers.push(worker);
  process.on('worker', keep);
  onTestFinished(() => void process.off('worker', keep));
  const dataDir = openTestFolder();
  const [port, diagnostics] = [await freePort(), await freePort()];
  const env = {
    GATEHOUSE_DATA_DIR: dataDir,
    GATEHOUSE_LISTEN: `127.0.0.1:${port}`,
    GATEHOUSE_DIAG_LISTEN: `127.0.0.1:${diagnostics}`,
    GATEHOUSE_LOG_LEVEL: 'fatal',
    GATEHOUSE_DRAIN_SECONDS: '0',
  };
  const { config } = loadConfig({ flags: {}, env, cwd: dataDir });
  const gateway = await startGateway(config, { log: createLog(config.log) });
  // The first that is opened: before it nobody can read.
  const [writer] = workers;
  if (!writer) throw new Error('no thread was started');
  const ready = async () => {
    const response = await fetch(`http://127.0.0.1:${diagnostics}/readyz`);
    return { status: response.status, text: await response.text() };
  };
  const call = async () => {
    const response = await fetch(`http://127.0.0.1:${port}/v1/webapi/user/status`);
    return { status: response.status, text: await response.text() };
  };
  expect((await ready()).status).toBe(200);
  expect((await call()).status).toBe(403);
  return { gateway, writer, dataDir, ready, call };
}

const SOON = { timeout: 30_000, interval: 250 };

test('a writing thread that hangs is a lost database, and all is well when it goes on', async () => {
  const { gateway, writer, dataDir, ready, call } = await startHere();
  onTestFinished(async () => void (await gateway.close()));
  const other = new DatabaseSync(join(dataDir, 'gatehouse.db'));
  onTestFinished(() => other.close());
  other.exec('begin immediate');
  // Each waits five seconds for the lock, and whatever is asked after them waits too.
  const sql = "update meta set value = value where key = 'nothing'";
  writer.postMessage(Array.from({ length: 6 }, (_, index) => ({ id: -1 - index, type: 'alone', sql, params: [] })));

  await vi.waitFor(async () => expect((await call()).status).toBe(503), SOON);
  expect((await call()).text).toContain('the gateway has lost its database');
  const { status, text } = await ready();
  expect(status).toBe(503);
  expect(text).toContain('the gateway has lost its database');

  other.exec('rollback');
  await vi.waitFor(async () => expect((await ready()).status).toBe(200), SOON);
  expect((await call()).status).toBe(403);
});

test('a writing thread that dies ends the gateway; until then nobody is let in', async () => {
  const { gateway, writer, dataDir, ready, call } = await startHere();
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));

  await writer.terminate();

  // Whoever started the process ends it on this.
  expect((await gateway.failed).message).toContain("the store's thread ended");
  expect((await ready()).status).toBe(503);
  await vi.waitFor(async () => expect((await call()).status).toBe(503), SOON);
  await gateway.close();
});
