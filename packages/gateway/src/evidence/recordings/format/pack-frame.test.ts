import { randomBytes } from 'node:crypto';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { packFrame } from './pack-frame.ts';

test('frames packed one after the other and side by side are each whole by themselves', async () => {
  const raws = Array.from({ length: 12 }, (_, index) =>
    Buffer.concat([Buffer.alloc(index * 10_000, 'ls '), randomBytes(9_000)]),
  );

  const first = await packFrame(raws[0] as Buffer, 'small');
  const all = await Promise.all(raws.map((raw, index) => packFrame(raw, index % 2 === 0 ? 'small' : 'quick')));

  expect(zstdDecompressSync(first)).toEqual(raws[0]);
  expect(all.map((packed) => zstdDecompressSync(packed))).toEqual(raws);
});

test('nothing of an earlier frame is needed to read a later one', async () => {
  const text = Buffer.from('the same text each time\n'.repeat(2_000));
  await packFrame(text, 'small');

  const later = await packFrame(text, 'small');

  expect(later.length).toBeCloseTo(zstdCompressSync(text).length, -2);
  expect(zstdDecompressSync(later)).toEqual(text);
});

test('what does not fit into one piece is whole', async () => {
  const raw = randomBytes(700_000);
  expect(zstdDecompressSync(await packFrame(raw, 'quick'))).toEqual(raw);
});

test('many at once wait in line instead of taking a packer each', async () => {
  const raw = Buffer.from('a line of a session that ends with all the others\n');
  await packFrame(raw, 'small');
  const before = process.memoryUsage().rss;

  const all = await Promise.all(Array.from({ length: 300 }, () => packFrame(raw, 'small')));

  // Each packer takes more than a megabyte.
  expect(process.memoryUsage().rss - before).toBeLessThan(100 * 1024 * 1024);
  expect(all.every((packed) => zstdDecompressSync(packed).equals(raw))).toBe(true);
});

test('one that cannot be packed does not keep those behind it waiting', async () => {
  const raw = Buffer.from('whole');
  const failing = Array.from({ length: 5 }, () => packFrame(0 as never, 'small'));
  const waiting = Array.from({ length: 5 }, () => packFrame(raw, 'small'));

  expect((await Promise.allSettled(failing)).map(({ status }) => status)).toEqual(Array(5).fill('rejected'));
  expect((await Promise.all(waiting)).map((packed) => String(zstdDecompressSync(packed)))).toEqual(
    Array(5).fill('whole'),
  );
});
