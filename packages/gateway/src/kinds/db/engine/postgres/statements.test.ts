import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import type { Outcome } from '../statement.ts';
import { message, numbers } from './messages.ts';
import type { ClientRequest } from './read-request.ts';
import { Statements } from './statements.ts';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

const ready = message('Z', Buffer.from('I'));
const error = (code: string) => message('E', 'SERROR', `C${code}`, 'Mno', Buffer.of(0));
const parse = (name: string, text: string) => message('P', name, text, Buffer.alloc(2));
const bind = (portal: string, statement: string) => message('B', portal, statement, Buffer.alloc(6));
const execute = (portal: string) => message('E', portal, numbers(0));
const sync = message('S');

function world() {
  const asked: ClientRequest[] = [];
  const answered: string[] = [];
  const outcomes: Outcome[] = [];
  const pace: string[] = [];
  const statements = new Statements(
    {
      asked: (each) => void asked.push(each),
      answered(each, outcome, query) {
        outcomes.push(outcome);
        answered.push(`${each.what} ${outcome.ok ? outcome.tag || 'ok' : outcome.code || outcome.error}: ${query}`);
      },
    },
    { full: () => void pace.push('full'), room: () => void pace.push('room') },
    { standardStrings: true, now: () => 0 },
  );
  return { asked, answered, outcomes, pace, statements };
}

test('of several on their way at once, each has its own answer', () => {
  const { statements, answered } = world();
  statements.client.feed(
    Buffer.concat([
      parse('a', 'first'),
      bind('', 'a'),
      execute(''),
      parse('', 'second'),
      bind('', ''),
      execute(''),
      sync,
    ]),
  );
  statements.server.feed(
    Buffer.concat([
      message('1'),
      message('2'),
      message('C', 'INSERT 0 3'),
      message('1'),
      message('2'),
      message('C', 'SELECT 2'),
      ready,
    ]),
  );

  expect(answered).toEqual([
    'parse ok: first',
    'bind ok: first',
    'execute INSERT 0 3: first',
    'parse ok: second',
    'bind ok: second',
    'execute SELECT 2: second',
  ]);
  expect(statements.isBusy).toBe(false);
});

test('after one that fails, what the server skips is told as not run, and what follows is told again', () => {
  const { statements, answered } = world();
  statements.client.feed(Buffer.concat([parse('', 'wrong'), bind('', ''), execute(''), sync, message('Q', 'fine')]));
  statements.server.feed(Buffer.concat([error('42601'), ready, message('C', 'SELECT 1'), ready]));

  expect(answered).toEqual([
    'parse 42601: wrong',
    'bind not run: a statement before it failed: wrong',
    'execute not run: a statement before it failed: wrong',
    'query SELECT 1: fine',
  ]);
});

test('a transaction that fails at its end is told with the last statement', () => {
  const { statements, answered } = world();
  statements.client.feed(Buffer.concat([parse('', 'late'), bind('', ''), execute(''), sync]));
  statements.server.feed(
    Buffer.concat([message('1'), message('2'), message('C', 'INSERT 0 1'), error('23503'), ready]),
  );

  expect(answered.at(-1)).toBe('sync 23503: late');
});

test('several commands in one text are one statement, with all rows together', () => {
  const { statements, outcomes } = world();
  statements.client.feed(message('Q', 'a; b'));
  statements.server.feed(Buffer.concat([message('C', 'UPDATE 2'), message('C', 'DELETE 3'), ready]));

  expect(outcomes).toMatchObject([{ ok: true, rows: 5, bytes: 34 }]);
});

test('a server that answers nothing of what was asked hides nothing', () => {
  const { statements, answered } = world();
  statements.client.feed(Buffer.concat([parse('', 'hidden'), execute(''), sync]));
  statements.server.feed(ready);

  expect(answered).toEqual(['parse the database did not answer: hidden', 'execute the database did not answer: ']);
});

test('what nobody answers is told when the connection ends', () => {
  const { statements, answered } = world();
  statements.client.feed(message('Q', 'select pg_sleep(600)'));
  expect(statements.isBusy).toBe(true);
  statements.close();

  expect(answered).toEqual(['query the connection ended before an answer: select pg_sleep(600)']);
});

test('a client that asks without end waits, and goes on when there is room', () => {
  const { statements, pace } = world();
  const many = Buffer.concat(Array.from({ length: 1_000 }, () => execute('')));
  for (let round = 0; round < 20; round += 1) statements.client.feed(many);
  expect(pace).toEqual(['full']);
  const done = Buffer.concat(Array.from({ length: 1_000 }, () => message('C', 'SELECT 0')));
  for (let round = 0; round < 13; round += 1) statements.server.feed(done);

  expect(pace).toEqual(['full', 'room']);
});

test('texts that wait for their answers are kept short', () => {
  const { statements, asked } = world();
  const giant = parse('', 'x'.repeat(900_000));
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  for (let round = 0; round < 300; round += 1) {
    statements.client.feed(giant);
    asked.length = 0;
  }
  collectGarbage();

  expect(process.memoryUsage().heapUsed - before).toBeLessThan(64 * 2 ** 20);
});

test('values that were bound are told, so many and so much of each', () => {
  const { statements, asked } = world();
  const value = (bytes: Buffer) => Buffer.concat([numbers(bytes.length), bytes]);
  const values = Buffer.concat([value(Buffer.from('text')), value(Buffer.alloc(100, 0xff)), numbers(0xffffffff)]);
  statements.client.feed(
    message('B', '', 's', Buffer.from([0, 3, 0, 0, 0, 1, 0, 0, 0, 3]), values, Buffer.from([0, 0])),
  );

  expect(asked[0]).toEqual({
    what: 'bind',
    portal: '',
    statement: 's',
    values: ['text', `\\x${'ff'.repeat(64)}`, 'NULL'],
  });
});

test('where a text ends is as the server says it does', () => {
  const { statements, asked } = world();
  const statement = "alter role a password '\\'; drop table t; --'";
  statements.client.feed(message('Q', statement));
  statements.server.feed(Buffer.concat([message('S', 'standard_conforming_strings', 'off'), ready]));
  statements.client.feed(message('Q', statement));

  const texts = asked.map((each) => (each.what === 'query' ? each.query.text : ''));
  expect(texts).toEqual(["alter role a password '***'; drop table t; --'", "alter role a password '***'"]);
});

const copyBegins = message('G', Buffer.from([0, 0, 0]));
const copyDone = message('c');

test('a Sync that the server drops inside COPY is waited for by nobody', () => {
  const { statements, answered } = world();
  // As libpq does it: the first Sync is read in the middle of COPY, the second behind it.
  statements.client.feed(Buffer.concat([parse('', 'copy t'), bind('', ''), execute(''), sync]));
  statements.server.feed(Buffer.concat([message('1'), message('2'), copyBegins]));
  statements.client.feed(Buffer.concat([message('d', Buffer.from('row')), sync, copyDone, sync]));
  statements.server.feed(Buffer.concat([message('C', 'COPY 1'), ready]));
  statements.client.feed(message('Q', 'next'));
  statements.server.feed(Buffer.concat([error('42601'), ready]));

  expect(answered.slice(2)).toEqual(['execute COPY 1: copy t', 'query 42601: next']);
  expect(statements.isBusy).toBe(false);
});

test.each([
  ['dropped the Syncs before it', []],
  ['answers one of them', [ready]],
  ['answers all of them', [ready, ready]],
])('after COPY in a text fails, the next statement has its own answer where the server %s', (_how, more) => {
  const { statements, answered } = world();
  statements.client.feed(message('Q', 'copy t'));
  statements.server.feed(copyBegins);
  statements.client.feed(Buffer.concat([sync, sync, copyDone, message('Q', 'second'), message('Q', 'third')]));
  const rest = [message('C', 'SELECT 2'), ready, error('42601'), ready];
  statements.server.feed(Buffer.concat([error('22P02'), ready, ...more, ...rest]));

  expect(answered).toEqual(['query 22P02: copy t', 'query SELECT 2: second', 'query 42601: third']);
  expect(statements.isBusy).toBe(false);
});

test.each([
  ['dropped the Sync before it', [ready]],
  ['answers it', [ready, ready]],
])('after COPY that was executed fails, the next statement has its own answer where the server %s', (_how, more) => {
  const { statements, answered } = world();
  statements.client.feed(Buffer.concat([execute(''), sync]));
  statements.server.feed(Buffer.concat([copyBegins, error('42809')]));
  statements.client.feed(Buffer.concat([message('f', 'no'), sync]));
  statements.server.feed(Buffer.concat(more));
  statements.client.feed(message('Q', 'next'));
  statements.server.feed(Buffer.concat([error('42601'), ready]));

  expect(answered).toEqual(['execute 42809: ', 'query 42601: next']);
  expect(statements.isBusy).toBe(false);
});

test('of two COPY in one text, each drops its own', () => {
  const { statements, answered } = world();
  statements.client.feed(message('Q', 'copy a; copy b'));
  statements.server.feed(copyBegins);
  statements.client.feed(Buffer.concat([sync, copyDone]));
  statements.server.feed(Buffer.concat([message('C', 'COPY 1'), copyBegins]));
  statements.client.feed(Buffer.concat([sync, copyDone, message('Q', 'next')]));
  statements.server.feed(Buffer.concat([message('C', 'COPY 2'), ready, message('C', 'SELECT 0'), ready]));

  expect(answered).toEqual(['query COPY 2: copy a; copy b', 'query SELECT 0: next']);
});

test('an end of COPY where there is none is waited for by nobody', () => {
  const { statements, answered } = world();
  statements.client.feed(Buffer.concat([copyDone, message('Q', 'one'), copyDone, message('Q', 'two')]));
  statements.server.feed(Buffer.concat([message('C', 'SELECT 1'), ready, message('C', 'SELECT 2'), ready]));
  statements.client.feed(copyDone);

  expect(answered).toEqual(['query SELECT 1: one', 'query SELECT 2: two']);
  expect(statements.isBusy).toBe(false);
});

test('what is asked in the middle of COPY, or behind one whose end nobody could tell, does not pass', () => {
  const inside = world().statements;
  inside.client.feed(message('Q', 'copy t'));
  inside.server.feed(copyBegins);
  expect(() => inside.client.feed(message('Q', 'more'))).toThrow('in the middle of COPY');

  const behind = world().statements;
  behind.client.feed(execute(''));
  behind.server.feed(copyBegins);
  behind.client.feed(Buffer.concat([sync, copyDone, sync]));
  expect(() => behind.client.feed(message('Q', 'more'))).toThrow('COPY is not answered');

  const early = world().statements;
  early.client.feed(Buffer.concat([message('Q', 'copy t'), message('Q', 'more')]));
  expect(() => early.server.feed(copyBegins)).toThrow('COPY, in the middle of which');
});

test.each([
  ['a text without end', message('Q', Buffer.from('select'))],
  ['a value longer than its message', message('B', '', '', Buffer.from([0, 0, 0, 1, 0x7f, 0xff, 0xff, 0xff, 1]))],
  ['a password after the sign-in', message('p', 'x')],
])('%s is malformed', (_what, bytes) => {
  expect(() => world().statements.client.feed(bytes)).toThrow();
});

test('what is asked behind a COPY takes no longer the more of it there is', () => {
  const { statements, answered } = world();
  statements.client.feed(message('Q', 'copy t'));
  statements.server.feed(copyBegins);
  const before = process.threadCpuUsage();
  statements.client.feed(Buffer.concat(Array.from({ length: 40_000 }, () => sync)));
  expect(process.threadCpuUsage(before).user / 1_000).toBeLessThan(5_000);
  statements.client.feed(copyDone);
  statements.server.feed(Buffer.concat([message('C', 'COPY 1'), ready]));
  expect(answered).toEqual(['query COPY 1: copy t']);
  expect(statements.isBusy).toBe(false);
});
