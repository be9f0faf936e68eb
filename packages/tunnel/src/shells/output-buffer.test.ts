import fc from 'fast-check';
import { expect, test } from 'vitest';
import { OutputBuffer, TAIL_BYTES } from './output-buffer.ts';

function readAll(held: OutputBuffer, from: number): Buffer {
  const parts: Buffer[] = [];
  for (let at = from; at < held.end; ) {
    const part = held.read(at, 1000);
    parts.push(part);
    at += part.length;
  }
  return Buffer.concat(parts);
}

test('what was printed can be read from any offset, in any pieces', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 9000 })), fc.nat(), (pieces, at) => {
      const held = new OutputBuffer();
      for (const piece of pieces) held.append(piece);
      const all = Buffer.concat(pieces);
      const from = all.length === 0 ? 0 : at % all.length;

      expect(held.end).toBe(all.length);
      expect(readAll(held, from).equals(all.subarray(from))).toBe(true);
    }),
    { numRuns: 50 },
  );
});

test('what is stored elsewhere is forgotten but for a tail; what is not, never', () => {
  const held = new OutputBuffer();
  for (let megabyte = 0; megabyte < 2; megabyte++) held.append(Buffer.alloc(1024 * 1024, megabyte));
  expect([held.start, held.unkept]).toEqual([0, 2 * 1024 * 1024]);

  held.keep(1024 * 1024);

  expect(held.start).toBeLessThanOrEqual(1024 * 1024 - TAIL_BYTES);
  expect(held.start).toBeGreaterThan(1024 * 1024 - TAIL_BYTES - 64 * 1024);
  expect(held.unkept).toBe(1024 * 1024);
  expect(held.read(1024 * 1024, 10)).toEqual(Buffer.alloc(10, 1));
});

test('an acknowledgement of more than was printed, or of less than before, changes nothing', () => {
  const held = new OutputBuffer();
  held.append(Buffer.from('abc'));

  held.keep(100);
  held.keep(1);
  held.append(Buffer.from('def'));

  expect(held.unkept).toBe(3);
  expect(readAll(held, 0).toString()).toBe('abcdef');
});

test('a shell that prints single characters for long holds little more than its tail', () => {
  const held = new OutputBuffer();
  const before = process.memoryUsage().arrayBuffers;

  for (let count = 0; count < 400_000; count++) {
    held.append(Buffer.from('x'));
    if (count % 1000 === 0) held.keep(held.end);
  }

  expect(held.end - held.start).toBeLessThan(TAIL_BYTES + 128 * 1024);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(4 * 1024 * 1024);
});
