/** A full disk, on a file system of its own: told by its name everywhere, red for balancers, and over by itself when there is room. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@gatehouse/testkit/free-port';
import { type GatewayProcess, startGateway } from '@gatehouse/testkit/gateway-process';
import { afterAll, beforeAll, expect, test } from 'vitest';

const place = mkdtempSync(join(tmpdir(), 'gatehouse-full-'));
/** Needs root, and a machine that lets root mount; elsewhere disk-full.test.ts tries the same without a file system. */
const isMounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=24m', 'tmpfs', place]).status === 0;
const dataDir = join(place, 'data');
let gateway: GatewayProcess;
let diagnostics = '';

beforeAll(async () => {
  if (!isMounted) return;
  const port = await freePort();
  diagnostics = `http://127.0.0.1:${port}`;
  gateway = await startGateway({ GATEHOUSE_DATA_DIR: dataDir, GATEHOUSE_DIAG_LISTEN: `127.0.0.1:${port}` });
});
afterAll(async () => {
  rmSync(join(place, 'filler'), { force: true });
  await gateway?.stop();
  if (isMounted) execFileSync('umount', [place]);
  rmSync(place, { recursive: true, force: true });
});

const ready = async () => {
  const reply = await fetch(`${diagnostics}/readyz`);
  return { status: reply.status, text: await reply.text() };
};
function fill(): void {
  const { bavail, bsize } = statfsSync(place);
  writeFileSync(join(place, 'filler'), Buffer.alloc(bavail * bsize));
}
const add = (name: string) => gateway.command('users', 'add', name, '--roles=access', '--data-dir', dataDir);

test.skipIf(!isMounted)('a full disk is red, named and counted; with room all is well again', async () => {
  expect((await ready()).status).toBe(200);
  const before = gateway.output().length;
  const began = performance.now();

  fill();
  // Small writes may still fit into what the database has already.
  const refused = [];
  for (let at = 0; at < 40 && refused.length < 3; at += 1) {
    const added = await add(`u${at}`);
    if (added.code !== 0) refused.push(added.stderr);
  }
  const { status, text } = await ready();
  const metrics = await (await fetch(`${diagnostics}/metrics`)).text();
  const said = gateway.output().slice(before);

  expect(status).toBe(503);
  expect(JSON.parse(text).checks.disk).toMatchObject({
    ok: false,
    reason: expect.stringContaining('the disk is full'),
  });
  for (const stderr of refused) expect(stderr).toContain('the disk is full');
  const lines = said.match(/"level":"error"[^\n]*the disk is full: nothing/g) ?? [];
  // One a minute, however long that takes on a busy machine.
  expect(lines.length).toBeGreaterThan(0);
  expect(lines.length).toBeLessThanOrEqual(1 + (performance.now() - began) / 60_000);
  expect(metrics).toMatch(/^gatehouse_disk_full 1$/m);
  expect(metrics).toMatch(/^gatehouse_disk_free_bytes \d+$/m);

  rmSync(join(place, 'filler'));
  await expect.poll(ready, { timeout: 20_000, interval: 500 }).toMatchObject({ status: 200 });
  expect(await add('after')).toMatchObject({ code: 0 });
  await expect.poll(() => gateway.output()).toContain('the disk has room again');
  expect(await gateway.command('audit', 'verify')).toMatchObject({ code: 0 });
});

test.skipIf(!isMounted)('a start on a full disk says so in one sentence', async () => {
  const folder = join(place, 'second');
  mkdirSync(folder);
  fill();
  const port = await freePort();

  const other = await freePort();
  const addresses = ['--listen', `127.0.0.1:${port}`, '--diag-listen', `127.0.0.1:${other}`];
  const started = await gateway.command('start', '--data-dir', folder, ...addresses);
  rmSync(join(place, 'filler'));

  expect(started.code).toBe(1);
  expect(started.stderr).toMatch(
    /gatehouse: the disk of the data folder '.*second' is full: make room and start again\n$/,
  );
  expect(started.stderr).not.toContain('    at ');
});
