import { expect, test } from 'vitest';
import { DONE, done, failed, KINDS, result, texts } from '../../../../../testing/db/tds-answers.ts';
import { TokenReader } from './token-reader.ts';

const ANSWER = Buffer.concat([
  result(KINDS, [KINDS.map(({ value }) => value), KINDS.map(({ value }) => value)]),
  done(DONE.more | DONE.count, 2),
  texts(['word'], [['one'], [null], ['']]),
  done(DONE.count, 3),
  failed(50_000, 'no'),
]);

function heardOf(pieces: readonly Buffer[], keep = { cell: 1_000, row: 10_000 }) {
  const heard: unknown[] = [];
  const reader = new TokenReader(
    {
      columns: (columns) => heard.push(columns.map(({ name, type }) => [name, type.name])),
      mayRow: () => true,
      row: (cells, cut) => heard.push({ cells, cut }),
      done: ({ status, rows }) => heard.push([status, rows]),
      told: (token) => heard.push(token),
    },
    keep,
  );
  for (const piece of pieces) reader.feed(piece);
  return { heard, reader };
}

test('values of every type are written as its own programs do', () => {
  const { heard } = heardOf([ANSWER]);

  expect(heard[0]).toEqual(KINDS.map(({ name, typeName }) => [name, typeName]));
  expect(heard[1]).toEqual({ cells: KINDS.map(({ shown }) => shown), cut: [] });
  expect(heard.slice(3)).toEqual([
    ...[[17, 2n], [['word', 'nvarchar(4000)']], { cells: ['one'], cut: [] }, { cells: [null], cut: [] }],
    ...[{ cells: [''], cut: [] }, [16, 3n], 0xaa, [2, 0n]],
  ]);
});

test('wherever the stream is cut, the same is read', () => {
  const { heard } = heardOf([ANSWER]);
  for (let cut = 1; cut < ANSWER.length; cut += 1)
    expect(heardOf([ANSWER.subarray(0, cut), ANSWER.subarray(cut)]).heard).toEqual(heard);
  expect(heardOf(Array.from(ANSWER, (byte) => Buffer.of(byte))).heard).toEqual(heard);
});

test('of a long value only so much is kept, in whole characters, and it is told how long it is', () => {
  const long = texts(['a', 'b'], [[`${'x'.repeat(4)}😀${'y'.repeat(50)}`, 'behind']]);
  const { heard, reader } = heardOf([long], { cell: 10, row: 14 });

  expect(heard[1]).toEqual({
    ...{ cells: ['xxxx', 'be'] },
    cut: [
      { column: 0, bytes: 112 },
      { column: 1, bytes: 12 },
    ],
  });
  expect(reader.isBetween).toBe(true);
});

test('a row where every second value is missing is read by its bits', () => {
  const whole = texts(['a', 'b', 'c'], [['x', 'y', 'z']]);
  const at = whole.lastIndexOf(0xd1);
  const short = Buffer.concat([whole.subarray(0, at), Buffer.of(0xd2, 0b101), whole.subarray(at + 5, at + 9)]);

  expect(heardOf([short]).heard.at(-1)).toEqual({ cells: [null, 'y', null], cut: [] });
});

test('it waits before a row where it is told to, and goes on from there', () => {
  const rows: unknown[] = [];
  let most = 1;
  const nothing = () => {};
  const reader = new TokenReader(
    {
      columns: nothing,
      done: nothing,
      told: nothing,
      mayRow: () => rows.length < most,
      row: (cells) => rows.push(cells),
    },
    { cell: 100, row: 100 },
  );

  expect(reader.feed(texts(['a'], [['1'], ['2'], ['3']]))).toBe(true);
  expect(rows).toEqual([['1']]);
  most = 3;
  expect(reader.feed(Buffer.alloc(0))).toBe(false);
  expect(rows).toEqual([['1'], ['2'], ['3']]);
});

test.each([
  ['a token that nobody has', Buffer.of(0x42)],
  ['a row before any columns', Buffer.of(0xd1, 0)],
  ['columns of a type that is not read', Buffer.from('81010000000000090099', 'hex')],
  ['more columns than any result has', Buffer.from('810220', 'hex')],
])('%s is malformed', (_what, bytes) => expect(() => heardOf([bytes])).toThrow());

test('whatever bytes come, they are read or refused', () => {
  let seed = 7;
  const random = () => {
    seed = (seed * 1_103_515_245 + 12_345) & 0x7fffffff;
    return seed >> 16;
  };
  for (let round = 0; round < 500; round += 1) {
    const bytes = Buffer.from(ANSWER);
    for (let count = 0; count < 4; count += 1) bytes[random() % bytes.length] = random() & 0xff;
    try {
      heardOf([bytes]);
    } catch (error) {
      expect(error).toMatchObject({ kind: 'malformed' });
    }
  }
});

const column = (name: string) =>
  Buffer.concat([Buffer.alloc(6), Buffer.of(0x38, name.length), Buffer.from(name, 'utf16le')]);
const COLUMNS = Buffer.concat([
  Buffer.of(0x81, 0, 0x10),
  ...Array.from({ length: 3_000 }, () => column('x'.repeat(250))),
]);
const LONG = Buffer.alloc(1_900_000);
LONG[0] = 0xee;
LONG.writeUInt32LE(2_000_000, 1);

test.each([
  ['a long token', LONG, Buffer.alloc(50_000)],
  ['columns', COLUMNS, Buffer.concat(Array.from({ length: 97 }, () => column('x'.repeat(250))))],
])('%s that comes byte by byte costs no more than it is long', (_, begun, slow) => {
  const { reader, heard } = heardOf([begun]);
  const before = process.cpuUsage();
  for (const byte of slow) reader.feed(Buffer.of(byte));
  const { user, system } = process.cpuUsage(before);

  expect(heard).toEqual([]);
  expect(reader.isBetween).toBe(false);
  // Read anew with each byte it took a minute.
  expect((user + system) / 1_000).toBeLessThan(10_000);
});

test('a token or a column that says it is longer than any is not waited for', () => {
  const endless = Buffer.of(0xee, 0xff, 0xff, 0xff, 0x7f);
  expect(() => heardOf([endless])).toThrow('longer than any');
  // A text with the names of 255 tables before it, each as long as it can be.
  const wide = Buffer.concat([
    Buffer.of(0x81, 1, 0),
    Buffer.alloc(6),
    Buffer.of(0x23),
    Buffer.alloc(9),
    Buffer.of(255),
  ]);
  const name = Buffer.concat([Buffer.of(0xff, 0xff), Buffer.alloc(65_535 * 2)]);
  expect(() => heardOf([wide, name])).toThrow('longer than any');
});
