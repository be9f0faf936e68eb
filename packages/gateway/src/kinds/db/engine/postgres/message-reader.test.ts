import { createHash, randomInt } from 'node:crypto';
import { expect, test } from 'vitest';
import { MessageReader, type ReadMessage } from './message-reader.ts';
import { message } from './messages.ts';

const LONG = 'x'.repeat(300);
const STREAM = Buffer.concat([
  message('Q', 'select 1'),
  message('D', Buffer.alloc(70)),
  message('S'),
  message('D', Buffer.alloc(0)),
  message('P', 'name', LONG, Buffer.alloc(2)),
  message('S'),
  message('Q', LONG),
]);

interface CopiedMessage extends Omit<ReadMessage, 'body'> {
  body: string;
}

function readerInto(read: CopiedMessage[]): MessageReader {
  return new MessageReader({
    wanted: { Q: { keep: 100, hashed: 'first' }, P: { keep: 100, hashed: 'second' }, S: { keep: 0 } },
    passed: 'D',
    read: (each) => void read.push({ ...each, body: each.body.toString() }),
  });
}

function inPieces(...cuts: readonly number[]): CopiedMessage[] {
  const read: CopiedMessage[] = [];
  const reader = readerInto(read);
  const edges = [0, ...cuts.toSorted((a, b) => a - b), STREAM.length];
  for (const [index, edge] of edges.slice(1).entries()) reader.feed(STREAM.subarray(edges[index], edge));
  expect(reader.isBetween).toBe(true);
  expect(reader.seen).toBe(STREAM.length);
  return read;
}

const WHOLE = inPieces();

test('messages are read, and what is longer than is kept is told by its size and hash', () => {
  const text = { sha256: createHash('sha256').update(LONG).digest('hex'), length: 300 };

  expect(WHOLE).toEqual([
    { type: 'Q', body: 'select 1\0', length: 9 },
    { type: 'S', body: '', length: 0 },
    { type: 'P', body: `name\0${'x'.repeat(95)}`, length: 308, text },
    { type: 'S', body: '', length: 0 },
    { type: 'Q', body: 'x'.repeat(100), length: 301, text },
  ]);
});

test('wherever the stream is cut, the same is read', () => {
  for (let cut = 1; cut < STREAM.length; cut += 1) expect(inPieces(cut)).toEqual(WHOLE);
  expect(inPieces(...Array.from({ length: STREAM.length - 1 }, (_, at) => at + 1))).toEqual(WHOLE);
  for (let round = 0; round < 300; round += 1) {
    const cuts = Array.from({ length: randomInt(1, 12) }, () => randomInt(STREAM.length));
    expect(inPieces(...cuts), `cut at ${cuts.join(' ')}`).toEqual(WHOLE);
  }
});

test('from wherever it stands, the rest of a message is no more than that', () => {
  for (let cut = 1; cut < STREAM.length; cut += 1) {
    const reader = readerInto([]);
    reader.feed(STREAM.subarray(0, cut));
    const taken = reader.feedRest(STREAM.subarray(cut));
    const whole = readerInto([]);
    whole.feed(STREAM.subarray(0, cut + taken));

    expect([reader.isBetween, whole.isBetween]).toEqual([true, true]);
    // One byte less would have been too little.
    if (taken > 0) {
      const less = readerInto([]);
      less.feed(STREAM.subarray(0, cut + taken - 1));
      expect(less.isBetween).toBe(false);
    }
  }
});

test.each([
  ['a type that there is none of', Buffer.from('x\0\0\0\x04')],
  ['a length that leaves no room for itself', Buffer.from('Q\0\0\0\x03')],
  ['more than a gigabyte', Buffer.from('D\x40\0\0\x05')],
  ['four gigabytes', Buffer.from('Q\xff\xff\xff\xff', 'latin1')],
])('%s is no message', (_what, bytes) => {
  expect(() => readerInto([]).feed(bytes)).toThrow(/message/);
  const slowly = readerInto([]);
  expect(() => {
    for (const byte of bytes) slowly.feed(Buffer.of(byte));
  }).toThrow(/message/);
});

test('nothing is allocated for what is only said to come', () => {
  const before = process.memoryUsage().arrayBuffers;
  for (let count = 0; count < 50; count += 1) readerInto([]).feed(Buffer.from('Q\x3f\xff\xff\xffselect', 'latin1'));

  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(4 * 2 ** 20);
});
