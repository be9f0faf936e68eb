/** What a gateway says when its store has no room: tried on any machine, by a database that may not grow. */

import { clusterRoutes } from '@gatehouse/contract/console/clusters';
import { call } from '@gatehouse/contract/wire/client';
import { sql } from 'kysely';
import { Registry } from 'prom-client';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startIdentityGateway } from '../../testing/identity-gateway.ts';
import { type Room, watchDisk } from '../platform/health/watch-disk.ts';
import { silentLog } from '../platform/std/log.ts';
import { isDiskFull, SqliteError } from '../platform/storage/errors.ts';

const LARGE = 'x'.repeat(900);

async function startFull() {
  const gateway = await startIdentityGateway();
  onTestFinished(() => gateway.close());
  await gateway.addUser('admin', { roles: ['editor'] });
  const admin = await gateway.signedIn('admin');
  const registry = new Registry();
  const log = { ...silentLog, error: vi.fn(), info: vi.fn() };
  const room: Room = { freeBytes: 1e9, freeFiles: 100 };
  const clock = { now: 0 };
  const { storage } = gateway;
  const given = { storage, dataDir: '/somewhere', registry, log, now: () => clock.now, room: async () => room };
  const disk = watchDisk(given);
  onTestFinished(() => disk.close());
  let posted = 0;
  const post = () =>
    call(admin.send, clusterRoutes.postAlert, {
      params: { clusterId: '-current-' },
      body: { name: `n${posted++}`, message: LARGE },
    });
  const { rows } = await sql<{ page_count: number }>`pragma page_count`.execute(storage.db);
  const pages = rows[0]!.page_count;
  const limit = (count: number) => sql.raw(`pragma max_page_count = ${count}`).execute(storage.db);
  return { registry, log, room, clock, disk, post, limit, pages, storage };
}

test('a store that may not grow: told by its name, red, logged once a minute, counted, and over by itself', async () => {
  const { registry, log, clock, disk, post, limit, pages } = await startFull();
  await disk.check();

  await limit(pages);
  const refusals: unknown[] = [];
  for (let at = 0; at < 200 && refusals.length < 5; at += 1) await post().catch((error) => refusals.push(error));
  await expect(disk.check()).rejects.toThrow('the disk is full');
  clock.now = 60_000;
  await post().catch(() => undefined);

  expect(refusals).toHaveLength(5);
  for (const error of refusals)
    expect(error).toMatchObject({ code: 'unavailable', message: expect.stringContaining('the disk is full') });
  expect(log.error).toHaveBeenCalledTimes(2);
  expect(log.error).toHaveBeenLastCalledWith(
    expect.objectContaining({ times: expect.any(Number) }),
    expect.any(String),
  );
  const metrics = await registry.metrics();
  expect(metrics).toMatch(/gatehouse_store_errors_total\{reason="disk_full"\} [1-9]/);
  expect(metrics).toContain('gatehouse_disk_full 1');

  await limit(pages * 100);
  await disk.check();
  await post();
  expect(log.info).toHaveBeenCalledWith(
    expect.objectContaining({ times: expect.any(Number) }),
    'the disk has room again',
  );
});

test('a disk that is full, or that takes no more files, is red before anything has failed', async () => {
  const { disk, room } = await startFull();

  room.freeBytes = 4_096;
  await expect(disk.check()).rejects.toThrow('the disk is full');
  room.freeBytes = 1e9;
  room.freeFiles = 0;
  await expect(disk.check()).rejects.toThrow('the disk is full');
  room.freeFiles = 10;
  await disk.check();
});

test.each([
  [new SqliteError('database or disk is full', 13), true],
  [Object.assign(new Error('could not extend file: No space left on device'), { code: '53100' }), true],
  [Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' }), true],
  [Object.assign(new Error('quota'), { code: 'EDQUOT' }), true],
  [new Error('cannot open', { cause: new Error('database or disk is full') }), true],
  [Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }), false],
  [new SqliteError('attempt to write a readonly database', 8), false],
  ['ENOSPC', false],
])('%s is a full disk: %s', (error, full) => {
  expect(isDiskFull(error)).toBe(full);
});
