import { randomInt } from 'node:crypto';
import { expect, test } from 'vitest';
import { malformed } from '../db-failure.ts';
import { type Reply, ReplyReader } from './reply-reader.ts';

const ANSWERS = [
  '+OK\r\n',
  '-WRONGPASS no é\r\n',
  ':42\r\n',
  '$5\r\nhello\r\n',
  '$0\r\n\r\n',
  '$-1\r\n',
  '*-1\r\n',
  '*0\r\n',
  '*3\r\n$9\r\nsubscribe\r\n$4\r\nnews\r\n:1\r\n',
  '*3\r\n+OK\r\n-ERR one\r\n*2\r\n-ERR two\r\n*0\r\n',
  '%2\r\n+a\r\n:1\r\n$1\r\nb\r\n*1\r\n_\r\n',
  '~1\r\n#t\r\n',
  '*6\r\n$1\r\na\r\n$2\r\nbc\r\n$0\r\n\r\n$-1\r\n$10\r\n0123456789\r\n$1\r\nz\r\n',
  '>2\r\n$10\r\ninvalidate\r\n*1\r\n$1\r\nk\r\n',
  '|1\r\n+ttl\r\n:9\r\n$3\r\nval\r\n',
  '*2\r\n|1\r\n+a\r\n%1\r\n+b\r\n+c\r\n,1.5\r\n(12345678901234567890\r\n',
  '=7\r\ntxt:abc\r\n',
  '*2\r\n>3\r\n$7\r\nmessage\r\n$1\r\na\r\n$1\r\nm\r\n:1\r\n+PONG\r\n',
  '!9\r\nERR multi\r\n',
  '+a\nb\rc\r\n',
  `*2\r\n$30\r\n${'\r\n'.repeat(15)}\r\n:1\r\n`,
];
const STREAM = Buffer.from(ANSWERS.join(''));
/** The place of one is taken by something else. */
const REPLACED = 1;

function readerInto(read: Reply[]): ReplyReader {
  return new ReplyReader({
    replace: (type) => (read.length === REPLACED && type === 'error' ? Buffer.from('-NO\r\n') : undefined),
    read: (reply) => void read.push(reply),
  });
}

function inPieces(...cuts: readonly number[]): { read: Reply[]; given: string } {
  const read: Reply[] = [];
  const reader = readerInto(read);
  const edges = [0, ...cuts.toSorted((a, b) => a - b), STREAM.length];
  const given = edges.slice(1).map((edge, index) => reader.feed(STREAM.subarray(edges[index], edge)));
  expect([reader.wrong, reader.isBetween]).toEqual([undefined, true]);
  return { read, given: Buffer.concat(given).toString() };
}

const WHOLE = inPieces();
const sizeOf = (text: string) => Buffer.byteLength(text);

test('each answer is read as one, whatever stands in it', () => {
  expect(WHOLE.read.map(({ bytes }) => bytes)).toEqual(ANSWERS.map(sizeOf));
  expect(WHOLE.read.map(({ type, text, count }) => [type, type === 'line' || type === 'error' ? text : count])).toEqual(
    [
      ['line', 'OK'],
      ['error', 'WRONGPASS no é'],
      ['number', 0],
      ['text', 0],
      ['text', 0],
      ['text', 0],
      ['list', 0],
      ['list', 0],
      ['list', 3],
      ['list', 3],
      ['map', 2],
      ['list', 1],
      ['list', 6],
      ['push', 2],
      ['text', 0],
      ['list', 2],
      ['text', 0],
      ['list', 2],
      ['error', 'ERR multi'],
      ['line', 'a\nb\rc'],
      ['list', 2],
    ],
  );
  expect(WHOLE.read[8]).toMatchObject({ first: 'subscribe', number: 1 });
  expect(WHOLE.read[9]).toMatchObject({ first: 'OK', innerError: 'ERR one' });
  expect(WHOLE.read[13]).toMatchObject({ first: 'invalidate' });
});

test('what takes the place of an answer is given instead of it', () => {
  expect(WHOLE.given).toBe(ANSWERS.with(REPLACED, '-NO\r\n').join(''));
});

test('wherever the stream is cut, the same is read and given', () => {
  for (let cut = 1; cut < STREAM.length; cut += 1) expect(inPieces(cut), `cut at ${cut}`).toEqual(WHOLE);
  expect(inPieces(...Array.from({ length: STREAM.length - 1 }, (_, at) => at + 1))).toEqual(WHOLE);
  for (let round = 0; round < 200; round += 1) {
    const cuts = Array.from({ length: randomInt(1, 12) }, () => randomInt(STREAM.length));
    expect(inPieces(...cuts), `cut at ${cuts.join(' ')}`).toEqual(WHOLE);
  }
});

test('from wherever it stands, the rest of an answer is no more than that', () => {
  const ends = ANSWERS.map((_, index) => sizeOf(ANSWERS.slice(0, index + 1).join('')));
  for (let cut = 1; cut < STREAM.length; cut += 1) {
    const reader = new ReplyReader({ replace: () => undefined, read: () => {} });
    reader.feed(STREAM.subarray(0, cut));
    const { length } = reader.feedRest(STREAM.subarray(cut));

    expect(reader.isBetween).toBe(true);
    expect(cut + length).toBe(ends.find((end) => end >= cut));
  }
});

test.each([
  ['a type that there is none of', 'x\r\n', /of the type 120/],
  ['a text of more than a gigabyte', '$1073741825\r\n', /says it has '1073741825' bytes/],
  ['a text of less than nothing', '$-2\r\n', /says it has '-2' bytes/],
  ['a count that is no number', '*1x\r\n', /says it has '1x' values/],
  ['values without end', '*99999999999\r\n', /values/],
  ['a size without end', `$${'1'.repeat(50)}`, /does not say how long it is/],
  ['lists without end', '*1\r\n'.repeat(2_000), /lists in lists/],
  ['a text in a list longer than it says', '*3\r\n$1\r\na\r\n$1\r\nab\r\n', /does not end where it says/],
  ['a size with a zero before it', '*3\r\n$1\r\na\r\n$01\r\na\r\n', /says it has '01' bytes/],
  ['a text longer than it says', '$1\r\nab\r\n', /does not end where it says/],
  ['a text whose end is no end', '$1\r\na\r\r', /does not end where it says/],
])('%s is no answer: what came before is given, and nothing of it', (_what, bytes, words) => {
  const reader = new ReplyReader({ replace: () => undefined, read: () => {} });

  expect(reader.feed(Buffer.from(`+OK\r\n${bytes}`)).toString()).toBe('+OK\r\n');
  expect(reader.wrong?.error.message).toMatch(words);
  expect(reader.isBetween).toBe(true);
  expect(reader.feed(Buffer.from('+OK\r\n'))).toHaveLength(0);
  const slowly = new ReplyReader({ replace: () => undefined, read: () => {} });
  const given = Buffer.concat([...Buffer.from(bytes)].map((byte) => slowly.feed(Buffer.of(byte))));
  expect(slowly.wrong?.error.message).toMatch(words);
  expect(slowly.isBetween).toBe(given.length === 0);
});

test('an answer that nobody asked for is not given', () => {
  const reader = new ReplyReader({
    replace: () => undefined,
    read({ type }) {
      if (type === 'number') throw malformed('nobody asked');
    },
  });

  expect(reader.feed(Buffer.from('+OK\r\n:1\r\n+OK\r\n')).toString()).toBe('+OK\r\n');
  expect(reader.isBetween).toBe(true);
});

test('nothing is allocated for what is only said to come', () => {
  const before = process.memoryUsage().arrayBuffers;
  const reader = new ReplyReader({ replace: () => undefined, read: () => {} });
  reader.feed(Buffer.from('*4294967296\r\n$1073741824\r\nabc'));

  expect([reader.wrong, process.memoryUsage().arrayBuffers - before < 2 ** 20]).toEqual([undefined, true]);
});
