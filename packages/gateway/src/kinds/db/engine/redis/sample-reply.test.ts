import { expect, test } from 'vitest';
import { SAMPLED_ANSWER_BYTES } from '../kept-beginning.ts';
import type { RowSample } from '../statement.ts';
import { ReplyReader } from './reply-reader.ts';
import { sampleReply } from './sample-reply.ts';

/** As they are read from a stream that is cut there. */
function samplesOf(stream: Buffer, ...cuts: readonly number[]): (RowSample | undefined)[] {
  const samples: (RowSample | undefined)[] = [];
  const reader = new ReplyReader({
    replace: () => undefined,
    read: ({ bytes }, beginning) => void samples.push(beginning && sampleReply(beginning, bytes)),
    keepsBeginning: true,
  });
  const edges = [0, ...cuts, stream.length];
  for (const [index, edge] of edges.slice(1).entries()) {
    // What a socket reads next may stand in the same memory.
    const piece = Buffer.from(stream.subarray(edges[index], edge));
    reader.feed(piece);
    piece.fill(0);
  }
  expect([reader.wrong, reader.isBetween]).toEqual([undefined, true]);
  return samples;
}

const sampleOf = (answer: string | Buffer) => samplesOf(Buffer.from(answer))[0];
const text = (value: string) => `$${Buffer.byteLength(value)}\r\n${value}\r\n`;
const values = (...rows: (string | null)[]): RowSample => ({
  columns: ['value'],
  rows: rows.map((row) => [row]),
  isCut: false,
});

const ANSWERS: readonly [string, RowSample | undefined][] = [
  [text('hello é'), values('hello é')],
  [text(''), values('')],
  ['$-1\r\n', values(null)],
  ['*-1\r\n', values(null)],
  ['_\r\n', values(null)],
  [':42\r\n', values('42')],
  [',1.5\r\n', values('1.5')],
  ['#t\r\n', values('true')],
  ['#f\r\n', values('false')],
  ['(12345678901234567890\r\n', values('12345678901234567890')],
  ['=7\r\ntxt:abc\r\n', values('abc')],
  ['=2\r\nab\r\n', values('')],
  ['*0\r\n', undefined],
  ['%0\r\n', undefined],
  [`*4\r\n${text('a\r\nb')}:1\r\n$-1\r\n${text('')}`, values('a\r\nb', '1', null, '')],
  [`~2\r\n${text('a')}${text('b')}`, values('a', 'b')],
  ['*3\r\n+OK\r\n-WRONGTYPE no\r\n!6\r\nERR no\r\n', values('OK', '(error) WRONGTYPE no', '(error) ERR no')],
  [
    `%2\r\n${text('a')}:1\r\n+b\r\n*2\r\n_\r\n${text('say "x"')}`,
    {
      columns: ['key', 'value'],
      rows: [
        ['a', '1'],
        ['b', '[null, "say \\"x\\""]'],
      ],
      isCut: false,
    },
  ],
  [
    `*2\r\n${text('0')}*2\r\n%1\r\n${text('k')}*0\r\n*3\r\n#t\r\n,2.5\r\n-ERR x\r\n`,
    values('0', '[{"k": []}, [true, 2.5, "(error) ERR x"]]'),
  ],
  // What is said about values, and what is pushed between them, is none of them.
  [`|1\r\n+ttl\r\n:9\r\n${text('val')}`, values('val')],
  [`*2\r\n|1\r\n+a\r\n%1\r\n+b\r\n*2\r\n:1\r\n:2\r\n,1.5\r\n${text('b')}`, values('1.5', 'b')],
  [`*2\r\n>3\r\n${text('message')}${text('a')}*1\r\n${text('m')}:1\r\n+PONG\r\n`, values('1', 'PONG')],
  ['$3\r\n\x00\xff\x01\r\n', values('\\x00ff01')],
];
const STREAM = Buffer.concat(
  ANSWERS.map(([answer]) => Buffer.from(answer, answer.includes('\xff') ? 'latin1' : 'utf8')),
);
const EXPECTED = ANSWERS.map(([, sample]) => sample);

test('every kind of value is shown as a row, in both versions of the protocol', () => {
  expect(samplesOf(STREAM)).toEqual(EXPECTED);
});

test('wherever the stream is cut, the same is shown', () => {
  for (let cut = 1; cut < STREAM.length; cut += 1) expect(samplesOf(STREAM, cut), `cut at ${cut}`).toEqual(EXPECTED);
  expect(samplesOf(STREAM, ...Array.from({ length: STREAM.length - 1 }, (_, at) => at + 1))).toEqual(EXPECTED);
});

test('fifty rows are shown, and that there are more', () => {
  const list = (count: number) => `*${count}\r\n${Array.from({ length: count }, (_, n) => `:${n}\r\n`).join('')}`;
  const [fifty, more] = [sampleOf(list(50)), sampleOf(list(51))];

  expect([fifty?.rows.length, fifty?.isCut]).toEqual([50, false]);
  expect([more?.rows.length, more?.isCut, more?.rows[49]]).toEqual([50, true, ['49']]);
});

test('a giant value is shown by its beginning, and what stands behind it is not', () => {
  const giant = text('x'.repeat(1_000_000));

  expect(sampleOf(giant)).toEqual({ ...values('x'.repeat(1_000)), isCut: true });
  expect(sampleOf(`*3\r\n:1\r\n${giant}:2\r\n`)).toEqual({ ...values('1', 'x'.repeat(1_000)), isCut: true });
  expect(sampleOf(`%1\r\n${giant}:2\r\n`)?.rows).toEqual([['x'.repeat(1_000)]]);
  const nested = sampleOf(`*2\r\n*2\r\n:1\r\n${giant}:2\r\n`);
  expect([nested?.rows.length, nested?.isCut, nested?.rows[0]?.[0]?.slice(0, 8)]).toEqual([1, true, '[1, "xxx']);
});

test('a value that is longer than is shown leaves its place to the next one', () => {
  const long = 'x'.repeat(5_000);

  expect(sampleOf(`*2\r\n${text(long)}:2\r\n`)).toEqual(values(long.slice(0, 1_000), '2'));
  const rows = sampleOf(`*2\r\n*2\r\n${text(long)}:1\r\n:2\r\n`)?.rows ?? [];
  const cell = rows[0]?.[0];
  expect([cell?.length, cell?.endsWith('…'), rows[1]]).toEqual([1_000, true, ['2']]);
});

test('what is nested deeper than anybody reads is not shown, and the next row is', () => {
  const sample = sampleOf(`*2\r\n${'*1\r\n'.repeat(1_000)}:1\r\n:2\r\n`);

  expect(sample).toEqual(values(`${'['.repeat(32)}…`, '2'));
  expect(sampleOf(`*1\r\n${'|1\r\n+a\r\n'.repeat(1_000)}${':1\r\n'.repeat(1_001)}`)).toEqual(values('1'));
});

test('wherever the beginning of an answer ends, rows are shown up to there', () => {
  const answer = Buffer.from(
    `%3\r\n${text('first')}*2\r\n:1\r\n${text('two')}|1\r\n+a\r\n:1\r\n+b\r\n#t\r\n:3\r\n$-1\r\n`,
  );
  const whole = sampleReply(answer, answer.length)?.rows ?? [];
  expect(whole).toEqual([
    ['first', '[1, "two"]'],
    ['b', 'true'],
    ['3', null],
  ]);
  for (let end = 0; end < answer.length; end += 1) {
    const sample = sampleReply(answer.subarray(0, end), answer.length);
    if (!sample) continue;
    expect(sample.isCut, `at ${end}`).toBe(true);
    for (const row of sample.rows.slice(0, -1)) expect(whole).toContainEqual(row);
  }
});

test('of an answer without end no more is held than is shown', () => {
  const held: number[] = [];
  const reader = new ReplyReader({
    replace: () => undefined,
    read: (_reply, beginning) => void held.push(beginning?.length ?? -1),
    keepsBeginning: true,
  });
  const before = process.memoryUsage().arrayBuffers;
  reader.feed(Buffer.from('*4294967296\r\n'));
  const piece = Buffer.from(text('x'.repeat(1_000)).repeat(100));
  for (let round = 0; round < 200; round += 1) reader.feed(piece);
  expect([reader.wrong, process.memoryUsage().arrayBuffers - before < 4 * 2 ** 20]).toEqual([undefined, true]);

  const single = new ReplyReader({
    replace: () => undefined,
    read: (_reply, beginning) => void held.push(beginning?.length ?? -1),
    keepsBeginning: true,
  });
  for (const byte of Buffer.from(text('x'.repeat(100_000)))) single.feed(Buffer.of(byte));
  expect(held).toEqual([SAMPLED_ANSWER_BYTES]);
});

test('whoever wants no samples is given none', () => {
  const given: unknown[] = [];
  const reader = new ReplyReader({ replace: () => undefined, read: (_reply, beginning) => void given.push(beginning) });
  reader.feed(Buffer.from('$5\r\nhe'));
  reader.feed(Buffer.from('llo\r\n:1\r\n'));

  expect(given).toEqual([undefined, undefined]);
});
