import { createHash, randomInt } from 'node:crypto';
import { expect, test } from 'vitest';
import { CommandReader } from './command-reader.ts';
import { judgeCommand, wordsToJudge } from './judge-command.ts';
import { command } from './resp.ts';
import { showCommand } from './show-command.ts';

const BIG = 'x'.repeat(300);
const PASSED = [
  command('SET', 'key', 'two words\r\n'),
  command('PING'),
  command('HELLO', '3', 'SETNAME', 'auth'),
  command('SELECT', '2'),
  command('MSET', '', BIG, Buffer.of(0, 0xff), ''),
  command('COPY', 'a', 'b', 'DB', '2', 'REPLACE'),
];
const REFUSED = [
  command('AUTH', 'user', 'hunter2'),
  command('hello', '3', 'AUTH', 'user', 'hunter2', 'SETNAME', 'me'),
  command('select', '7'),
  Buffer.from('auth hunter2\r\n'),
];
const IN_ITS_PLACE = command('GATEHOUSE.REFUSED');
const STREAM = Buffer.concat([
  ...PASSED.slice(0, 2),
  REFUSED[0] as Buffer,
  ...PASSED.slice(2, 4),
  Buffer.from('*0\r\n*-1\r\n\r\n  \n'),
  REFUSED[1] as Buffer,
  REFUSED[2] as Buffer,
  Buffer.from(`get "a\\x41\\n" 'it\\'s'\r\n`),
  PASSED[4] as Buffer,
  REFUSED[3] as Buffer,
  PASSED[5] as Buffer,
]);
const GIVEN = Buffer.concat([
  ...PASSED.slice(0, 2),
  IN_ITS_PLACE,
  ...PASSED.slice(2, 4),
  IN_ITS_PLACE,
  IN_ITS_PLACE,
  command('get', 'aA\n', "it's"),
  PASSED[4] as Buffer,
  IN_ITS_PLACE,
  PASSED[5] as Buffer,
]);

function readerInto(read: string[]): CommandReader {
  return new CommandReader({
    needs: wordsToJudge,
    judge: (words) =>
      judgeCommand(words, {
        ...{ isInTransaction: false, mayUse: (database) => database === '2', mayUseAll: () => false },
      }),
    read({ words, bytes, refusal }) {
      const { query } = showCommand(words, bytes);
      read.push(`${query.text} of ${query.length}${refusal === undefined ? '' : ` refused: ${refusal.slice(0, 20)}`}`);
    },
  });
}

function inPieces(stream: Buffer, ...cuts: readonly number[]): { read: string[]; given: string; wrong: string } {
  const read: string[] = [];
  const reader = readerInto(read);
  const edges = [0, ...cuts.toSorted((a, b) => a - b), stream.length];
  const given = edges.slice(1).map((edge, index) => Buffer.from(reader.feed(stream.subarray(edges[index], edge))));
  return {
    read,
    given: Buffer.concat(given).toString('latin1'),
    wrong: reader.wrong ? reader.wrong.error.message : '',
  };
}

const everyByte = (stream: Buffer) => Array.from({ length: stream.length - 1 }, (_, at) => at + 1);
const WHOLE = inPieces(STREAM);

test('commands are read in their words, and those that are refused go no further', () => {
  expect(WHOLE.read).toEqual([
    '"SET" "key" "two words\\r\\n" of 40',
    '"PING" of 14',
    '"AUTH" "***" "***" of 37 refused: NOPERM AUTH does not',
    '"HELLO" "3" "SETNAME" "auth" of 45',
    '"SELECT" "2" of 23',
    '"hello" "3" "AUTH" "***" "***" "SETNAME" "me" of 76 refused: NOPERM HELLO does no',
    '"select" "7" of 23 refused: NOPERM this user may',
    '"get" "aA\\n" "it\'s" of 23',
    `"MSET" "" "${BIG}" "\\x00\\xff" "" of 342`,
    '"auth" "***" of 14 refused: NOPERM AUTH does not',
    '"COPY" "a" "b" "DB" "2" "REPLACE" of 56',
  ]);
  expect(WHOLE.given).toBe(GIVEN.toString('latin1'));
  expect(WHOLE.wrong).toBe('');
});

test('wherever the stream is cut, the same is read and given', () => {
  for (let cut = 1; cut < STREAM.length; cut += 1) expect(inPieces(STREAM, cut)).toEqual(WHOLE);
  expect(inPieces(STREAM, ...everyByte(STREAM))).toEqual(WHOLE);
  for (let round = 0; round < 300; round += 1) {
    const cuts = Array.from({ length: randomInt(1, 12) }, () => randomInt(STREAM.length));
    expect(inPieces(STREAM, ...cuts), `cut at ${cuts.join(' ')}`).toEqual(WHOLE);
  }
});

test.each([
  ['more words than a million', '*1048577\r\n', /invalid multibulk length/],
  ['a count that is no number', '*x\r\n', /invalid multibulk length/],
  ['a count with a zero before it', '*01\r\n$4\r\nPING\r\n', /invalid multibulk length/],
  ['a count with a sign', '*+1\r\n$4\r\nPING\r\n', /invalid multibulk length/],
  ['a count without end', `*${'1'.repeat(64)}`, /invalid multibulk length/],
  ['an end of line of one byte', '*1\n$4\r\nPING\r\n', /invalid multibulk length/],
  ['a word of more than half a gigabyte', '*1\r\n$536870913\r\n', /invalid bulk length/],
  ['a word of less than nothing', '*1\r\n$-1\r\n', /invalid bulk length/],
  ['something that is no word', '*1\r\n:1\r\n', /expected '\$', got ':'/],
  ['an unseen byte that is no word', '*1\r\n\x01', /expected '\$', got '\\x01'/],
  ['a word that is longer than it says', '*1\r\n$3\r\nPING\r\n', /does not end where it says/],
  ['a quote without end', 'GET "a\r\n', /unbalanced quotes/],
  ['something behind a quote', 'GET "a"b\r\n', /unbalanced quotes/],
  ['a zero in a line', 'PING\0\r\n', /unbalanced quotes/],
  ['a line without end', 'x'.repeat(65_537), /too big inline request/],
])('%s is no command, and what came before it passes', (_what, bytes, words) => {
  const stream = Buffer.concat([command('GET', 'a'), Buffer.from(bytes, 'latin1')]);
  const whole = inPieces(stream);

  expect(whole.wrong).toMatch(words);
  expect(whole.wrong).toMatch(/^Protocol error: /);
  expect(whole.read).toEqual(['"GET" "a" of 20']);
  expect(whole.given).toBe(command('GET', 'a').toString());
  if (stream.length < 1_000) expect(inPieces(stream, ...everyByte(stream))).toEqual(whole);
});

test('nothing passes behind what is no command', () => {
  const reader = readerInto([]);
  reader.feed(Buffer.from('*x\r\n'));

  expect(reader.feed(command('GET', 'a'))).toHaveLength(0);
});

test.each([
  ['AUTH hunt', 'er2 "x\r\n', 'AUTH'],
  ['*2\r\n$4\r\nAUTH\r\n$3\r\n', 'hunter2\r\n', 'AUTH'],
])('the sample of what is wrong shows no password: %j', (before, after, shown) => {
  const reader = readerInto([]);
  reader.feed(Buffer.from(before));
  reader.feed(Buffer.from(after));

  expect(reader.wrong?.sample.toString()).toBe(shown);
});

test('nothing is allocated for what is only said to come', () => {
  const before = process.memoryUsage().arrayBuffers;
  for (let count = 0; count < 50; count += 1) {
    readerInto([]).feed(Buffer.from('*1048576\r\n$3\r\nSET\r\n$536870912\r\nxxx'));
  }

  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(4 * 2 ** 20);
});

test('what decides about a command is held back only so far', () => {
  const read: string[] = [];
  const reader = readerInto(read);
  const giant = command('COPY', 'k'.repeat(70_000), 'b');
  const many = command('COPY', ...Array.from({ length: 100 }, () => 'x'));
  const name = command('n'.repeat(70_000));

  expect(reader.feed(Buffer.concat([giant, many, name])).toString()).toBe(IN_ITS_PLACE.toString().repeat(3));
  expect(read.map((each) => each.split(' refused: ')[1])).toEqual(
    Array.from({ length: 3 }, () => 'ERR the command is t'),
  );
});

test('of a giant command the beginning is told, and the whole by its size and hash', () => {
  const told: { length: number; text: string; sha256?: string }[] = [];
  const reader = new CommandReader({
    needs: wordsToJudge,
    judge: () => undefined,
    read: ({ words, bytes }) => void told.push(showCommand(words, bytes).query),
  });
  const giants = [
    command('SET', 'k', 'v'.repeat(3 * 2 ** 20), 'EX', '10'),
    command('SET', 'k', Buffer.alloc(2 ** 20 - 100)),
    Buffer.from(`*400001\r\n$3\r\nDEL\r\n${'$0\r\n\r\n'.repeat(400_000)}`),
    Buffer.from(`*400001\r\n$3\r\nDEL\r\n${'$3\r\nabc\r\n'.repeat(400_000)}`),
  ];
  for (const giant of giants) {
    for (let at = 0; at < giant.length; at += 60_000) reader.feed(giant.subarray(at, at + 60_000));
    expect(told.at(-1)).toMatchObject({
      length: giant.length,
      sha256: createHash('sha256').update(giant).digest('hex'),
    });
    expect(told.at(-1)?.text.length).toBeLessThanOrEqual(2 ** 20);
    expect(told.at(-1)?.text.length).toBeGreaterThan(2 ** 20 - 64);
  }
});

test('of a command with secrets there is no hash, however long it is', () => {
  const told: { sha256?: string }[] = [];
  const reader = new CommandReader({
    needs: wordsToJudge,
    judge: () => undefined,
    read: ({ words, bytes }) => void told.push(showCommand(words, bytes).query),
  });
  reader.feed(command('ACL', 'SETUSER', 'a', '~'.repeat(2 ** 21), '>hunter2'));

  expect(told[0]?.sha256).toBeUndefined();
});
