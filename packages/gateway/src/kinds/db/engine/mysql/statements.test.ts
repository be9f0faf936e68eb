import { randomInt } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Outcome } from '../statement.ts';
import { CAN } from './capabilities.ts';
import { errorPacket, measured, packet, STATUS } from './packets.ts';
import type { ClientCommand } from './read-command.ts';
import { Statements } from './statements.ts';

const OLD = CAN.protocol41;
const NEW = CAN.protocol41 | CAN.deprecateEof | CAN.sessionTrack | CAN.localFiles;

const text = (number: number, words: string) => packet(0, Buffer.concat([Buffer.of(number), Buffer.from(words)]));
const query = (words: string) => text(3, words);
const toDatabase = (name: string) => text(2, name);
const ok = (sequence: number, { affected = 0, status = 2 } = {}) =>
  packet(sequence, Buffer.of(0, affected, 0, status & 0xff, status >> 8, 0, 0));
const eof = (sequence: number, status = 2) => packet(sequence, Buffer.of(0xfe, 0, 0, status & 0xff, status >> 8));
const okAsEnd = (sequence: number, status = 2) =>
  packet(sequence, Buffer.of(0xfe, 0, 0, status & 0xff, status >> 8, 0, 0));
const column = (sequence: number) => packet(sequence, Buffer.from('\x03def and more'));
const row = (sequence: number, words = 'x') => packet(sequence, measured(Buffer.from(words)));
const number = (value: number, bytes = 4) => {
  const buffer = Buffer.alloc(bytes);
  buffer.writeUIntLE(value, 0, bytes);
  return buffer;
};

/** Two columns, rows, and their end, from a number on. */
function result(from: number, rows: number, isNew: boolean, status = 2): Buffer {
  let next = from;
  const parts = [packet(next++, Buffer.of(2)), column(next++), column(next++)];
  if (!isNew) parts.push(eof(next++));
  for (let count = 0; count < rows; count += 1) parts.push(row(next++));
  parts.push(isNew ? okAsEnd(next, status) : eof(next, status));
  return Buffer.concat(parts);
}

function world({ capabilities = NEW as number, mayUse = (name: string) => name !== 'other' } = {}) {
  const asked: ClientCommand[] = [];
  const answered: string[] = [];
  const outcomes: Outcome[] = [];
  const pace: string[] = [];
  const said: Buffer[] = [];
  const statements = new Statements(
    {
      asked: (each) => void asked.push(each),
      answered(each, outcome, words) {
        outcomes.push(outcome);
        answered.push(`${each.what} ${outcome.ok ? outcome.rows : outcome.code || outcome.error}: ${words}`);
      },
    },
    { mayUse },
    { full: () => void pace.push('full'), room: () => void pace.push('room'), say: (bytes) => void said.push(bytes) },
    { capabilities, backslashes: true, now: () => 0 },
  );
  return { asked, answered, outcomes, pace, said, statements };
}

test.each([
  ['as it was', OLD],
  ['as it is', NEW],
])('results are followed to their end, %s', (_how, capabilities) => {
  const isNew = capabilities === NEW;
  const { statements, answered, outcomes } = world({ capabilities });
  const answers = [
    result(1, 3, isNew),
    ok(1, { affected: 5 }),
    Buffer.concat([
      result(1, 2, isNew, STATUS.moreResults),
      ok(7, { affected: 1, status: STATUS.moreResults }),
      result(8, 0, isNew),
    ]),
    Buffer.concat([result(1, 2, isNew).subarray(0, -4 - (isNew ? 7 : 5)), errorPacket(9, 1317, 'interrupted')]),
    Buffer.concat([result(1, 1, isNew, STATUS.moreResults), errorPacket(7, 1064, 'syntax')]),
  ];
  for (const [at, answer] of answers.entries()) {
    statements.lookAtClient(query(`q${at}`));
    expect(statements.isBusy).toBe(true);
    expect(statements.lookAtServer(answer)).toEqual(answer);
    expect(statements.isBusy).toBe(false);
  }
  expect(answered).toEqual(['query 3: q0', 'query 5: q1', 'query 3: q2', 'query 1317: q3', 'query 1064: q4']);
  expect(outcomes.map(({ bytes }) => bytes)).toEqual(answers.map(({ length }) => length));
});

test('a row that begins with a large field is no end', () => {
  const { statements, answered } = world({ capabilities: OLD });
  statements.lookAtClient(query('q'));
  const large = packet(5, Buffer.concat([Buffer.of(0xfe), Buffer.alloc(70_000)]));
  statements.lookAtServer(Buffer.concat([result(1, 0, false).subarray(0, -9), large, eof(6)]));
  expect(answered).toEqual(['query 1: q']);
});

const prepared = (statement: number, columns: number, parameters: number) =>
  packet(1, Buffer.of(0), number(statement), number(columns, 2), number(parameters, 2), Buffer.of(0, 0, 0));

test.each([
  ['as it was', OLD],
  ['as it is', NEW],
])('prepared statements are known by their numbers, with their values, %s', (_how, capabilities) => {
  const isNew = capabilities === NEW;
  const { statements, asked, answered } = world({ capabilities });
  const ends = (sequence: number) => (isNew ? Buffer.alloc(0) : eof(sequence));
  statements.lookAtClient(text(22, 'select ?, ?'));
  statements.lookAtServer(
    Buffer.concat([prepared(9, 2, 2), column(2), column(3), ends(4), column(5), column(6), ends(7)]),
  );
  expect(statements.isBusy).toBe(false);
  const values = Buffer.concat([
    Buffer.of(0),
    Buffer.of(1),
    Buffer.of(8, 0, 253, 0),
    number(7, 4),
    number(0, 4),
    measured(Buffer.from('text')),
  ]);
  statements.lookAtClient(packet(0, Buffer.of(23), number(9), Buffer.of(0), number(1), values));
  statements.lookAtServer(result(1, 2, isNew));
  // A cursor: no rows come before they are fetched.
  statements.lookAtClient(packet(0, Buffer.of(23), number(9), Buffer.of(1), number(1), Buffer.of(3, 0)));
  statements.lookAtServer(
    Buffer.concat([packet(1, Buffer.of(2)), column(2), column(3), (isNew ? okAsEnd : eof)(4, STATUS.cursorExists)]),
  );
  expect(statements.isBusy).toBe(false);
  statements.lookAtClient(packet(0, Buffer.of(28), number(9), number(50)));
  statements.lookAtServer(Buffer.concat([row(1), row(2), (isNew ? okAsEnd : eof)(3)]));
  statements.lookAtClient(packet(0, Buffer.of(24), number(9), number(1, 2), Buffer.from('long data')));
  statements.lookAtClient(
    packet(0, Buffer.of(23), number(9), Buffer.of(0), number(1), Buffer.of(0, 0), number(5, 4), number(0, 4)),
  );
  statements.lookAtServer(ok(1));
  statements.lookAtClient(packet(0, Buffer.of(26), number(9)));
  statements.lookAtServer(ok(1));
  statements.lookAtClient(packet(0, Buffer.of(25), number(9)));
  expect(answered).toEqual([
    'prepare 0: select ?, ?',
    'execute 2: select ?, ?',
    'execute 0: select ?, ?',
    'fetch 2: select ?, ?',
    'sendLongData 0: select ?, ?',
    'execute 0: select ?, ?',
    'resetStatement 0: select ?, ?',
    'closeStatement 0: select ?, ?',
  ]);
  expect(asked.filter(({ what }) => what !== 'prepare')).toEqual([
    { what: 'execute', statement: 9, values: ['7', 'text'] },
    { what: 'execute', statement: 9, values: ['NULL', 'NULL'] },
    { what: 'fetch', statement: 9, rows: 50 },
    { what: 'sendLongData', statement: 9, parameter: 1, size: 9 },
    { what: 'execute', statement: 9, values: ['5', '(sent before)'] },
    { what: 'resetStatement', statement: 9 },
    { what: 'closeStatement', statement: 9 },
  ]);
});

test('many rows at once are told as far as they are shown', () => {
  const { statements, asked } = world();
  statements.lookAtClient(text(22, 'insert into t values (?)'));
  statements.lookAtServer(Buffer.concat([prepared(1, 0, 1), column(2)]));
  const rows = Array.from({ length: 150 }, (_, at) =>
    at === 1 ? Buffer.of(1) : Buffer.concat([Buffer.of(0), number(at)]),
  );
  statements.lookAtClient(packet(0, Buffer.of(250), number(1), number(0x80, 2), Buffer.of(3, 0), ...rows));
  const [, bulk] = asked;
  expect(bulk).toMatchObject({ what: 'bulkExecute', values: expect.arrayContaining(['0', 'NULL', '99', '…']) });
});

test.each([
  ['useDatabase', toDatabase('shop'), { what: 'useDatabase', database: 'shop' }],
  ['createDatabase', text(5, 'x'), { what: 'createDatabase', database: 'x' }],
  ['dropDatabase', text(6, 'x'), { what: 'dropDatabase', database: 'x' }],
  ['refresh', packet(0, Buffer.of(7, 5)), { what: 'refresh', subcommand: 'grants, tables' }],
  ['shutDown', packet(0, Buffer.of(8)), { what: 'shutDown' }],
  ['processKill', packet(0, Buffer.of(12), number(77)), { what: 'processKill', process: 77 }],
  ['debug', packet(0, Buffer.of(13)), { what: 'debug' }],
])('%s is told', (what, bytes, told) => {
  const { statements, asked, answered } = world();
  expect(statements.lookAtClient(bytes)).toEqual(bytes);
  statements.lookAtServer(ok(1));
  expect([asked, answered]).toEqual([[told], [`${what} 0: `]]);
});

test.each([
  ['another user', packet(0, Buffer.of(17), Buffer.alloc(50)), 1047],
  ['a copy of the whole log', packet(0, Buffer.of(18), Buffer.alloc(10)), 1047],
  ['a replica', packet(0, Buffer.of(21), Buffer.alloc(10)), 1047],
  ['what nobody knows', packet(0, Buffer.of(200)), 1047],
  ['a database that may not be used', toDatabase('other'), 1044],
  ['the same in a text', query('use `other`'), 1044],
  ['the same in a text that is prepared', text(22, 'use other'), 1044],
])('%s is refused, in its turn, and the session goes on', (_what, bytes, code) => {
  const { statements, said, outcomes } = world();
  expect(statements.lookAtClient(bytes)).toHaveLength(0);
  expect(said.map((each) => [each[3], each[4], each.readUInt16LE(5)])).toEqual([[1, 0xff, code]]);
  expect(outcomes).toMatchObject([{ ok: false, code: String(code) }]);
  expect(statements.isBusy).toBe(false);
  // Between others that are on their way, it waits for theirs.
  const before = query('a');
  const after = query('b');
  expect(statements.lookAtClient(Buffer.concat([before, bytes, after]))).toEqual(Buffer.concat([before, after]));
  expect(said).toHaveLength(1);
  expect(statements.lookAtServer(Buffer.concat([ok(1), ok(1)]))).toEqual(
    Buffer.concat([ok(1), said[0] as Buffer, ok(1)]),
  );
});

const CLIENT = Buffer.concat([
  query('a'),
  toDatabase('other'),
  packet(0, Buffer.of(14)),
  packet(0, Buffer.of(17), Buffer.alloc(9)),
  query('select 1; use other'),
  query('b'),
]);
const PASSED = Buffer.concat([query('a'), packet(0, Buffer.of(14)), query('b')]);
const SERVER = Buffer.concat([result(1, 2, true), ok(1), errorPacket(1, 1064, 'no')]);

function cutAt(client: readonly number[], server: readonly number[]) {
  const { statements, answered, said } = world();
  const pieces = (bytes: Buffer, cuts: readonly number[]) =>
    [0, ...cuts].map((from, at) => bytes.subarray(from, [...cuts, bytes.length][at]));
  const passed = Buffer.concat(pieces(CLIENT, client).map((piece) => statements.lookAtClient(piece)));
  const heard = Buffer.concat(pieces(SERVER, server).map((piece) => statements.lookAtServer(piece)));
  return { passed, heard: heard.toString('hex'), answered, said };
}

test('wherever both streams are cut, the same passes, the same is refused, the same is told', () => {
  const whole = cutAt([], []);
  expect(whole.passed).toEqual(PASSED);
  expect(whole.answered).toEqual([
    'query 2: a',
    'useDatabase 1044: ',
    'refused 1047: ',
    'query 1044: select 1; use other',
    'query 1064: b',
  ]);
  for (let cut = 1; cut < CLIENT.length; cut += 1) expect(cutAt([cut], []), `client at ${cut}`).toEqual(whole);
  for (let cut = 1; cut < SERVER.length; cut += 1) expect(cutAt([], [cut]), `server at ${cut}`).toEqual(whole);
  const each = (length: number) => Array.from({ length: length - 1 }, (_, at) => at + 1);
  expect(cutAt(each(CLIENT.length), each(SERVER.length))).toEqual(whole);
  for (let round = 0; round < 200; round += 1) {
    const some = (length: number) =>
      [...new Set(Array.from({ length: 4 }, () => randomInt(1, length)))].toSorted((a, b) => a - b);
    const [client, server] = [some(CLIENT.length), some(SERVER.length)];
    expect(cutAt(client, server), `cut at ${client.join(' ')} and ${server.join(' ')}`).toEqual(whole);
  }
});

test('nothing of what may be refused reaches the server before it was decided', () => {
  const { statements } = world();
  const bytes = query('use other');
  for (const byte of bytes) expect(statements.lookAtClient(Buffer.of(byte))).toHaveLength(0);
  expect(statements.lookAtClient(query('a'))).toEqual(query('a'));
});

test('a statement of many megabytes is not held back to its end', () => {
  const { statements, asked } = world();
  const bytes = query(`insert into t values ('${'x'.repeat(3_000_000)}')`);
  const first = statements.lookAtClient(bytes.subarray(0, 2_000_000));
  const second = statements.lookAtClient(bytes.subarray(2_000_000));
  expect(first.length).toBe(2_000_000);
  expect(Buffer.concat([first, second]).equals(bytes)).toBe(true);
  expect(asked).toMatchObject([{ query: { length: 3_000_025, sha256: expect.any(String) } }]);
});

test.each([
  ['the file that was named', "load data local infile '/tmp/a' into table t", '/tmp/a', true],
  ['another file', "load data local infile '/tmp/a' into table t", '/etc/passwd', false],
  ['a file where none was named', 'select 1', '/etc/passwd', false],
])('a server that asks for %s', (_what, words, file, isFine) => {
  const { statements, answered } = world();
  statements.lookAtClient(query(words));
  const asks = packet(1, Buffer.of(0xfb), Buffer.from(file));
  if (!isFine) {
    expect(() => statements.lookAtServer(asks)).toThrow(/which the statement does not name/);
    expect(statements.nextSequence).toBe(1);
    return;
  }
  expect(statements.lookAtServer(asks)).toEqual(asks);
  // What looks like a command is the content of the file.
  const content = Buffer.concat([packet(2, Buffer.of(17, 1, 2)), packet(3)]);
  expect(statements.lookAtClient(content)).toEqual(content);
  statements.lookAtServer(ok(4, { affected: 2 }));
  expect(answered).toEqual([`query 2: ${words}`]);
});

test('a client that has not said that it sends files is asked for none', () => {
  const { statements } = world({ capabilities: OLD });
  statements.lookAtClient(query("load data local infile '/tmp/a' into table t"));
  expect(() => statements.lookAtServer(packet(1, Buffer.of(0xfb), Buffer.from('/tmp/a')))).toThrow(/does not name/);
});

test('a file is not asked for while commands are on their way, which would be taken for its content', () => {
  const { statements } = world();
  const words = "load data local infile '/tmp/a' into table t";
  statements.lookAtClient(Buffer.concat([query(words), query('b')]));
  expect(() => statements.lookAtServer(packet(1, Buffer.of(0xfb), Buffer.from('/tmp/a')))).toThrow(/more commands/);
});

test('a database that is used in a way nobody could read is noticed', () => {
  const { statements } = world();
  statements.lookAtClient(query('execute immediate @secret'));
  const changes = measured(Buffer.concat([Buffer.of(1), measured(measured(Buffer.from('other')))]));
  const told = packet(1, Buffer.of(0, 0, 0, 2, 0x40, 0, 0), measured(Buffer.alloc(0)), changes);
  expect(() => statements.lookAtServer(told)).toThrow(/'other', which may not be used/);
});

test('where a text ends is as the server says it does', () => {
  const { statements, asked } = world();
  const words = "create user a identified by '\\'; drop table t; -- '";
  statements.lookAtClient(query(words));
  statements.lookAtServer(ok(1, { status: STATUS.noBackslashEscapes }));
  statements.lookAtClient(query(words));
  expect(asked.map((each) => (each.what === 'query' ? each.query.text : ''))).toEqual([
    "create user a identified by '***'",
    "create user a identified by '***'; drop table t; -- '",
  ]);
});

test('what nobody answers is told when the connection ends', () => {
  const { statements, answered } = world();
  statements.lookAtClient(query('select sleep(600)'));
  statements.close();
  expect(answered).toEqual(['query the connection ended before an answer: select sleep(600)']);
});

test('the reason of an end bears the number that is next', () => {
  const { statements } = world();
  expect(statements.nextSequence).toBe(1);
  statements.lookAtClient(query('q'));
  expect(statements.nextSequence).toBe(1);
  // Row 296 has the number 299, of which the first byte has come.
  const bytes = result(1, 300, true);
  statements.lookAtServer(bytes.subarray(0, -40));
  expect([statements.isBetween, statements.nextSequence]).toEqual([false, 299 - 256]);
  expect(statements.lookAtRest(bytes.subarray(-40))).toHaveLength(5);
  expect([statements.isBetween, statements.nextSequence]).toEqual([true, 300 - 256]);
});

test('a client that asks without end waits, and goes on when there is room', () => {
  const { statements, pace } = world();
  const many = Buffer.concat(Array.from({ length: 1_000 }, () => query('q')));
  for (let round = 0; round < 5; round += 1) statements.lookAtClient(many);
  expect(pace).toEqual(['full']);
  const done = Buffer.concat(Array.from({ length: 1_000 }, () => ok(1)));
  for (let round = 0; round < 4; round += 1) statements.lookAtServer(done);
  expect(pace).toEqual(['full', 'room']);
});

test.each([
  ['an empty packet', packet(0)],
  ['another number', packet(3, Buffer.of(3))],
  ['half a number of a statement', packet(0, Buffer.of(25, 1))],
  ['a name of a database with a zero', toDatabase('a\0b')],
])('%s of a client is malformed', (_what, bytes) => {
  expect(() => world().statements.lookAtClient(bytes)).toThrow();
});

test.each([
  ['an answer to nothing', '', ok(1)],
  ['an empty answer', 'q', packet(1)],
  ['a size that is none', 'q', packet(1, Buffer.of(0xfc, 0, 0))],
  ['a million columns', 'q', packet(1, Buffer.of(0xfd, 0x40, 0x42, 0x0f))],
  ['an end where a result begins', 'q', eof(1)],
  ['an OK that is cut off', 'q', packet(1, Buffer.of(0, 0))],
])('%s of a server is malformed', (_what, words, bytes) => {
  const { statements } = world();
  if (words !== '') statements.lookAtClient(query(words));
  expect(() => statements.lookAtServer(bytes)).toThrow();
});

test('a server that shuts down says so to a client that rests', () => {
  const words = errorPacket(1, 1927, 'Connection was killed');
  expect(world().statements.lookAtServer(words)).toEqual(words);
});
