import { expect, test, vi } from 'vitest';
import { createRecordingRoom } from './recording-room.ts';

const MEGABYTE = 1_000_000;
const NONE = { maxSessionMegabytes: 0, maxMegabytes: 0, keepFreeMegabytes: 0 };
const roomFor = (limits: Partial<typeof NONE>, freeMegabytes = 1_000) =>
  createRecordingRoom({
    folder: '/nowhere',
    limits: { ...NONE, ...limits },
    freeBytes: async () => freeMegabytes * MEGABYTE,
  });

test('without limits a recording grows as it likes', async () => {
  expect(await roomFor({}, 0).check(1e15)).toBeUndefined();
});

test('a session ends when its recording is as large as one may be', async () => {
  const room = roomFor({ maxSessionMegabytes: 5 });

  expect(await room.check(5 * MEGABYTE - 1)).toBeUndefined();
  expect(await room.check(5 * MEGABYTE)).toMatch('has reached 5 MB');
});

test('no session alone pushes out more than a tenth of what is kept', async () => {
  const room = roomFor({ maxSessionMegabytes: 500, maxMegabytes: 1_000 });

  expect(await room.check(99 * MEGABYTE)).toBeUndefined();
  expect(await room.check(100 * MEGABYTE)).toMatch('has reached 100 MB');
});

test('where the disk is nearly full, who filled it ends, and for the others it counts as not writable', async () => {
  const room = roomFor({ keepFreeMegabytes: 200 }, 199);

  expect(await room.check(64 * MEGABYTE)).toMatch('less than 200 MB are free');
  await expect(room.check(1)).rejects.toThrow('less than 200 MB are free');
});

test('the disk is asked seldom, and one that cannot be asked stops nothing', async () => {
  const freeBytes = vi.fn(async () => Promise.reject(new Error('EIO')));
  const room = createRecordingRoom({ folder: '/', limits: { ...NONE, keepFreeMegabytes: 1 }, freeBytes });

  for (let count = 0; count < 100; count++) expect(await room.check(0)).toBeUndefined();

  expect(freeBytes).toHaveBeenCalledTimes(1);
});
