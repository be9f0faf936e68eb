/** The engine between MariaDB's own programs, a driver, and a real server. */
import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Connection, createConnection, type RowDataPacket } from 'mysql2/promise';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type Front, startFront } from '../../../../../testing/db/front.ts';
import { PASSWORD, type SecureMariadb, startSecureMariadb } from '../../../../../testing/db/secure-mariadb.ts';
import { startStubMysql8 } from '../../../../../testing/db/stub-mysql8.ts';
import { makeTestAuthority } from '../../../../../testing/db/test-authority.ts';
import { tlsAs } from '../../../../../testing/db/tls-as.ts';
import { serveMysql } from '../../serve-mysql.ts';
import { ByteSource } from '../byte-source.ts';
import type { ServerTerms } from '../server-terms.ts';
import { CAN } from './capabilities.ts';
import { packet } from './packets.ts';
import type { ClientCommand } from './read-command.ts';
import { readPacket } from './read-packet.ts';

const run = promisify(execFile);
const ROWS = 200_000;

let mariadb: SecureMariadb;
let front: Front<ClientCommand> | undefined;

beforeAll(async () => {
  mariadb = await startSecureMariadb();
});

afterEach(async () => {
  await front?.close();
  front = undefined;
});

afterAll(() => mariadb?.stop());

/** As the user `by_HOW`, whatever the client says. */
function termsOf(user: string, other: Partial<ServerTerms> = {}): ServerTerms {
  return {
    user,
    database: 'shop',
    credential: { method: 'password', password: PASSWORD },
    secure: tlsAs(mariadb.ca),
    isVerified: true,
    ...other,
  };
}

async function open(
  terms = termsOf('by_native'),
  mayUse?: (database: string) => boolean,
): Promise<Front<ClientCommand>> {
  front = await startFront(serveMysql, { port: mariadb.port, terms, ...(mayUse ? { mayUse } : {}) });
  return front;
}

/** Without any password, under a name that the server does not have. */
const argsTo = (port: number, ...more: string[]) => [
  '--no-defaults',
  '-h',
  '127.0.0.1',
  '-P',
  String(port),
  '-u',
  'nobody',
  ...more,
];

const sql = (port: number, text: string, ...more: string[]) =>
  run('mariadb', argsTo(port, '-N', '-B', ...more, '-e', text), { maxBuffer: 1e8 });

async function connected(port: number, other = {}): Promise<Connection> {
  const client = await createConnection({
    host: '127.0.0.1',
    port,
    user: 'nobody',
    password: 'of no matter',
    ...other,
  });
  client.on('error', () => {});
  return client;
}

test.each([
  ['mysql_native_password inside TLS', 'by_native', {}],
  ['mysql_native_password without TLS', 'by_native', { secure: undefined, isVerified: false }],
  ['ed25519', 'by_ed25519', {}],
  ['ed25519 without TLS', 'by_ed25519', { secure: undefined, isVerified: false }],
] as const)('the client signs in without a password of its own: %s', async (_how, user, terms) => {
  const { port } = await open(termsOf(user, terms));
  const { stdout } = await sql(port, 'select current_user(), database()');
  expect(stdout).toBe(`${user}@127.0.0.1\tshop\n`);
});

test('it signs in by the certificate that the gateway shows, and is refused without, in the words of the server', async () => {
  const certificate = { credential: { method: 'certificate' } } as const;
  const { port } = await open(termsOf('by_cert', { ...certificate, secure: tlsAs(mariadb.ca, mariadb.certificate) }));
  expect((await sql(port, 'select current_user()')).stdout).toBe('by_cert@127.0.0.1\n');
  await front?.close();
  const { port: other, failures } = await open(termsOf('by_cert', certificate));
  await expect(sql(other, 'select 1')).rejects.toThrow(/ERROR 1045 .*Access denied for user 'by_cert'/);
  expect(failures[0]).toMatchObject({
    kind: 'refused',
    code: '1045',
    next: expect.stringContaining('REQUIRE SUBJECT'),
  });
});

test.each(['mysql_native_password', 'caching_sha2_password', 'client_ed25519', 'mysql_clear_password'])(
  'a client that would like to sign in by %s is let in all the same',
  async (method) => {
    const { port } = await open();
    const { stdout } = await sql(port, 'select 42', `--default-auth=${method}`, '-pof no matter');
    expect(stdout).toBe('42\n');
  },
);

test('the server is shown as it is: its version, and the number of its thread', async () => {
  const { port } = await open();
  const client = await connected(port);
  const [[row]] = await client.query<RowDataPacket[]>('select version() as version, connection_id() as id');
  expect(client.threadId).toBe(row?.id);
  const { stdout } = await run('mariadb-admin', argsTo(port, 'version'));
  expect(stdout).toContain(row?.version);
  await client.end();
});

test('each command is told once, with what came of it', async () => {
  const { port, answered } = await open();
  const client = await connected(port, { multipleStatements: true });
  await client.query('create table seen (n int primary key, t text, d datetime(3))');
  const put = 'insert into seen values (?, ?, ?)';
  await client.execute(put, [7, 'seven', new Date(2026, 1, 3, 4, 5, 6, 789)]);
  await expect(client.execute(put, [7, null, null])).rejects.toThrow(/Duplicate entry '7'/);
  await expect(client.query('selct 1')).rejects.toThrow(/error in your SQL syntax/);
  await client.query('select n from seen; select 1; insert into seen (n) values (8), (9)');
  await client.query("select 1; select (select 1 union select 2) from seen; select 'never'").catch(() => {});
  await client.ping();
  await client.end();
  await expect.poll(() => front?.sessions.size).toBe(0);
  const told = answered.map(({ asked, outcome, query }) => [asked.what, outcome.ok, outcome.code, outcome.rows, query]);
  expect(told).toEqual([
    ['query', true, '', 0, 'create table seen (n int primary key, t text, d datetime(3))'],
    ['prepare', true, '', 0, put],
    ['execute', true, '', 1, put],
    ['execute', false, '1062', 0, put],
    ['query', false, '1064', 0, 'selct 1'],
    ['query', true, '', 4, 'select n from seen; select 1; insert into seen (n) values (8), (9)'],
    ['query', false, '1242', 1, "select 1; select (select 1 union select 2) from seen; select 'never'"],
  ]);
  expect(front?.asked.filter(({ what }) => what === 'execute')).toMatchObject([
    { values: ['7', 'seven', '2026-02-03 04:05:06.789000'] },
    { values: ['7', 'NULL', 'NULL'] },
  ]);
});

test('passwords in statements are not told, wherever their texts end', async () => {
  const { port, asked, answered } = await open();
  await sql(port, "create user made identified by 'hunter2'; select 'fine'; drop user made");
  await sql(port, "set sql_mode = 'NO_BACKSLASH_ESCAPES'; create user made identified by 'hunter2\\'; drop user made");
  expect(JSON.stringify([asked, answered])).not.toContain('hunter2');
  expect(asked[0]).toMatchObject({ what: 'query', query: { text: "create user made identified by '***'" } });
  expect(answered.map(({ query }) => query).at(-1)).toBe('drop user made');
});

test('two hundred thousand rows pass bit by bit', async () => {
  const { port, answered } = await open();
  const hashOf = async (...args: string[]) => {
    const select = `select seq, md5(seq) from seq_1_to_${ROWS}`;
    const child = spawn('mariadb', [...args, '--quick', '-N', '-B', '-D', 'shop', '-e', select]);
    const hash = createHash('sha256');
    child.stdout.on('data', (piece: Buffer) => hash.update(piece));
    const [code] = await once(child, 'close');
    expect(code).toBe(0);
    return hash.digest('hex');
  };
  const direct = await hashOf('--no-defaults', '-u', 'root', '-S', mariadb.socket);
  expect(await hashOf(...argsTo(port))).toBe(direct);
  expect(answered.at(-1)?.outcome).toMatchObject({ ok: true, rows: ROWS });
});

test('a dump goes out and in again', async () => {
  const { port } = await open();
  await sql(port, 'create table big as select seq as n, md5(seq) as t from seq_1_to_20000; create database copied');
  const to = argsTo(port).join(' ');
  await run('sh', ['-ec', `{ echo 'use copied;'; mariadb-dump ${to} shop big; } | mariadb ${to}`]);
  const sums = (table: string) => sql(port, `select count(*), sum(crc32(t)) from ${table}`);
  expect((await sums('copied.big')).stdout).toBe((await sums('shop.big')).stdout);
  const { stdout } = await sql(port, 'select count(*) from copied.big');
  expect(stdout).toBe('20000\n');
});

test('packets of more than sixteen megabytes pass both ways', async () => {
  const { port, answered } = await open();
  const client = await connected(port);
  const size = 0xff_ffff * 2 + 5;
  const long = 'x'.repeat(size);
  const [[row]] = await client.query<RowDataPacket[]>(`select length('${long}') as n, repeat('x', ${size}) as t`);
  expect([row?.n, row?.t.length]).toEqual([size, size]);
  expect(answered[0]?.outcome).toMatchObject({ ok: true, rows: 1 });
  expect(front?.asked[0]).toMatchObject({ query: { length: size + 50, sha256: expect.any(String) } });
  await client.end();
});

test('Ctrl-C in the client cancels at the server, by a connection of its own', async () => {
  const { port, asked, answered } = await open();
  const text = 'select sleep(600)';
  const child = spawn('mariadb', argsTo(port, '-e', text), { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.on('data', (piece: Buffer) => {
    said += piece.toString();
  });
  // Where it does not run yet, there is nothing to cancel, and the client asks once.
  const watcher = await createConnection({
    ...{ host: '127.0.0.1', port: mariadb.port, user: 'by_native', password: PASSWORD },
  });
  const running = `select 1 from information_schema.processlist where info = '${text}'`;
  await expect.poll(async () => (await watcher.query<RowDataPacket[]>(running))[0].length).toBe(1);
  await watcher.end();
  child.kill('SIGINT');
  await once(child, 'close');
  expect(said).toMatch(/ERROR 1317 .*Query execution was interrupted/);
  await expect.poll(() => answered.find(({ query }) => query === text)?.outcome.ms).toBeLessThan(10_000);
  expect(asked[1]).toMatchObject({ what: 'query', query: { text: expect.stringMatching(/^KILL QUERY \d+$/) } });
});

test('procedures give several results, in both ways to run them', async () => {
  const { port } = await open();
  const client = await connected(port);
  await client.query('create or replace procedure two() begin select 1 as a; select 2 as b; end');
  const [results] = await client.query<RowDataPacket[][]>('call two()');
  expect([results[0], results[1]]).toEqual([[{ a: 1 }], [{ b: 2 }]]);
  const [executed] = await client.execute<RowDataPacket[][]>('call two()');
  expect([executed[0], executed[1]]).toEqual([[{ a: 1 }], [{ b: 2 }]]);
  await client.end();
});

test('a database that may not be used is refused, and the session goes on', async () => {
  const { port, answered, malformed } = await open(termsOf('by_native'), (database) => database !== 'other');
  const client = await connected(port, { multipleStatements: true });
  await expect(client.query('use other')).rejects.toThrow("Access denied to database 'other'");
  await expect(client.query('select 1; /* so */ USE `other`')).rejects.toMatchObject({ errno: 1044 });
  await client.query('use mysql');
  await expect(client.changeUser({ user: 'root' })).rejects.toThrow(/change user does not pass here/);
  const last = await connected(port);
  expect((await last.query<RowDataPacket[]>('select database() as d'))[0]).toEqual([{ d: 'shop' }]);
  // Put together at the server, where nobody could read it: the server tells of it, and that is the end.
  await expect(last.query("execute immediate concat('us', 'e oth', 'er')")).rejects.toThrow(
    /a change to the database 'other', which may not be used/,
  );
  expect(malformed).toHaveLength(1);
  const refused = answered.filter(({ outcome }) => !outcome.ok).map(({ asked, outcome }) => [asked.what, outcome.code]);
  expect(refused.slice(0, 3)).toEqual([
    ['query', '1044'],
    ['query', '1044'],
    ['refused', '1047'],
  ]);
  await client.end().catch(() => {});
});

test("the client's own change of database is asked about too", async () => {
  const { port } = await open(termsOf('by_native'), (database) => database !== 'other');
  await expect(sql(port, 'use other')).rejects.toThrow(/ERROR 1044 .*Access denied to database 'other'/);
  expect((await sql(port, 'use mysql\nselect database()')).stdout).toBe('mysql\n');
  expect(front?.asked.map(({ what }) => what)).toContain('useDatabase');
});

test('a file of the client is sent where the statement names it', async () => {
  const { port } = await open();
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-infile-'));
  const file = join(folder, "it's here.tsv");
  writeFileSync(file, '1\tone\n2\ttwo\n');
  try {
    await sql(port, 'create table loaded (n int, t text)');
    await sql(port, `load data local infile '${file.replace("'", "\\'")}' into table loaded`, '--local-infile');
    expect((await sql(port, 'select * from loaded')).stdout).toBe('1\tone\n2\ttwo\n');
    expect(front?.answered.find(({ query }) => query.startsWith('load'))?.outcome).toMatchObject({ ok: true, rows: 2 });
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('a session that ends says why, and what it ran is cancelled at the server', async () => {
  const { port, asked, sessions } = await open();
  const client = await connected(port);
  const failed = client.query('select sleep(600) /* ends */').catch((error: unknown) => error);
  await expect.poll(() => asked.length).toBe(1);
  for (const session of sessions) await session.end('the role that gave this was taken away');
  expect(await failed).toMatchObject({ errno: 1053, message: 'the role that gave this was taken away' });
  const running = async () => {
    const asRoot = ['--no-defaults', '-S', mariadb.socket, '-u', 'root'];
    const { stdout } = await run('mariadb', [...asRoot, '-e', 'show processlist']);
    return stdout.includes('/* ends */');
  };
  await expect.poll(running).toBe(false);
});

test('in the middle of a long answer, the reason comes behind a whole packet', async () => {
  const { port, sessions } = await open();
  const child = spawn('mariadb', argsTo(port, '--quick', '-e', "select repeat('x', 100000) from seq_1_to_20000"));
  let said = '';
  child.stderr.on('data', (piece: Buffer) => {
    said += piece.toString();
  });
  await once(child.stdout, 'readable');
  for (const session of sessions) void session.end('locked');
  child.stdout.resume();
  await once(child, 'close');
  expect(said).toMatch(/ERROR 1053 .*locked/);
});

test('a session that rests hears the reason with its next command', async () => {
  const { port, sessions } = await open();
  const client = await connected(port);
  const ended = once(client as unknown as NodeJS.EventEmitter, 'error');
  for (const session of sessions) await session.end('locked');
  expect(String(await ended)).toContain('locked');
});

test('caching_sha2_password: the whole password once, inside TLS that is checked, and a proof from then on', async () => {
  const { ca, server } = await makeTestAuthority();
  const stub = await startStubMysql8({ password: PASSWORD, server });
  const frontOf = (other: Partial<ServerTerms>) =>
    startFront(serveMysql, { port: stub.port, terms: termsOf('app', { secure: tlsAs(ca), ...other }) });
  try {
    for (const isVerified of [true, true, false]) {
      front = await frontOf({ isVerified });
      await sql(front.port, 'do 1');
      expect(front.answered.at(-1)?.outcome.ok).toBe(true);
      await front.close();
    }
    const wrong = { method: 'password', password: 'wrong' } as const;
    front = await frontOf({ credential: wrong });
    await expect(sql(front.port, 'do 1')).rejects.toThrow(/ERROR 1045 .*Access denied for user/);
    expect(stub.ways).toEqual(['whole', 'quick', 'quick', 'refused']);
    // It knows nobody now, and asks: whoever nobody has checked hears nothing.
    await front.close();
    front = await frontOf({ isVerified: false });
    await expect(sql(front.port, 'do 1')).rejects.toThrow(/wants the password itself, without TLS that is checked/);
    expect(stub.ways).toHaveLength(4);
  } finally {
    await stub.close();
  }
});

const CURSOR = CAN.protocol41 | CAN.secureConnection | CAN.psMultiResults | CAN.transactions;

test.each([
  ['with packets that end columns', CURSOR],
  ['without', CURSOR | CAN.deprecateEof],
])('a cursor is fetched bit by bit, %s', async (_how, basic) => {
  const { port, answered, malformed } = await open();
  const socket = connect(port, '127.0.0.1');
  const source = new ByteSource(socket);
  const signal = AbortSignal.timeout(10_000);
  await readPacket(source, 0, signal);
  const head = Buffer.alloc(32);
  head.writeUInt32LE(basic | CAN.longPassword, 0);
  head[8] = 33;
  socket.write(packet(1, head, 'nobody', Buffer.of(0)));
  await readPacket(source, 2, signal);
  source.release();
  const heard: Buffer[] = [];
  socket.on('data', (piece: Buffer) => heard.push(piece)).resume();
  const number = (value: number) => {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32LE(value);
    return bytes;
  };
  const says = async (...parts: Buffer[]) => {
    const count = answered.length;
    socket.write(packet(0, ...parts));
    await expect.poll(() => answered.length).toBe(count + 1);
    const { asked, outcome } = answered.at(-1) as (typeof answered)[number];
    return [asked.what, outcome.ok, outcome.rows];
  };
  expect(await says(Buffer.of(22), Buffer.from('select seq, ? from seq_1_to_7'))).toEqual(['prepare', true, 0]);
  // A thread that served somebody else before goes on counting.
  await expect.poll(() => Buffer.concat(heard).length).toBeGreaterThan(9);
  const id = number(Buffer.concat(heard).readUInt32LE(5));
  const value = Buffer.concat([Buffer.of(0, 1, 253, 0), Buffer.from('\x04text')]);
  expect(await says(Buffer.of(23), id, Buffer.of(1), number(1), value)).toEqual(['execute', true, 0]);
  expect(await says(Buffer.of(28), id, number(5))).toEqual(['fetch', true, 5]);
  expect(await says(Buffer.of(28), id, number(5))).toEqual(['fetch', true, 2]);
  expect(await says(Buffer.of(23), id, Buffer.of(0), number(1), value)).toEqual(['execute', true, 7]);
  expect(await says(Buffer.of(25), id)).toEqual(['closeStatement', true, 0]);
  expect(front?.asked[1]).toMatchObject({ values: ['text'] });
  expect(malformed).toEqual([]);
  socket.destroy();
});
