import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DOWNLOAD_FOLDER as DOWNLOAD } from '@gatehouse/contract/kinds/desktop/transfer';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import {
  BLOCK_BYTES,
  DISK_FULL,
  FOLDER_FULL,
  KEPT_FREE_BYTES,
  removeLeftOvers,
  SealedBlocks,
} from './sealed-blocks.ts';
import { MAX_DEPTH, MAX_ENTRIES, RESTS_MS, TransferFolder } from './transfer-folder.ts';

let place: string;
beforeAll(() => {
  place = mkdtempSync(join(tmpdir(), 'gatehouse-transfer-'));
});
afterAll(() => rmSync(place, { recursive: true, force: true }));

async function newFolder({ maxBlocks = 64, free = Number.POSITIVE_INFINITY } = {}) {
  const clock = { now: 1_000_000 };
  const disk = { free };
  const blocks = await SealedBlocks.open({ folder: place, maxBlocks, freeBytes: async () => disk.free });
  let changes = 0;
  const folder = new TransferFolder({
    ...{ blocks, maxBytes: maxBlocks * BLOCK_BYTES, now: () => clock.now },
    onChange: () => {
      changes += 1;
    },
  });
  onTestFinished(() => folder.close());
  return { folder, clock, disk, changes: () => changes };
}
type Folder = Awaited<ReturnType<typeof newFolder>>['folder'];

async function put(folder: Folder, path: string, bytes: Buffer): Promise<string> {
  const upload = folder.beginUpload(bytes.length);
  for (let at = 0; at < bytes.length; at += 50_000) await upload.write(bytes.subarray(at, at + 50_000));
  return upload.finish(path);
}
const pattern = (length: number, seed = 1) => Buffer.from(Array.from({ length }, (_, at) => (at * 31 + seed) % 251));
const readAll = async (folder: Folder, path: string) =>
  Buffer.from(await folder.read(path, 0, (await folder.info(path)).size));
const fault = (name: string) => expect.objectContaining({ fault: name });

test('what is written anywhere in a file is read again, across blocks, in pieces, and shorter', async () => {
  const { folder } = await newFolder();
  const expected = pattern(3 * BLOCK_BYTES + 777);
  await folder.create('a.bin', false);
  await folder.write('a.bin', 0, expected);
  const change = pattern(BLOCK_BYTES + 99, 7);
  await folder.write('a.bin', BLOCK_BYTES - 50, change);
  change.copy(expected, BLOCK_BYTES - 50);
  expect((await readAll(folder, 'a.bin')).equals(expected)).toBe(true);
  const middle = await folder.read('a.bin', BLOCK_BYTES - 3, 10);
  expect(Buffer.from(middle).equals(expected.subarray(BLOCK_BYTES - 3, BLOCK_BYTES + 7))).toBe(true);
  expect(await folder.read('a.bin', expected.length + 5, 10)).toHaveLength(0);

  await folder.resize('a.bin', BLOCK_BYTES + 10);
  await folder.resize('a.bin', 2 * BLOCK_BYTES);
  const cut = await readAll(folder, 'a.bin');
  expect(cut.subarray(0, BLOCK_BYTES + 10).equals(expected.subarray(0, BLOCK_BYTES + 10))).toBe(true);
  expect(cut.subarray(BLOCK_BYTES + 10).every((byte) => byte === 0)).toBe(true);
  await folder.write('a.bin', 5 * BLOCK_BYTES, Buffer.from('end'));
  expect((await folder.info('a.bin')).size).toBe(5 * BLOCK_BYTES + 3);
  expect(Buffer.from(await folder.read('a.bin', 4 * BLOCK_BYTES, 8)).equals(Buffer.alloc(8))).toBe(true);
});

test('writes of several handles at once into one block are all kept', async () => {
  const { folder } = await newFolder();
  await folder.create('a', false);
  await Promise.all(Array.from({ length: 40 }, (_, at) => folder.write('a', at * 100, Buffer.alloc(100, at + 1))));
  const all = await readAll(folder, 'a');
  expect(Array.from({ length: 40 }, (_, at) => all[at * 100 + 99])).toEqual(
    Array.from({ length: 40 }, (_, at) => at + 1),
  );
});

test('nothing has a name on the disk, and nothing of it can be read there', async () => {
  const { folder } = await newFolder();
  const words = 'the words that nobody may read on the disk';
  await put(folder, 'private-name.txt', Buffer.from(words.repeat(5_000)));
  expect(readdirSync(place)).toEqual([]);
  const open = readdirSync('/proc/self/fd').filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).startsWith(place);
    } catch {
      return false;
    }
  });
  expect(open).toHaveLength(1);
  const raw = readFileSync(`/proc/self/fd/${open[0]}`);
  expect(raw.length).toBeGreaterThan(BLOCK_BYTES);
  expect(raw.includes('nobody may read')).toBe(false);
  expect(raw.includes('private-name')).toBe(false);
});

test('a block that was changed or swapped on the disk is not taken for the file', async () => {
  const blocks = await SealedBlocks.open({ folder: place, maxBlocks: 8 });
  onTestFinished(() => blocks.close());
  const slot = await blocks.write('1 0', Buffer.alloc(BLOCK_BYTES, 1));
  const other = await blocks.write('1 1', Buffer.alloc(BLOCK_BYTES, 2));
  expect((await blocks.read(other, '1 1'))[0]).toBe(2);
  await expect(blocks.read(other, '1 0')).rejects.toEqual(fault('failed'));
  await expect(blocks.read(slot + 7, '1 0')).rejects.toEqual(fault('failed'));
});

test('what a killed gateway left is removed at the next start, and nothing else', async () => {
  writeFileSync(join(place, 'abc.sealed'), 'left');
  writeFileSync(join(place, 'other.txt'), 'mine');
  await removeLeftOvers(place);
  expect(readdirSync(place)).toEqual(['other.txt']);
  rmSync(join(place, 'other.txt'));
  await removeLeftOvers(join(place, 'never-made'));
});

test('it is full at its size, and takes more when something was removed', async () => {
  const { folder } = await newFolder({ maxBlocks: 4 });
  await put(folder, 'a', Buffer.alloc(2 * BLOCK_BYTES));
  await folder.create('b', false);
  await folder.write('b', 0, Buffer.alloc(2 * BLOCK_BYTES));
  expect(folder.room()).toEqual({ totalBytes: 4 * BLOCK_BYTES, freeBytes: 0 });
  await folder.create('c', false);
  await expect(folder.write('c', 0, Buffer.of(1))).rejects.toEqual(fault('full'));
  await expect(folder.resize('c', BLOCK_BYTES)).rejects.toEqual(fault('full'));
  await expect(folder.write('c', 4 * BLOCK_BYTES, Buffer.of(1))).rejects.toThrow(FOLDER_FULL);
  expect(() => folder.beginUpload(1)).toThrow(FOLDER_FULL);
  await folder.remove('b');
  await folder.write('c', 0, Buffer.alloc(2 * BLOCK_BYTES, 3));
  expect((await readAll(folder, 'c')).every((byte) => byte === 3)).toBe(true);
});

test('a disk that is nearly full is left alone, in words', async () => {
  const { folder } = await newFolder({ free: KEPT_FREE_BYTES });
  await folder.create('a', false);
  await expect(folder.write('a', 0, Buffer.of(1))).rejects.toThrow(DISK_FULL);
  await expect(folder.write('a', 0, Buffer.of(1))).rejects.toThrow(DISK_FULL);
});

test('an upload that is given up leaves nothing, and its room is free again', async () => {
  const { folder } = await newFolder({ maxBlocks: 4 });
  const upload = folder.beginUpload(4 * BLOCK_BYTES);
  await upload.write(Buffer.alloc(3 * BLOCK_BYTES));
  expect((await folder.list('')).map(({ name }) => name)).toEqual([DOWNLOAD]);
  upload.giveUp();
  await expect.poll(() => folder.room().freeBytes).toBe(4 * BLOCK_BYTES);
  await expect(upload.write(Buffer.of(1))).rejects.toEqual(fault('gone'));
  expect(() => upload.finish('a')).toThrow();
});

test('uploads have names that every desktop can have, and take none that is there', async () => {
  const { folder } = await newFolder();
  const one = Buffer.from('1');
  expect(await put(folder, 'report.txt', one)).toBe('report.txt');
  expect(await put(folder, 'REPORT.txt', one)).toBe('REPORT (2).txt');
  expect(await put(folder, '../../etc/passwd', one)).toBe('_/_/etc/passwd');
  expect(await put(folder, 'a:b?c.txt', one)).toBe('a_b_c.txt');
  expect(await put(folder, 'nul.txt', one)).toBe('_nul.txt');
  expect(await put(folder, 'ends. . ', one)).toBe('ends');
  expect(await put(folder, 'photos/1.jpg', one)).toBe('photos/1.jpg');
  expect(await put(folder, 'photos/1.jpg', one)).toBe('photos/1 (2).jpg');
  expect(await put(folder, 'report.txt/x', one)).toBe('report (3).txt/x');
  expect(await put(folder, 'download', one)).toBe('download (2)');
  expect((await put(folder, `${'x'.repeat(400)}.docx`, one)).endsWith('x.docx')).toBe(true);
  await expect(put(folder, `${'d/'.repeat(MAX_DEPTH)}x`, one)).rejects.toEqual(fault('failed'));
});

test('what is in Download is offered when the host has closed it, or writes no more, wherever it lies in there', async () => {
  const { folder, clock } = await newFolder();
  await folder.create(`${DOWNLOAD}/out.txt`, false);
  await folder.write(`${DOWNLOAD}/out.txt`, 0, Buffer.from('out'));
  expect(folder.offered(10)).toEqual({ files: [], more: 0 });
  folder.settle('download/OUT.txt');
  expect(folder.offered(10).files).toEqual([{ path: 'out.txt', size: 3, modified: clock.now }]);
  await folder.create(`${DOWNLOAD}/sub`, true);
  await folder.create(`${DOWNLOAD}/sub/never-closed`, false);
  clock.now += RESTS_MS;
  expect(folder.offered(1)).toEqual({ files: [expect.objectContaining({ path: 'out.txt' })], more: 1 });
  await put(folder, 'moved.txt', Buffer.from('m'));
  await folder.move('moved.txt', `${DOWNLOAD}/moved.txt`);
  expect(folder.offered(10).files.map(({ path }) => path)).toEqual(['out.txt', 'sub/never-closed', 'moved.txt']);
  expect(folder.offeredFile('moved.txt')?.name).toBe('moved.txt');
  expect(folder.offeredFile('sub')).toBeUndefined();
  expect(folder.offeredFile('../moved.txt')).toBeUndefined();
});

test('folders are moved and removed as file systems do it, and Download stays', async () => {
  const { folder, changes } = await newFolder();
  await folder.create('a', true);
  await folder.create('a/b', true);
  await folder.create('a/b/c.txt', false);
  await expect(folder.remove('a')).rejects.toEqual(fault('failed'));
  await expect(folder.move('a', 'a/b/inside')).rejects.toEqual(fault('failed'));
  await expect(folder.move('a', DOWNLOAD)).rejects.toEqual(fault('exists'));
  await expect(folder.remove(DOWNLOAD)).rejects.toEqual(fault('failed'));
  await expect(folder.move('DOWNLOAD', 'else')).rejects.toEqual(fault('failed'));
  await expect(folder.create('absent/x', false)).rejects.toEqual(fault('absent'));
  await expect(folder.create('a/b/c.txt/x', false)).rejects.toEqual(fault('failed'));
  await expect(folder.create('', true)).rejects.toEqual(fault('failed'));
  await expect(folder.read('a', 0, 1)).rejects.toEqual(fault('failed'));
  const before = changes();
  await folder.move('a', 'A');
  expect((await folder.list('')).map(({ name }) => name)).toEqual([DOWNLOAD, 'A']);
  expect(changes()).toBeGreaterThan(before);
  await folder.remove('a/b/c.txt');
  await folder.remove('a/b');
  await folder.remove('a');
  await expect(folder.info('a')).rejects.toEqual(fault('absent'));
});

test('a host cannot make it deep, long or many', async () => {
  const { folder } = await newFolder();
  const deep = Array.from({ length: MAX_DEPTH }, () => 'd');
  for (let depth = 1; depth <= MAX_DEPTH; depth += 1) await folder.create(deep.slice(0, depth).join('/'), true);
  await expect(folder.create([...deep, 'd'].join('/'), true)).rejects.toEqual(fault('failed'));
  await folder.create('top', true);
  await folder.create('top/under', true);
  await expect(folder.move('top', [...deep.slice(0, -1), 'top'].join('/'))).rejects.toEqual(fault('failed'));
  await folder.create('x'.repeat(250), true);
  await folder.create(`${'x'.repeat(250)}/${'y'.repeat(250)}`, true);
  await folder.create('z'.repeat(250), true);
  await folder.create(`${'z'.repeat(250)}/${'z'.repeat(250)}`, true);
  await folder.create(`${'z'.repeat(250)}/${'z'.repeat(250)}/${'z'.repeat(250)}`, true);
  await expect(folder.move('z'.repeat(250), `${'x'.repeat(250)}/${'y'.repeat(250)}/z`)).rejects.toEqual(
    fault('failed'),
  );
  const made = MAX_DEPTH + 2 + 2 + 3;
  for (let at = made; at < MAX_ENTRIES; at += 1) await folder.create(`f${at}`, false);
  await expect(folder.create('one-more', false)).rejects.toEqual(fault('full'));
  expect(() => folder.beginUpload(1)).toThrow('too many files');
});

test('when it is closed nothing can be done with it', async () => {
  const { folder } = await newFolder();
  await put(folder, 'a', Buffer.from('a'));
  const upload = folder.beginUpload(1);
  await folder.close();
  await expect(folder.read('a', 0, 1)).rejects.toEqual(fault('gone'));
  await expect(folder.create('b', false)).rejects.toEqual(fault('gone'));
  await expect(upload.write(Buffer.of(1))).rejects.toEqual(fault('gone'));
});
