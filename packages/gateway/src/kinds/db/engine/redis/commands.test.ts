import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import type { Outcome, RowSample } from '../statement.ts';
import { Commands } from './commands.ts';
import { command } from './resp.ts';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

function world({ isSampled = false, mayUseAll = false } = {}) {
  const asked: string[] = [];
  const answered: string[] = [];
  const outcomes: Outcome[] = [];
  const samples: (RowSample | undefined)[] = [];
  const pace: string[] = [];
  const commands = new Commands({
    teller: {
      asked: ({ query }) => void asked.push(query.text),
      answered(_name, outcome, query, sample) {
        samples.push(sample);
        outcomes.push(outcome);
        answered.push(
          `${query}: ${outcome.ok ? outcome.tag || `ok ${outcome.rows}` : `${outcome.code}! ${outcome.error}`}`,
        );
      },
    },
    mayUse: (database) => database === '0',
    mayUseAll: () => mayUseAll,
    isSampled,
    full: () => void pace.push('full'),
    room: () => void pace.push('room'),
    now: () => 0,
  });
  const ask = (...lines: readonly string[]) =>
    commands.client.feed(Buffer.concat(lines.map((line) => command(...line.split(' '))))).toString();
  const answer = (...pieces: readonly string[]) =>
    commands.server.feed(Buffer.from(pieces.map((each) => `${each}\r\n`).join(''))).toString();
  return { asked, answered, outcomes, samples, pace, commands, ask, answer };
}

const heard = (kind: string, channel: string, count: number | string, sign = '*') =>
  `${sign}3\r\n$${kind.length}\r\n${kind}\r\n$${channel.length}\r\n${channel}\r\n${typeof count === 'number' ? `:${count}` : `$${count.length}\r\n${count}`}`;

test('of several on their way at once, each has its own answer', () => {
  const { ask, answer, answered, outcomes, commands } = world();
  ask('SET a 1', 'GET a', 'LRANGE l 0 -1', 'HGETALL h', 'INCR a', 'FOO');
  answer('+OK', '$1\r\n1', '*2\r\n$1\r\na\r\n$1\r\nb', '%1\r\n+a\r\n+b', ':2', '-ERR unknown command');

  expect(answered).toEqual([
    '"SET" "a" "1": OK',
    '"GET" "a": ok 0',
    '"LRANGE" "l" "0" "-1": ok 2',
    '"HGETALL" "h": ok 1',
    '"INCR" "a": ok 0',
    '"FOO": ERR! ERR unknown command',
  ]);
  expect(outcomes.map(({ bytes }) => bytes)).toEqual([5, 7, 18, 12, 4, 22]);
  expect(commands.isBusy).toBe(false);
});

test('what clients send by themselves is not told, unless it is refused', () => {
  const { ask, answer, asked, answered } = world();
  ask('PING', 'COMMAND DOCS', 'HELLO 3', 'HELLO 3 AUTH a b');
  answer('+PONG', '*0', '%0', '-ERR unknown command');

  expect(asked).toEqual(['"HELLO" "3" "AUTH" "***" "***"']);
  expect(answered).toHaveLength(1);
});

test('what is refused has its answer in its turn, and the transaction it stands in fails', () => {
  const { ask, answer, answered } = world();
  const passed = ask('MULTI', 'SET a 1', 'SELECT 5', 'EXEC', 'GET a');
  const said = answer('+OK', '+QUEUED', "-ERR unknown command 'GATEHOUSE.REFUSED'", '-EXECABORT discarded', '$-1');

  expect(passed).not.toContain('SELECT');
  expect(passed).toContain('GATEHOUSE.REFUSED');
  const refusal = 'NOPERM this user may not use the database 5 here';
  expect(said.split('\r\n')).toEqual(['+OK', '+QUEUED', `-${refusal}`, '-EXECABORT discarded', '$-1', '']);
  expect(answered).toEqual([
    '"MULTI": OK',
    '"SET" "a" "1": QUEUED',
    `"SELECT" "5": NOPERM! ${refusal}`,
    '"EXEC": EXECABORT! EXECABORT discarded',
    '"GET" "a": ok 0',
  ]);
});

test('what fails inside a transaction is told with its end', () => {
  const { ask, answer, answered } = world();
  ask('EXEC', 'LRANGE l 0 -1');
  answer('*2\r\n+OK\r\n-WRONGTYPE no list', '*1\r\n-ERR kept');

  expect(answered).toEqual(['"EXEC": WRONGTYPE! WRONGTYPE no list', '"LRANGE" "l" "0" "-1": ok 1']);
});

test('channels are confirmed one by one, and messages between them belong to nobody', () => {
  const { ask, answer, answered, commands } = world();
  ask('SUBSCRIBE a b', 'PSUBSCRIBE p*', 'UNSUBSCRIBE', 'PING', 'GET x');
  answer(heard('subscribe', 'a', 1), heard('message', 'a', 'hi'), heard('subscribe', 'b', 2));
  answer(heard('psubscribe', 'p*', 3), heard('message', 'a', 'hi'));
  answer(heard('unsubscribe', 'a', 2), heard('unsubscribe', 'b', 1));
  answer('*2\r\n$4\r\npong\r\n$0\r\n', "-ERR Can't execute 'get'", heard('pmessage', 'p*', 'hi'));
  expect(commands.isBusy).toBe(false);
  ask('PUNSUBSCRIBE', 'UNSUBSCRIBE', 'LRANGE l 0 -1');
  answer(heard('punsubscribe', 'p*', 0), '*3\r\n$11\r\nunsubscribe\r\n$-1\r\n:0', heard('message', 'in', 'list'));

  expect(answered).toEqual([
    '"SUBSCRIBE" "a" "b": ok 2',
    '"PSUBSCRIBE" "p*": ok 1',
    '"UNSUBSCRIBE": ok 2',
    `"GET" "x": ERR! ERR Can't execute 'get'`,
    '"PUNSUBSCRIBE": ok 1',
    '"UNSUBSCRIBE": ok 1',
    '"LRANGE" "l" "0" "-1": ok 3',
  ]);
});

test('in protocol 3 messages are pushed, and lists that look like them are answers', () => {
  const { ask, answer, answered, commands } = world();
  ask('HELLO 3', 'SUBSCRIBE a', 'SSUBSCRIBE s', 'LRANGE l 0 -1', 'SUNSUBSCRIBE');
  answer('%0', heard('subscribe', 'a', 1, '>'), heard('message', 'a', 'hi', '>'), heard('ssubscribe', 's', 1, '>'));
  answer(heard('message', 'in', 'list'), heard('sunsubscribe', 's', 0, '>'));
  expect(commands.isBusy).toBe(false);
  // Back to protocol 2, and still listening.
  ask('HELLO 2', 'GET x');
  answer('*0', heard('message', 'a', 'hi'), "-ERR Can't execute");

  expect(answered).toEqual([
    '"SUBSCRIBE" "a": ok 1',
    '"SSUBSCRIBE" "s": ok 1',
    '"LRANGE" "l" "0" "-1": ok 3',
    '"SUNSUBSCRIBE": ok 1',
    `"GET" "x": ERR! ERR Can't execute`,
  ]);
});

test('a channel that may not be listened to is one error', () => {
  const { ask, answer, answered } = world();
  ask('SUBSCRIBE a b c', 'GET x');
  answer('-NOPERM no', '$-1');

  expect(answered).toEqual(['"SUBSCRIBE" "a" "b" "c": NOPERM! NOPERM no', '"GET" "x": ok 0']);
});

test('while it listens, what is refused still has its own answer', () => {
  const { ask, answer, answered } = world();
  ask('SUBSCRIBE a', 'MONITOR');
  const said = answer(heard('subscribe', 'a', 1), heard('message', 'a', 'hi'), '-ERR unknown command');

  expect(said).toMatch(/hi\r\n-NOPERM MONITOR does not pass here/);
  expect(answered[1]).toMatch(/^"MONITOR": NOPERM!/);
});

test.each([
  ['an answer that nobody asked for', [], ['+OK']],
  ['a second answer', ['GET a'], ['$-1', '$-1']],
  ['anything but an error to what it cannot have', ['MONITOR'], ['+OK']],
  ['a list to what it cannot have', ['SUBSCRIBE a', 'MONITOR'], [heard('subscribe', 'a', 1), '*1\r\n+x']],
  ['that what listens waits inside a transaction', ['SUBSCRIBE a'], ['+QUEUED']],
  ['that a change of protocol waits inside a transaction', ['HELLO 3'], ['+QUEUED']],
] as const)('a server that says %s is cut off', (_what, lines, answers) => {
  const { ask, answer, commands } = world();
  ask(...lines);
  answer(...answers);

  expect(commands.server.wrong).toBeDefined();
});

test('what a server says before it hangs up is passed', () => {
  const { answer, commands } = world();

  expect(answer('-ERR idle for too long')).toBe('-ERR idle for too long\r\n');
  expect(commands.server.wrong).toBeUndefined();
});

test('an error that repeats a secret does not tell it', () => {
  const { ask, answer, answered } = world();
  ask('ACL SETUSER u <hunter2');
  answer("-ERR Error in ACL SETUSER modifier '<hunter2': no such password");

  expect(answered.join()).not.toContain('hunter2');
});

test('what nobody answers is told when the connection ends', () => {
  const { ask, commands, answered } = world();
  ask('BLPOP list 0');
  expect(commands.isBusy).toBe(true);
  commands.close();

  expect(answered).toEqual(['"BLPOP" "list" "0": ! the connection ended before an answer']);
});

test('a client that asks without end waits, and goes on when there is room', () => {
  const { commands, pace } = world();
  const many = Buffer.concat(Array.from({ length: 1_000 }, () => command('GET', 'a')));
  for (let round = 0; round < 20; round += 1) commands.client.feed(many);
  expect(pace).toEqual(['full']);
  const done = Buffer.from('$-1\r\n'.repeat(1_000));
  for (let round = 0; round < 13; round += 1) commands.server.feed(done);

  expect(pace).toEqual(['full', 'room']);
});

test('texts that wait for their answers are kept short', () => {
  const { commands, asked } = world();
  const giant = command('SET', 'a', 'x'.repeat(900_000));
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  for (let round = 0; round < 300; round += 1) {
    commands.client.feed(giant);
    asked.length = 0;
  }
  collectGarbage();

  expect(process.memoryUsage().heapUsed - before).toBeLessThan(64 * 2 ** 20);
});

test('the beginning of each answer is told with it, but for lines and errors', () => {
  const { ask, answer, samples } = world({ isSampled: true });
  ask('GET a', 'SET a 1', 'HGETALL h', 'FOO', 'PING');
  answer('$1\r\n1', '+OK', '%1\r\n+a\r\n+b', '-ERR unknown command', '$4\r\nPONG');
  ask('SUBSCRIBE a');
  answer(heard('subscribe', 'a', 1), heard('message', 'a', 'hi'));

  expect(samples.map((sample) => sample?.rows)).toEqual([[['1']], undefined, [['a', 'b']], undefined, undefined]);
});

test('nothing is told of an answer that may hold a secret, not even at the end of a transaction', () => {
  const { ask, answer, samples, answered } = world({ isSampled: true, mayUseAll: true });
  const secret = '*2\r\n$11\r\nrequirepass\r\n$7\r\nhunter2';
  const asking = ['CONFIG GET *', 'config get requirepass', 'ACL GETUSER u', 'ACL LIST', 'ACL GENPASS', 'SLOWLOG GET'];
  ask(...asking, 'SENTINEL CONFIG GET sentinel-pass', 'MODULE LIST');
  answer(...Array.from({ length: 8 }, () => secret));
  ask('MULTI', 'GET a', 'CONFIG GET *', 'EXEC');
  answer('+OK', '+QUEUED', '+QUEUED', `*2\r\n$1\r\na\r\n${secret}`);
  ask('MULTI', 'CONFIG GET *', 'DISCARD');
  answer('+OK', '+QUEUED', '+OK');
  expect(answered).toHaveLength(15);
  expect(samples.filter((sample) => sample)).toEqual([]);

  ask('MULTI', 'GET a', 'EXEC');
  answer('+OK', '+QUEUED', '*1\r\n$1\r\na');
  expect(samples.at(-1)?.rows).toEqual([['a']]);
});
