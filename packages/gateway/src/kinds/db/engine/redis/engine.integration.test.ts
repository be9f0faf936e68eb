/** The engine between redis-cli and a real server. */
import { execFile, spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type Front, type FrontOptions, startFront } from '../../../../../testing/db/front.ts';
import { PASSWORD, type SecureRedis, startSecureRedis } from '../../../../../testing/db/secure-redis.ts';
import { tlsAs } from '../../../../../testing/db/tls-as.ts';
import { serveRedis } from '../../serve-redis.ts';
import type { ServerTerms } from '../server-terms.ts';
import type { AskedCommand } from './commands.ts';
import { command } from './resp.ts';

const run = promisify(execFile);

let redis: SecureRedis;
let front: Front<AskedCommand, string> | undefined;
const sockets = new Set<Socket>();
beforeAll(async () => {
  redis = await startSecureRedis();
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  sockets.clear();
  await front?.close();
  front = undefined;
});
afterAll(() => redis?.stop());

function termsOf(user: string, other: Partial<ServerTerms> = {}): ServerTerms {
  return {
    user,
    database: '',
    credential: { method: 'password', password: PASSWORD },
    secure: tlsAs(redis.ca),
    isVerified: true,
    ...other,
  };
}
const WITHOUT_TLS = { secure: undefined, isVerified: false };

async function open(terms = termsOf('app'), options: Partial<FrontOptions> = {}): Promise<Front<AskedCommand, string>> {
  const port = terms.secure ? redis.port : redis.plainPort;
  front = await startFront(serveRedis, { port, terms, ...options });
  return front;
}

/** Without any password. */
async function cli(port: number, ...args: readonly string[]): Promise<string> {
  return (await run('redis-cli', ['-p', String(port), ...args], { maxBuffer: 1e9 })).stdout.trimEnd();
}

/** What is typed, line by line. */
async function typed(port: number, lines: readonly string[], ...args: readonly string[]): Promise<string[]> {
  const child = spawn('redis-cli', ['-p', String(port), ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(lines.map((each) => `${each}\n`).join(''));
  let said = '';
  child.stdout.on('data', (piece: Buffer) => {
    said += piece.toString();
  });
  await once(child, 'close');
  return said.trimEnd().split('\n');
}

/** A client that says whatever it wants; `said` is all that it has heard. */
async function raw(port: number): Promise<{ socket: Socket; said: () => string; closed: Promise<unknown> }> {
  const socket = connect(port, '127.0.0.1');
  sockets.add(socket);
  let said = '';
  socket.on('data', (piece: Buffer) => {
    said += piece.toString('latin1');
  });
  const closed = once(socket, 'close');
  await once(socket, 'connect');
  return { socket, said: () => said, closed };
}

test.each([
  ['with a name and a password', 'app', {}],
  ['with a password alone', 'default', {}],
  ['without a password, and without TLS', 'open', { credential: { method: 'password', password: '' }, ...WITHOUT_TLS }],
] as const)('redis-cli signs in without a password of its own: %s', async (_how, user, terms) => {
  const { port, backends } = await open(termsOf(user, { database: '5', ...terms }));

  expect(await cli(port, 'ACL', 'WHOAMI')).toBe(user);
  expect(await cli(port, 'CLIENT', 'INFO')).toMatch(new RegExp(`^id=${backends[1]} .* db=5 `));
});

test('redis-cli signs in by the certificate that the gateway shows', async () => {
  const secure = tlsAs(redis.ca, redis.certificate);
  const { port } = await open(termsOf('open', { credential: { method: 'certificate' }, secure }));

  expect(await cli(port, 'ACL', 'WHOAMI')).toBe('open');
});

test('a password is not sent to a server that nobody has checked', async () => {
  const { port, failures } = await open(termsOf('app', WITHOUT_TLS));

  expect(await cli(port, 'GET', 'a')).toMatch(/not sent without TLS that is checked/);
  expect(failures[0]).toMatchObject({ kind: 'unsafe' });
});

test.each([
  ['app', { credential: { method: 'password', password: 'wrong' } }, 'WRONGPASS'],
  ['default', { credential: { method: 'certificate' } }, 'NOAUTH'],
  ['app', { database: '99' }, 'ERR'],
] as const)('what the server refuses to %s is said in its own words: %j', async (user, terms, code) => {
  const { port, failures } = await open(termsOf(user, terms));

  expect(await cli(port, 'GET', 'a')).toContain(code);
  expect(failures[0]).toMatchObject({ kind: 'refused', code });
});

test('each command is told once, with what came of it', async () => {
  const { port, answered } = await open();
  await typed(port, ['DEL seen', 'RPUSH seen "a b" "\\x00\\xff"', 'LRANGE seen 0 -1', 'INCR seen', 'PING', 'NOSUCH x']);

  await expect.poll(() => front?.sessions.size).toBe(0);
  expect(answered.map(({ outcome, query }) => [query, outcome.ok, outcome.code, outcome.rows])).toEqual([
    ['"DEL" "seen"', true, '', 0],
    ['"RPUSH" "seen" "a b" "\\x00\\xff"', true, '', 0],
    ['"LRANGE" "seen" "0" "-1"', true, '', 2],
    ['"INCR" "seen"', false, 'WRONGTYPE', 0],
    ['"NOSUCH" "x"', false, 'ERR', 0],
  ]);
});

test('secrets in commands are not told', async () => {
  const { port, asked, answered } = await open();
  await typed(port, [
    'AUTH hunter2',
    'ACL SETUSER someone on >hunter2',
    'ACL SETUSER someone <hunter2x',
    'CONFIG SET masterauth hunter2',
    'CONFIG SET masterauth ""',
    'MIGRATE 127.0.0.1 1 nokey 0 10 AUTH hunter2',
    'ACL DELUSER someone',
  ]);

  expect(asked.length).toBeGreaterThan(6);
  expect(JSON.stringify([asked, answered])).not.toContain('hunter2');
  expect(answered.filter(({ outcome }) => outcome.code === 'ERR')).toHaveLength(1);
});

test('what is refused is answered in its turn, and nothing of it reaches the server', async () => {
  const { port, answered } = await open(termsOf('app'), { mayUse: (database) => database === '0' });
  const { socket, said } = await raw(port);
  const words = ['ECHO 1', 'AUTH app x', 'ECHO 2', 'SELECT 3', 'MOVE k 3', 'MONITOR', 'SYNC', 'RESET', 'ECHO 3'];
  socket.write(Buffer.concat(words.map((each) => command(...each.split(' ')))));

  await expect.poll(said).toMatch(/\$1\r\n3\r\n$/);
  expect(
    said()
      .split('\r\n')
      .map((line) => line.split(' ').slice(0, 2).join(' ')),
  ).toEqual([
    ...['$1', '1', '-NOPERM AUTH', '$1', '2', '-NOPERM this', '-NOPERM this', '-NOPERM MONITOR', '-NOPERM SYNC'],
    ...['-NOPERM RESET', '$1', '3', ''],
  ]);
  expect(answered.map(({ outcome }) => outcome.code)).toEqual([
    '',
    'NOPERM',
    '',
    'NOPERM',
    'NOPERM',
    'NOPERM',
    'NOPERM',
    'NOPERM',
    '',
  ]);
  expect(await cli(port, 'INFO', 'commandstats')).not.toMatch(/cmdstat_(?:monitor|sync|reset|move):/);
});

test('a transaction runs, and one that something was refused in does not', async () => {
  const { port, answered } = await open(termsOf('app'), { mayUse: (database) => database === '0' });
  const said = await typed(port, [
    ...['MULTI', 'SET t 1', 'INCR t', 'LPUSH t x', 'EXEC'],
    ...['MULTI', 'SET t 9', 'SELECT 3', 'EXEC', 'GET t'],
    ...['MULTI', 'SET t 8', 'SUBSCRIBE c', 'EXEC', 'GET t'],
  ]);

  expect(said.filter((line) => /EXECABORT/.test(line))).toHaveLength(2);
  expect(said.at(-1)).toBe('2');
  const ends = answered.filter(({ asked }) => asked === 'EXEC').map(({ outcome }) => [outcome.code, outcome.rows]);
  expect(ends).toEqual([
    ['WRONGTYPE', 3],
    ['EXECABORT', 0],
    ['EXECABORT', 0],
  ]);
});

test('in protocol 3 maps, sets, numbers, nothing and pushed messages pass as they came', async () => {
  const { port, answered } = await open();
  const lines = ['HSET h a 1', 'HGETALL h', 'SADD s x', 'SMEMBERS s', 'ZADD z 1.5 m', 'ZSCORE z m', 'GET nothing'];
  const direct = (
    await run('redis-cli', [...cliDirect(), '-3', '--no-raw', 'COMMAND', 'DOCS', 'set'])
  ).stdout.trimEnd();

  expect(await cli(port, '-3', '--no-raw', 'COMMAND', 'DOCS', 'set')).toBe(direct);
  await typed(port, ['DEL h s z']);
  expect(await typed(port, lines, '-3', '--no-raw')).toEqual([
    ...['(integer) 1', '1# "a" => "1"', '(integer) 1', '1~ "x"', '(integer) 1', '(double) 1.5', '(nil)'],
  ]);
  expect(answered.every(({ outcome }) => outcome.ok)).toBe(true);

  const { socket, said } = await raw(port);
  socket.write(Buffer.concat([command('HELLO', '3'), command('CLIENT', 'TRACKING', 'ON'), command('GET', 'tracked')]));
  await expect.poll(said).toContain('_\r\n');
  await cli(port, 'SET', 'tracked', '1');
  await expect.poll(said).toContain('>2\r\n$10\r\ninvalidate');
});

function cliDirect(): string[] {
  return ['-p', String(redis.plainPort), '--user', 'open', '--pass', 'x', '--no-auth-warning'];
}

test.each(['2', '3'])('channels are listened to in protocol %s', async (version) => {
  const { port, answered } = await open();
  const { socket, said } = await raw(port);
  socket.write(Buffer.concat([command('HELLO', version), command('SUBSCRIBE', 'a', 'b'), command('PSUBSCRIBE', 'n*')]));
  await expect.poll(() => answered.length).toBe(2);
  expect(await cli(port, 'PUBLISH', 'news', 'hello')).toBe('1');
  await expect.poll(said).toContain('hello');
  socket.write(Buffer.concat([command('UNSUBSCRIBE'), command('PUNSUBSCRIBE'), command('ECHO', 'over')]));
  await expect.poll(said).toContain('over');

  const told = answered.map(({ query, outcome }) => [query, outcome.ok, outcome.rows]);
  expect(told.filter(([query]) => !String(query).startsWith('"PUBLISH"'))).toEqual([
    ['"SUBSCRIBE" "a" "b"', true, 2],
    ['"PSUBSCRIBE" "n*"', true, 1],
    ['"UNSUBSCRIBE"', true, 2],
    ['"PUNSUBSCRIBE"', true, 1],
    ['"ECHO" "over"', true, 0],
  ]);
});

test('redis-cli listens', async () => {
  const { port, answered } = await open();
  const child = spawn('redis-cli', ['-p', String(port), 'SUBSCRIBE', 'news'], { stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  child.stdout.on('data', (piece: Buffer) => {
    said += piece.toString();
  });
  await expect.poll(() => answered.length).toBe(1);
  await cli(port, 'PUBLISH', 'news', 'hello');
  await expect.poll(() => said).toContain('hello');
  child.kill();
  await once(child, 'close');
});

test('what a user may not is refused by the server', async () => {
  const { port, answered } = await open(termsOf('reader'));
  const said = await typed(port, ['GET a', 'SET a 1', 'SUBSCRIBE other', 'FLUSHALL']);

  expect(said.filter((line) => line.startsWith('NOPERM'))).toHaveLength(3);
  expect(answered.map(({ outcome }) => outcome.code)).toEqual(['', 'NOPERM', 'NOPERM', 'NOPERM']);
});

test('a mass of commands is put in, far ahead of their answers', async () => {
  const { port, answered } = await open();
  const child = spawn('redis-cli', ['-p', String(port), '--pipe'], { stdio: ['pipe', 'pipe', 'inherit'] });
  const count = 50_000;
  child.stdin.end(Array.from({ length: count }, (_, index) => `SET mass:${index} ${index}\r\n`).join(''));
  let said = '';
  child.stdout.on('data', (piece: Buffer) => {
    said += piece.toString();
  });
  await once(child, 'close');

  expect(said).toContain(`errors: 0, replies: ${count}`);
  expect(answered.filter(({ asked, outcome }) => asked === 'SET' && outcome.ok)).toHaveLength(count);
  expect(await cli(port, 'GET', `mass:${count - 1}`)).toBe(String(count - 1));
});

test('values of many megabytes pass bit by bit, out and in again', async () => {
  const { port, asked } = await open();
  const value = randomBytes(24 * 2 ** 20);
  const child = spawn('redis-cli', ['-p', String(port), '-x', 'SET', 'big'], { stdio: ['pipe', 'ignore', 'inherit'] });
  child.stdin.end(value);
  await once(child, 'close');
  const { stdout } = await run('redis-cli', ['-p', String(port), 'GET', 'big'], { maxBuffer: 1e9, encoding: 'buffer' });

  expect(stdout.subarray(0, -1).equals(value)).toBe(true);
  expect(asked[0]?.query).toMatchObject({
    length: value.length + 35,
    sha256: createHash('sha256')
      .update(command('SET', 'big', value))
      .digest('hex'),
  });
  await cli(port, 'DEL', 'big');
});

test('a command that waits is told when it is answered, and is not running when the client has gone', async () => {
  const { port, asked, answered, sessions } = await open();
  const waiting = cli(port, 'BLPOP', 'later', '60');
  await expect.poll(() => asked.length).toBe(1);
  expect([...sessions].map((each) => each.isBusy())).toEqual([true]);
  await cli(port, 'RPUSH', 'later', 'x');
  expect(await waiting).toBe('later\nx');

  const { socket } = await raw(port);
  socket.write(command('BLPOP', 'never', '0'));
  await expect.poll(() => asked.length).toBe(3);
  socket.destroy();
  await expect.poll(() => answered.at(-1)?.outcome.error).toBe('the connection ended before an answer');
  await expect.poll(() => cli(port, 'CLIENT', 'LIST')).not.toContain('cmd=blpop');
});

test('a session that ends says why, and what it ran is over at the server', async () => {
  const { port, asked, sessions } = await open();
  const waiting = cli(port, 'BLPOP', 'never', '0');
  await expect.poll(() => asked.length).toBe(1);
  for (const session of sessions) await session.end('the role that gave this was taken away');

  expect(await waiting).toBe('ERR the role that gave this was taken away');
  await expect.poll(() => cli(port, 'CLIENT', 'LIST')).not.toContain('cmd=blpop');
});

test('in the middle of a long answer, the reason comes behind a whole one', async () => {
  const { port, sessions } = await open();
  // Short enough that the rest of one is through within the second that it is given, and together more than the buffers on the way hold.
  await cli(port, 'SETRANGE', 'long', String(2 ** 20 - 1), 'x');
  const { socket, said, closed } = await raw(port);
  socket.write(Buffer.concat(Array.from({ length: 160 }, () => command('GET', 'long'))));
  await expect.poll(() => said().length).toBeGreaterThan(0);
  for (const session of sessions) await session.end('locked');
  await closed;

  const whole = 2 ** 20 + 12;
  expect(said().slice(-13)).toBe('-ERR locked\r\n');
  expect((said().length - 13) % whole).toBe(0);
  await cli(port, 'DEL', 'long');
});

test('a client that does not read is waited for, and does not fill the memory', async () => {
  const { port, sessions } = await open();
  await cli(port, 'SETRANGE', 'wide', String(2 ** 20 - 1), 'x');
  const { socket } = await raw(port);
  socket.pause();
  const before = process.memoryUsage().arrayBuffers;
  socket.write(Buffer.concat(Array.from({ length: 200 }, () => command('GET', 'wide'))));
  await expect.poll(() => [...sessions].some((each) => each.isBusy())).toBe(true);
  await new Promise((resolve) => setTimeout(resolve, 300));

  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(32 * 2 ** 20);
  await cli(port, 'DEL', 'wide');
});

test('bytes that are no command end the connection behind the answers to those before, and the server hears nothing of them', async () => {
  const { port, malformed, answered } = await open();
  const { socket, said, closed } = await raw(port);
  socket.write('ECHO before\r\n*1\r\n$4\r\nPING\r\n*1\r\n!nonsense\r\nECHO behind\r\n');
  await closed;

  expect(said()).toBe("$6\r\nbefore\r\n+PONG\r\n-ERR Protocol error: expected '$', got '!'\r\n");
  expect(malformed).toEqual(["client: Protocol error: expected '$', got '!'"]);
  expect(answered).toHaveLength(1);
});

test('a client that says no more still hears its answers', async () => {
  const { port } = await open();
  const { socket, said, closed } = await raw(port);
  socket.end(Buffer.concat([command('ECHO', 'last'), command('QUIT')]));
  await closed;

  expect(said()).toBe('$4\r\nlast\r\n+OK\r\n');
});
