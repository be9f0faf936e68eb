import { createHash, randomInt } from 'node:crypto';
import { expect, test } from 'vitest';
import { EMPTY, PacketReader, type ReadPacket } from './packet-reader.ts';
import { MAX_PART_BYTES, packet } from './packets.ts';

const LONG = `q${'x'.repeat(300)}`;
const STREAM = Buffer.concat([
  packet(0, Buffer.from('q select 1')),
  packet(1, Buffer.from('row that is jumped over')),
  packet(2),
  packet(3, Buffer.from('r')),
  packet(4, Buffer.from(LONG)),
  packet(5, Buffer.from('q')),
]);

interface CopiedPacket extends Omit<ReadPacket, 'body'> {
  body: string;
  from: number;
  seen: number;
  sequence: number;
}

function readerInto(read: CopiedPacket[], filled: string[] = []): PacketReader {
  const reader = new PacketReader({
    begin: (first) => (first === EMPTY || first === 0x71 ? { keep: 100, isHashed: true } : undefined),
    filled: (body) => void filled.push(body.toString()),
    read({ body, ...each }) {
      read.push({ ...each, body: body.toString(), from: reader.from, seen: reader.seen, sequence: reader.sequence });
    },
  });
  return reader;
}

function inPieces(...cuts: readonly number[]): CopiedPacket[] {
  const read: CopiedPacket[] = [];
  const filled: string[] = [];
  const reader = readerInto(read, filled);
  const edges = [0, ...cuts.toSorted((a, b) => a - b), STREAM.length];
  for (const [index, edge] of edges.slice(1).entries()) reader.feed(STREAM.subarray(edges[index], edge));
  expect(reader.isBetween).toBe(true);
  expect(reader.seen).toBe(STREAM.length);
  expect(filled).toEqual([LONG.slice(0, 100)]);
  return read;
}

const WHOLE = inPieces();

test('packets are read, and what is longer than is kept is told by its size and hash', () => {
  const sha256 = createHash('sha256').update(LONG.slice(1)).digest('hex');
  expect(WHOLE.map(({ body, length, sequence }) => [body, length, sequence])).toEqual([
    ['q select 1', 10, 0],
    ['', 0, 2],
    [LONG.slice(0, 100), 301, 4],
    ['q', 1, 5],
  ]);
  expect(WHOLE.map((each) => each.sha256)).toEqual([undefined, undefined, sha256, undefined]);
});

test('wherever the stream is cut, the same is read', () => {
  for (let cut = 1; cut < STREAM.length; cut += 1) expect(inPieces(cut)).toEqual(WHOLE);
  expect(inPieces(...Array.from({ length: STREAM.length - 1 }, (_, at) => at + 1))).toEqual(WHOLE);
  for (let round = 0; round < 300; round += 1) {
    const cuts = Array.from({ length: randomInt(1, 12) }, () => randomInt(STREAM.length));
    expect(inPieces(...cuts), `cut at ${cuts.join(' ')}`).toEqual(WHOLE);
  }
});

test('from wherever it stands, the rest of a packet is no more than that', () => {
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

const head = (length: number, sequence: number) =>
  Buffer.of(length & 0xff, (length >> 8) & 0xff, length >> 16, sequence);

test.each([
  ['of one byte more', Buffer.from('y')],
  ['that ends with an empty one', Buffer.alloc(0)],
])('parts of sixteen megabytes are one packet, %s', (_what, rest) => {
  const read: CopiedPacket[] = [];
  const reader = readerInto(read);
  const part = Buffer.alloc(MAX_PART_BYTES, 'q');
  reader.feed(Buffer.concat([head(MAX_PART_BYTES, 0), part]));
  expect([reader.isBetween, read.length]).toEqual([false, 0]);
  reader.feed(Buffer.concat([head(rest.length, 1), rest, packet(2, Buffer.from('q'))]));
  expect(read.map(({ length, sequence }) => [length, sequence])).toEqual([
    [MAX_PART_BYTES + rest.length, 1],
    [1, 2],
  ]);
});

test('more than a gigabyte is no packet', () => {
  const reader = readerInto([]);
  const piece = Buffer.concat([head(MAX_PART_BYTES, 0), Buffer.alloc(MAX_PART_BYTES, 'r')]);
  expect(() => {
    for (let count = 0; count < 66; count += 1) reader.feed(piece);
  }).toThrow(/more than a gigabyte/);
});

test('nothing is allocated for what is only said to come', () => {
  const before = process.memoryUsage().arrayBuffers;
  for (let count = 0; count < 50; count += 1)
    readerInto([]).feed(Buffer.concat([head(MAX_PART_BYTES, 0), Buffer.from('q select')]));
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(4 * 2 ** 20);
});
