/** The engine between PostgreSQL's own programs and a real server. */
import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type Front, startFront } from '../../../../../testing/db/front.ts';
import { PASSWORD, type SecurePostgres, startSecurePostgres } from '../../../../../testing/db/secure-postgres.ts';
import { tlsAs } from '../../../../../testing/db/tls-as.ts';
import { servePostgres } from '../../serve-postgres.ts';
import type { ServerTerms } from '../server-terms.ts';
import { cancelRequest } from './messages.ts';
import type { ClientRequest } from './read-request.ts';

const run = promisify(execFile);
const ROWS = 1_000_000;

let postgres: SecurePostgres;
let front: Front<ClientRequest> | undefined;
beforeAll(async () => {
  postgres = await startSecurePostgres();
});
afterEach(async () => {
  await front?.close();
  front = undefined;
});
afterAll(() => postgres?.stop());

/** As the user `by_HOW`, whatever the client says. */
function termsOf(user: string, other: Partial<ServerTerms> = {}): ServerTerms {
  return {
    user,
    database: postgres.database,
    credential: { method: 'password', password: PASSWORD },
    secure: tlsAs(postgres.ca),
    isVerified: true,
    ...other,
  };
}

async function open(terms = termsOf('by_scram')): Promise<Front<ClientRequest>> {
  front = await startFront(servePostgres, { port: postgres.port, terms });
  return front;
}

/** Without any password, under a name that the server does not have. */
const address = (port: number) => `postgres://nobody@127.0.0.1:${port}/nobody`;
const psqlArgs = (port: number, ...more: string[]) => [
  '-X',
  '-w',
  '-q',
  '-At',
  '-v',
  'ON_ERROR_STOP=1',
  '-h',
  '127.0.0.1',
  '-p',
  String(port),
  '-U',
  'nobody',
  '-d',
  'nobody',
  ...more,
]; // prettier-ignore
const psql = (port: number, sql: string) => run('psql', psqlArgs(port, '-c', sql), { maxBuffer: 1e8 });

async function connected(port: number): Promise<Client> {
  const client = new Client({ connectionString: address(port) });
  client.on('error', () => {});
  await client.connect();
  return client;
}

test.each([
  ['SCRAM inside TLS', 'by_scram', {}],
  ['SCRAM without TLS', 'by_scram', { secure: undefined, isVerified: false }],
  ['md5', 'by_md5', {}],
  ['the password itself, inside TLS that is checked', 'by_clear', {}],
] as const)('psql signs in without a password of its own: %s', async (_how, user, terms) => {
  const { port } = await open(termsOf(user, terms));

  const { stdout } = await psql(port, 'select current_user, current_database()');

  expect(stdout).toBe(`${user}|${postgres.database}\n`);
});

test('psql signs in by the certificate that the gateway shows', async () => {
  const secure = tlsAs(postgres.ca, postgres.certificate);
  const { port } = await open(termsOf('by_cert', { credential: { method: 'certificate' }, secure }));

  expect((await psql(port, 'select current_user')).stdout).toBe('by_cert\n');
});

test('a password is not sent to a server that nobody has checked', async () => {
  const { port, failures } = await open(termsOf('by_clear', { secure: undefined, isVerified: false }));

  await expect(psql(port, 'select 1')).rejects.toThrow(/wants the password itself, without TLS that is checked/);
  expect(failures[0]?.next).toMatch(/scram-sha-256/);
});

test('what the server refuses is said in its own words, with its code', async () => {
  const { port, failures } = await open(termsOf('by_scram', { credential: { method: 'password', password: 'wrong' } }));

  await expect(psql(port, 'select 1')).rejects.toThrow(/password authentication failed for user "by_scram"/);
  expect(failures[0]).toMatchObject({ kind: 'refused', code: '28P01' });
});

test('each statement is told once, with what came of it', async () => {
  const { port, answered } = await open();
  const client = await connected(port);
  await client.query('create table seen (n int primary key)');
  await client.query({ name: 'put', text: 'insert into seen values ($1)', values: [7] });
  await expect(client.query({ name: 'put', values: [7], text: 'insert into seen values ($1)' })).rejects.toThrow(
    /duplicate key/,
  );
  await expect(client.query('selct 1')).rejects.toThrow(/syntax error/);
  await client.query('select n from seen; select 1');
  await client.end();

  await expect.poll(() => front?.sessions.size).toBe(0);
  const told = answered.map(({ asked, outcome, query }) => [asked.what, outcome.ok, outcome.code, outcome.rows, query]);
  const put = 'insert into seen values ($1)';
  expect(told).toEqual([
    ['query', true, '', 0, 'create table seen (n int primary key)'],
    ['parse', true, '', 0, put],
    ['bind', true, '', 0, put],
    ['execute', true, '', 1, put],
    ['bind', true, '', 0, put],
    ['execute', false, '23505', 0, put],
    ['query', false, '42601', 0, 'selct 1'],
    ['query', true, '', 2, 'select n from seen; select 1'],
  ]);
});

test('passwords in statements are not told', async () => {
  const { port, asked, answered } = await open();
  await psql(port, "alter role by_md5 password 'hunter2'; select 'fine'");
  await psql(port, `alter role by_md5 password '${PASSWORD.replaceAll("'", "''")}'`);

  expect(JSON.stringify([asked, answered])).not.toContain('hunter2');
  expect(asked[0]).toMatchObject({ what: 'query', query: { text: "alter role by_md5 password '***'; select 'fine'" } });
});

test('a million rows pass bit by bit, out and in again, and a dump is the same at both ends', async () => {
  const { port } = await open();
  await psql(port, `create table big as select n, md5(n::text) as t from generate_series(1, ${ROWS}) n`);
  const copied = async (from: number, table: string, direct = false) => {
    const args = direct ? ['-X', '-q', postgres.url] : psqlArgs(from);
    const child = spawn('psql', [...args, '-c', `\\copy (select * from ${table} order by n) to stdout`]);
    const hash = createHash('sha256');
    child.stdout.on('data', (piece: Buffer) => hash.update(piece));
    const [code] = await once(child, 'close');
    expect(code).toBe(0);
    return hash.digest('hex');
  };
  await psql(port, 'create table again (n int, t text)');
  const pipe = `psql ${psqlArgs(port).join(' ')} -c '\\copy big to stdout' | psql ${psqlArgs(port).join(' ')} -c '\\copy again from stdin'`;
  await run('sh', ['-ec', pipe]);

  const direct = await copied(0, 'big', true);
  expect(await copied(port, 'big')).toBe(direct);
  expect(await copied(port, 'again')).toBe(direct);
  const dump = async (url: string) => (await run('pg_dump', ['-t', 'seen', '--inserts', url])).stdout;
  const unnamed = (text: string) => text.replaceAll(/^\\(?:un)?restrict .*$/gm, '');
  expect(unnamed(await dump(address(port)))).toBe(unnamed(await dump(postgres.url)));
  await psql(port, 'drop table big; drop table again');
});

test('pgbench runs with statements that are prepared, several clients at once', async () => {
  const { port, answered } = await open();
  const common = ['-h', '127.0.0.1', '-p', String(port), '-U', 'nobody'];
  await run('pgbench', [...common, '-i', '-q', 'nobody']);
  const { stdout } = await run('pgbench', [...common, '-n', '-M', 'prepared', '-c', '4', '-t', '25', 'nobody']);

  expect(stdout).toContain('number of transactions actually processed: 100/100');
  expect(answered.filter(({ outcome }) => !outcome.ok)).toEqual([]);
});

test('Ctrl-C in psql cancels at the server', async () => {
  const { port, asked, answered } = await open();
  const child = spawn('psql', psqlArgs(port, '-c', 'select pg_sleep(600)'), { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.on('data', (piece: Buffer) => {
    said += piece.toString();
  });
  await expect.poll(() => asked.length).toBe(1);
  // The first may come before the statement runs.
  const keys = setInterval(() => child.kill('SIGINT'), 500);
  await once(child, 'close');
  clearInterval(keys);

  expect(said).toContain('canceling statement due to user request');
  expect(answered[0]?.outcome).toMatchObject({ ok: false, code: '57014' });
});

test('what was cancelled by a driver leaves the session open, and the key is not the one that the server gave', async () => {
  const { port, asked } = await open();
  const client = await connected(port);
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  const told = client as unknown as { processID: number; secretKey: number };
  expect(told.processID).not.toBe(rows[0]?.pid);
  const failed = client.query('select pg_sleep(600)').catch((error: unknown) => error);
  await expect.poll(() => asked.length).toBe(2);
  await cancelWith(port, told.processID, told.secretKey + 1);
  await cancelWith(port, told.processID, told.secretKey);

  expect(await failed).toMatchObject({ code: '57014' });
  expect((await client.query('select 40 + 2 as n')).rows).toEqual([{ n: 42 }]);
  await client.end();
});

async function cancelWith(port: number, pid: number, secret: number): Promise<void> {
  const key = Buffer.alloc(8);
  key.writeInt32BE(pid, 0);
  key.writeInt32BE(secret | 0, 4);
  const socket = connect(port, '127.0.0.1');
  socket.resume();
  socket.end(cancelRequest(key));
  await once(socket, 'close');
}

test('notices, notifications, cursors and large objects pass', async () => {
  const { port } = await open();
  const [listener, client] = await Promise.all([connected(port), connected(port)]);
  const heard: string[] = [];
  listener.on('notification', ({ payload }) => heard.push(payload ?? ''));
  client.on('notice', ({ message }) => heard.push(message ?? ''));
  await listener.query('listen news');
  await client.query("notify news, 'hello'");
  await client.query("do $$ begin raise notice 'look out'; end $$");
  await client.query('begin; declare c cursor for select generate_series(1, 5)');
  expect((await client.query('fetch 3 from c')).rows).toHaveLength(3);
  await client.query('commit');
  await client.query("select lo_from_bytea(70000, '\\x01ff00')");
  const { rows } = await client.query("select encode(lo_get(70000), 'hex') as bytes");

  expect(rows[0]).toEqual({ bytes: '01ff00' });
  await expect.poll(() => heard.toSorted()).toEqual(['hello', 'look out']);
  await Promise.all([listener.end(), client.end()]);
});

test('a session that ends says why, and what it ran is cancelled at the server', async () => {
  const { port, asked, sessions } = await open();
  const client = await connected(port);
  const failed = client.query('select pg_sleep(600) /* ends */').catch((error: unknown) => error);
  await expect.poll(() => asked.length).toBe(1);
  for (const session of sessions) await session.end('the role that gave this was taken away');

  expect(await failed).toMatchObject({ code: '57P01', message: 'the role that gave this was taken away' });
  const watcher = new Client({ connectionString: postgres.url });
  await watcher.connect();
  const running = `select count(*)::int as n from pg_stat_activity where query like 'select pg_sleep(600) /* ends%' and state = 'active'`;
  await expect.poll(async () => (await watcher.query(running)).rows[0]).toEqual({ n: 0 });
  await watcher.end();
});

test('in the middle of a long answer, the reason comes behind a whole message', async () => {
  const { port, sessions } = await open();
  const client = await connected(port);
  const failed = client
    .query("select repeat('x', 100000) from generate_series(1, 20000)")
    .catch((error: unknown) => error);
  await expect.poll(() => [...sessions].some((each) => each.isBusy())).toBe(true);
  for (const session of sessions) await session.end('locked');

  expect(await failed).toMatchObject({ code: '57P01', message: 'locked' });
});

test('bytes that are no message end the connection, and the server hears nothing of them', async () => {
  const { port, malformed } = await open();
  const client = await connected(port);
  const { stream } = (client as unknown as { connection: { stream: NodeJS.WritableStream } }).connection;
  const ended = once(client, 'error');
  stream.write(Buffer.from('\x07nonsense nonsense'));

  expect(String(await ended)).toMatch(/your client sent a message of the type 7/);
  expect(malformed).toEqual(['client: a message of the type 7, which there is none of']);
});
