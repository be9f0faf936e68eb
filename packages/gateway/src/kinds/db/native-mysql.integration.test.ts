/** Programs of MySQL straight to the gateway's listener for them, with a real MariaDB behind it. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { lockRoutes } from '@gatehouse/contract/access/locks/locks';
import { signInRoutes } from '@gatehouse/contract/identity/sign-in';
import { databaseRoutes } from '@gatehouse/contract/kinds/db/databases';
import { call } from '@gatehouse/contract/wire/client';
import { type Connection, createConnection, type RowDataPacket } from 'mysql2/promise';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { makeRole } from '../../../testing/apps/app-world.ts';
import { CLUSTER } from '../../../testing/db/db-world.ts';
import { type ClientPair, type NativeWorld, startNativeWorldOf } from '../../../testing/db/native-world.ts';
import { PASSWORD, type SecureMariadb, startSecureMariadb } from '../../../testing/db/secure-mariadb.ts';
import type { TestBrowser } from '../../../testing/test-browser.ts';
import { CAN, OFFERED_TO_ALL } from './engine/mysql/capabilities.ts';
import { greetingOf, readGreeting } from './engine/mysql/greeting.ts';
import { packet } from './engine/mysql/packets.ts';

const run = promisify(execFile);
const COMPRESS = 0x20;
const QUERY_ATTRIBUTES = 0x800_0000;
let mariadb: SecureMariadb;
let world: NativeWorld;
let folder: string;
let port: number;
beforeAll(async () => {
  mariadb = await startSecureMariadb();
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-mysql-'));
  const shop = { protocol: 'mysql', port: mariadb.port, ca: mariadb.ca, database: 'shop', password: PASSWORD } as const;
  const dbUsers = ['by_native', 'by_ed25519'];
  world = await startNativeWorldOf([
    { ...shop, dbUsers, name: 'shop' },
    { ...shop, dbUsers, name: 'hidden', env: 'prod' },
    { ...shop, dbUsers, name: 'cache', protocol: 'redis', database: '0' },
  ]);
  await world.gateway.dbDoors.mysqlDoor?.listen({ host: '127.0.0.1', port: 0 });
  port = world.gateway.dbDoors.mysqlDoor?.port() ?? 0;
});
afterAll(async () => {
  await world?.gateway.close();
  await mariadb?.stop();
  rmSync(folder, { recursive: true, force: true });
});

let people = 0;
async function somebody(options = '{}'): Promise<{ name: string; who: TestBrowser }> {
  people += 1;
  const name = `somebody-${people}`;
  const allow = 'db_labels: {env: dev}, db_users: [by_native], db_names: [shop]';
  await makeRole(world.admin, `role-${name}`, `{options: ${options}, allow: {${allow}}}`);
  await world.gateway.addUser(name, { roles: [`role-${name}`] });
  return { name, who: await world.gateway.signedIn(name) };
}

const eventsOf = async (name: string) => (await world.gateway.events()).filter(({ user }) => user === name);

let files = 0;
/** As the client of MariaDB is told to connect. */
function mariadbArgs({ cert, key }: ClientPair): string[] {
  files += 1;
  const put = (name: string, text: string) => {
    const file = join(folder, `${files}.${name}`);
    writeFileSync(file, text, { mode: 0o600 });
    return file;
  };
  return [
    ...['--no-defaults', '-h', '127.0.0.1', '-P', String(port), '-u', 'anybody', '-N', '-B'],
    ...['--ssl-verify-server-cert', `--ssl-ca=${put('ca', world.ca)}`],
    ...[`--ssl-cert=${put('crt', cert)}`, `--ssl-key=${put('key', key)}`],
  ];
}
const mariadbSays = async (args: readonly string[], sql: string) => {
  const { stdout, stderr } = await run('mariadb', [...args, '-e', sql]).catch(
    (error: { stdout: string; stderr: string }) => error,
  );
  return `${stdout}${stderr}`.trim();
};

async function connected(pair: ClientPair | undefined, more: object = {}): Promise<Connection> {
  const client = await createConnection({
    ...{ host: '127.0.0.1', port, user: 'anybody', password: 'anything', ssl: { ca: world.ca, ...pair }, ...more },
  });
  client.on('error', () => {});
  onTestFinished(() => client.destroy());
  return client;
}
async function rowsOf(client: Connection, text: string): Promise<RowDataPacket[]> {
  return (await client.query<RowDataPacket[]>(text))[0];
}

async function sleeping(mark: string): Promise<number> {
  const watcher = await createConnection({
    ...{ host: '127.0.0.1', port: mariadb.port, user: 'by_native', password: PASSWORD },
  });
  const { length } = await rowsOf(watcher, `select 1 from information_schema.processlist where info = '${mark}'`);
  await watcher.end();
  return length;
}

test("MariaDB's client comes in by the certificate, statements are told, and bulk passes", async () => {
  const { name, who } = await somebody();
  const args = mariadbArgs(await world.certify(who));

  expect(await mariadbSays(args, 'select current_user(), database()')).toBe('by_native@127.0.0.1\tshop');
  expect((await mariadbSays(args, 'select seq from seq_1_to_20000')).split('\n')).toHaveLength(20_000);
  expect(await mariadbSays(args, 'use mysql')).toMatch(/1044/);
  expect(await mariadbSays([...args, '-D', 'mysql'], 'select 1')).toMatch(/1044/);
  await expect
    .poll(async () => (await eventsOf(name)).find(({ code }) => code === 'TDB02I')?.data)
    .toMatchObject({ db_service: 'shop', db_user: 'by_native', statement: { door: 'native' } });
});

test('mysql2 comes in, with statements that are prepared, many at once and several in one', async () => {
  const { who } = await somebody();
  const client = await connected(await world.certify(who), { multipleStatements: true });
  const [sum] = await client.execute<RowDataPacket[]>('select ? + 1 as n', [41]);
  const many = await Promise.all(Array.from({ length: 50 }, (_, n) => rowsOf(client, `select ${n} as n`)));
  const [several] = await client.query('select 1 as a; select 2 as b');
  await expect(client.query('selct')).rejects.toMatchObject({ errno: 1064 });
  await expect(client.query("load data local infile '/etc/passwd' into table nothing")).rejects.toThrow();

  expect(sum).toEqual([{ n: 42 }]);
  expect(many.map(([row]) => row?.n)).toEqual(Array.from({ length: 50 }, (_, n) => n));
  expect(several).toEqual([[{ a: 1 }], [{ b: 2 }]]);
  expect((await rowsOf(client, "select repeat('x', 20000000) as x"))[0]?.x).toHaveLength(20_000_000);
});

test('KILL QUERY by the number that a client was greeted with reaches what it means, and nobody else', async () => {
  const { who } = await somebody();
  const pair = await world.certify(who);
  const [first, second] = await Promise.all([connected(pair), connected(pair)]);
  const own = first.threadId ?? 0;
  expect((await rowsOf(first, 'select connection_id() as id'))[0]?.id).not.toBe(own);
  const cancelled = first.query('select sleep(601)').catch((error: unknown) => error);
  await expect.poll(() => sleeping('select sleep(601)')).toBe(1);
  const other = await connected(await world.certify((await somebody()).who));
  for (const text of [`kill query ${own}`, `kill ${own}`])
    await expect(other.query(text)).rejects.toMatchObject({ errno: 1094 });
  // Only exactly that is understood.
  await expect(second.query(`kill query ${own} + 0`)).rejects.toThrow();
  await expect(second.query(`/* */ kill query ${own}`)).rejects.toMatchObject({ errno: 1094 });
  expect(await sleeping('select sleep(601)')).toBe(1);

  await second.query(`KILL QUERY ${own}`);
  await cancelled;
  await expect.poll(() => sleeping('select sleep(601)')).toBe(0);
  expect(await rowsOf(first, 'select 1 as still')).toEqual([{ still: 1 }]);
  await second.query(`kill ${own};`);
  await expect(first.query('select 1')).rejects.toThrow();
});

test("Ctrl-C in MariaDB's client cancels at the server", async () => {
  const { who } = await somebody();
  const program = spawn('mariadb', [...mariadbArgs(await world.certify(who)), '-e', 'select sleep(602)']);
  onTestFinished(() => void program.kill('SIGKILL'));
  await expect.poll(() => sleeping('select sleep(602)')).toBe(1);
  program.kill('SIGINT');
  await once(program, 'exit');

  await expect.poll(() => sleeping('select sleep(602)')).toBe(0);
});

test.each([
  ['the role is taken', (name: string, _who: TestBrowser): Promise<unknown> => world.gateway.setRoles(name, [])],
  ['they sign out', (_name, who) => call(who.send, signInRoutes.signOut, {})],
  [
    'a lock is set',
    (name) => call(world.admin.send, lockRoutes.create, { params: CLUSTER, body: { targets: { user: name } } }),
  ],
])('when %s, what runs is over with the reason, and nobody comes in again', async (_what, take) => {
  const { name, who } = await somebody();
  const pair = await world.certify(who);
  const client = await connected(pair);
  const mark = `select sleep(${700 + people})`;
  const failed = client.query(mark).catch((error: unknown) => error);
  await expect.poll(() => sleeping(mark)).toBe(1);
  await take(name, who);

  expect(await failed).toMatchObject({ errno: 1053 });
  await expect.poll(() => sleeping(mark)).toBe(0);
  await expect(connected(pair)).rejects.toMatchObject({ errno: 1045 });
});

test('who shows no certificate, or one of another protocol, is told why; who has no TLS is told that it is required', async () => {
  await expect(connected(undefined)).rejects.toMatchObject({
    ...{ errno: 1045, message: expect.stringContaining('no certificate was shown') },
  });
  await expect(connected(await world.certify(world.ann, { name: 'cache' }))).rejects.toMatchObject({
    ...{ errno: 1045, message: expect.stringContaining("speaks 'redis'") },
  });
  await expect(connected(undefined, { ssl: undefined })).rejects.toMatchObject({ errno: 3159 });
  expect(await mariadbSays(['--no-defaults', '-h', '127.0.0.1', '-P', String(port), '--skip-ssl'], 'select 1')).toMatch(
    /3159|TLS is required/,
  );
});

test('a role that counts connections counts these', async () => {
  const { who } = await somebody('{max_connections: 1}');
  const pair = await world.certify(who);
  await connected(pair);

  await expect(connected(pair)).rejects.toMatchObject({ errno: 1045 });
});

test('a server that cannot do what clients were told is not dialled any further, and the words name the tunnel', async () => {
  const old = createServer((socket) => {
    const offered = { basic: OFFERED_TO_ALL.basic & ~CAN.deprecateEof & ~CAN.sessionTrack, extended: 0 };
    const greeting = { version: '5.6.51', thread: 1, charset: 33, status: 2 };
    socket.on('error', () => {}).write(greetingOf(greeting, offered, 'mysql_native_password', Buffer.alloc(20, 65)));
  });
  old.listen(0, '127.0.0.1');
  await once(old, 'listening');
  onTestFinished(() => void old.close());
  const body = {
    ...{ name: 'old', protocol: 'mysql' as const, uri: `127.0.0.1:${(old.address() as AddressInfo).port}` },
    ...{ signIn: 'password' as const, tls: { mode: 'off' as const }, database: 'shop' },
    labels: [{ name: 'env', value: 'dev' }],
  };
  await call(world.admin.send, databaseRoutes.add, { params: CLUSTER, body });
  const params = { ...CLUSTER, name: 'old', dbUser: 'by_native' };
  await call(world.admin.send, databaseRoutes.setSecret, { params, body: { password: 'x' } });
  const pair = await world.certify(world.ann, { name: 'old' });

  await expect(connected(pair)).rejects.toMatchObject({
    message: expect.stringMatching(/too old.*5\.6\.51.*proxy db/),
  });
});

test('no resource leads to this listener', async () => {
  const body = {
    ...{ name: 'self', protocol: 'mysql' as const, uri: `127.0.0.1:${port}`, tls: { mode: 'insecure' as const } },
    ...{ signIn: 'password' as const, database: 'shop', labels: [{ name: 'env', value: 'dev' }] },
  };
  await call(world.admin.send, databaseRoutes.add, { params: CLUSTER, body });
  const params = { ...CLUSTER, name: 'self', dbUser: 'by_native' };
  await call(world.admin.send, databaseRoutes.setSecret, { params, body: { password: 'x' } });

  await expect(connected(await world.certify(world.ann, { name: 'self' }))).rejects.toMatchObject({
    message: expect.stringMatching(/gateway itself/),
  });
});

async function dialled(): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => {});
  await once(socket, 'connect');
  return socket;
}

/** What is said behind the greeting, until it is closed. */
async function said(bytes: Buffer, isEnd = false): Promise<Buffer> {
  const socket = await dialled();
  const heard: Buffer[] = [];
  socket.on('data', (piece: Buffer) => {
    heard.push(piece);
  });
  if (isEnd) socket.end(bytes);
  else socket.write(bytes);
  if (!socket.closed) await once(socket, 'close');
  const all = Buffer.concat(heard);
  return all.subarray(4 + all.readUIntLE(0, 3));
}

function tlsRequest(basic: number): Buffer {
  const head = Buffer.alloc(32);
  head.writeUInt32LE((OFFERED_TO_ALL.basic | basic) >>> 0, 0);
  return packet(1, head);
}

test('the greeting asks for TLS, and offers neither compression, nor files, nor attributes of queries', async () => {
  const socket = await dialled();
  const [greeting] = (await once(socket, 'data')) as [Buffer];
  const { capabilities, thread } = readGreeting(greeting.subarray(4));
  for (const never of [COMPRESS, QUERY_ATTRIBUTES, CAN.localFiles]) expect(capabilities.basic & never).toBe(0);
  for (const always of [CAN.ssl, CAN.deprecateEof, CAN.sessionTrack]) expect(capabilities.basic & always).not.toBe(0);
  expect(thread).toBeGreaterThanOrEqual(0x4000_0000);
});

test('hostile bytes are closed without a word, and keep nobody out', async () => {
  const request = tlsRequest(CAN.ssl);
  const hello = Buffer.concat([packet(1, Buffer.alloc(32, 255), 'me', Buffer.of(0))]);
  const none: [string, Buffer][] = [
    [
      'bytes behind the request for TLS',
      Buffer.concat([request, packet(2, Buffer.alloc(32, 255), 'me', Buffer.of(0))]),
    ],
    ['a request for TLS that asks for none', tlsRequest(0)],
    ['the wrong number', packet(2, request.subarray(4))],
    ['too short', packet(1, Buffer.alloc(31, 255))],
    ['too long', Buffer.concat([Buffer.from('01400001', 'hex'), Buffer.alloc(16 * 1024)])],
    ['the longest there is', Buffer.from('ffffff01', 'hex')],
    ['HTTP', Buffer.from('GET / HTTP/1.1\r\n\r\n')],
    ['TLS at once', Buffer.from('16030100050100000100', 'hex')],
    ['nonsense where TLS begins', request],
  ];
  for (const [what, bytes] of none) {
    const isTls = what.startsWith('nonsense');
    expect([what, (await said(isTls ? Buffer.concat([bytes]) : bytes, isTls)).length]).toEqual([what, 0]);
  }
  expect((await said(hello)).includes('TLS is required')).toBe(true);
  for (let cut = 0; cut < request.length; cut += 1) expect(await said(request.subarray(0, cut), true)).toHaveLength(0);

  const { who } = await somebody();
  const client = await connected(await world.certify(who));
  expect(await rowsOf(client, 'select 1 as n')).toEqual([{ n: 1 }]);
});

test('who says nothing is closed in time, and keeps nobody out', async () => {
  const waiting = await Promise.all(Array.from({ length: 200 }, dialled));
  for (const socket of waiting) socket.resume();
  for (const socket of waiting.slice(0, 100)) socket.write(tlsRequest(CAN.ssl).subarray(0, 20));
  const { who } = await somebody();
  const client = await connected(await world.certify(who));
  expect(await rowsOf(client, 'select 1 as n')).toEqual([{ n: 1 }]);
  await expect.poll(() => waiting.every(({ closed }) => closed), { timeout: 20_000 }).toBe(true);
});
