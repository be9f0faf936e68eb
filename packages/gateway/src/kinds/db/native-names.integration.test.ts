/** Programs of Redis and MongoDB straight to the gateway's public port, by the name they come to; MongoDB's server is a stub, its driver is not. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { promisify } from 'node:util';
import { lockRoutes } from '@gatehouse/contract/access/locks/locks';
import { call } from '@gatehouse/contract/wire/client';
import { MongoClient, type MongoClientOptions } from 'mongodb';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { makeRole } from '../../../testing/apps/app-world.ts';
import { CLUSTER } from '../../../testing/db/db-world.ts';
import { type ClientPair, type NativeWorld, startNativeWorldOf } from '../../../testing/db/native-world.ts';
import { PASSWORD, type SecureRedis, startSecureRedis } from '../../../testing/db/secure-redis.ts';
import { type StubMongodb, startStubMongodb } from '../../../testing/db/stub-mongodb.ts';
import type { TestBrowser } from '../../../testing/test-browser.ts';

const run = promisify(execFile);
let redis: SecureRedis;
let mongodb: StubMongodb;
let world: NativeWorld;
let folder: string;
beforeAll(async () => {
  [redis, mongodb] = await Promise.all([startSecureRedis(), startStubMongodb({ app: PASSWORD })]);
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-names-'));
  const shared = { dbUsers: ['app'], password: PASSWORD };
  const cache = { ...shared, protocol: 'redis', port: redis.port, ca: redis.ca, database: '0' } as const;
  world = await startNativeWorldOf([
    { ...cache, name: 'cache' },
    { ...cache, name: 'queue' },
    { ...cache, name: 'hidden', env: 'prod' },
    { ...shared, name: 'store', protocol: 'mongodb', port: mongodb.port, ca: mongodb.ca, database: 'shop' },
  ]);
});
afterAll(async () => {
  await world?.gateway.close();
  await Promise.all([redis?.stop(), mongodb?.stop()]);
  rmSync(folder, { recursive: true, force: true });
});

let files = 0;
/** As redis-cli is told to connect: to the gateway, by the name of the database. */
function redisArgs({ cert, key }: ClientPair | { cert: undefined; key: undefined }, sni: string): string[] {
  files += 1;
  const put = (name: string, text: string) => {
    const file = join(folder, `${files}.${name}`);
    writeFileSync(file, text, { mode: 0o600 });
    return file;
  };
  const own = cert === undefined ? [] : ['--cert', put('crt', cert), '--key', put('key', key)];
  const at = ['-h', '127.0.0.1', '-p', String(world.port), '--tls', '--sni', sni, '--cacert', put('ca', world.ca)];
  return [...at, ...own];
}

async function cli(args: readonly string[], ...words: string[]): Promise<string> {
  const { stdout, stderr } = await run('redis-cli', [...args, ...words]).catch(
    (error: { stdout: string; stderr: string }) => error,
  );
  return `${stdout}${stderr}`.trim();
}

async function mongo(pair: ClientPair, servername: string, options: MongoClientOptions = {}): Promise<MongoClient> {
  const client = new MongoClient(`mongodb://127.0.0.1:${world.port}/?directConnection=true&tls=true`, {
    ...{ serverSelectionTimeoutMS: 3_000, ...options, ...pair, ca: world.ca, servername },
  });
  onTestFinished(() => client.close());
  return await client.connect();
}

let people = 0;
async function somebody(role = '{allow: {db_labels: {env: dev}, db_users: [app], db_names: ["0", shop]}}') {
  people += 1;
  const name = `somebody-${people}`;
  await makeRole(world.admin, `role-${name}`, role);
  await world.gateway.addUser(name, { roles: [`role-${name}`] });
  return { name, who: await world.gateway.signedIn(name) };
}

const eventsOf = async (name: string) => (await world.gateway.events()).filter(({ user }) => user === name);

test('redis-cli comes in by the name of the database and the certificate, and commands are told', async () => {
  const { name, who } = await somebody();
  const args = redisArgs(await world.certify(who, { name: 'cache' }), 'cache.db.localhost');

  expect(await cli(args, 'ACL', 'WHOAMI')).toBe('app');
  expect(await cli(args, 'SELECT', '5')).toMatch(/NOPERM/);
  const large = 'x'.repeat(100_000);
  expect(await cli(args, 'ECHO', large)).toBe(large);
  await expect
    .poll(async () => (await eventsOf(name)).find(({ code }) => code === 'TDB02I')?.data)
    .toMatchObject({ db_service: 'cache', db_user: 'app', db_query: '"ACL" "WHOAMI"', statement: { door: 'native' } });
  const codes = (await eventsOf(name)).map(({ code }) => code);
  expect(codes).toContain('TC000I');
  expect(codes).toContain('TDB00I');
});

test('a name in capitals is the same name', async () => {
  const args = redisArgs(await world.certify(world.ann, { name: 'cache' }), 'CACHE.DB.LocalHost');

  expect(await cli(args, 'PING')).toBe('PONG');
});

test('another name than the certificate has is refused alike, whether there is such a database or not', async () => {
  const pair = await world.certify(world.ann, { name: 'cache' });
  const said = await Promise.all(
    ['queue', 'hidden', 'none', 'store', 'a.cache', 'cache.x', 'cache.db', 'c_a'].map((name) =>
      cli(redisArgs(pair, `${name}.db.localhost`), 'PING'),
    ),
  );

  expect(new Set(said)).toEqual(
    new Set(["NOPERM the certificate is for the database 'cache', and this name is another's"]),
  );
});

test('without a certificate every name is refused alike, to each in its own words', async () => {
  const nobody = { cert: undefined, key: undefined };
  const said = await Promise.all(
    ['cache', 'hidden', 'none', 'store'].map((name) => cli(redisArgs(nobody, `${name}.db.localhost`), 'PING')),
  );
  expect(new Set(said)).toEqual(new Set(['NOPERM no certificate was shown: gatehouse db login NAME gets one']));
  const client = new MongoClient(`mongodb://127.0.0.1:${world.port}/?directConnection=true&tls=true`, {
    ...{ serverSelectionTimeoutMS: 1_000, ca: world.ca, servername: 'hidden.db.localhost' },
  });
  onTestFinished(() => client.close());
  await expect(client.connect()).rejects.toThrow(/no certificate was shown/);
});

test("MongoDB's driver comes in by the name of the database, and each of its connections is a session", async () => {
  const { name, who } = await somebody();
  const client = await mongo(await world.certify(who, { name: 'store' }), 'store.db.localhost');
  const orders = client.db('shop').collection<{ _id: number; text: string }>('orders');
  await orders.insertMany([{ _id: people, text: 'x'.repeat(200_000) }]);

  expect((await orders.find({ _id: people }).toArray())[0]?.text).toHaveLength(200_000);
  await expect
    .poll(async () => (await eventsOf(name)).find(({ code }) => code === 'TDB02I')?.data)
    .toMatchObject({ db_service: 'store', db_user: 'app', statement: { door: 'native' } });
});

test('a program of one protocol at the name of another database is refused', async () => {
  const pair = await world.certify(world.ann, { name: 'store' });
  await expect(mongo(pair, 'cache.db.localhost', { serverSelectionTimeoutMS: 1_000 })).rejects.toThrow(
    /the certificate is for the database 'store'/,
  );
  // At the right name, what it says is no greeting of MongoDB.
  expect(await cli(redisArgs(pair, 'store.db.localhost'), 'GET', 'a-name-of-a-key')).toMatch(/closed|error|reset/i);
});

test.each([
  ['the role is taken', (name: string, _who: TestBrowser): Promise<unknown> => world.gateway.setRoles(name, [])],
  [
    'a lock is set',
    (name) => call(world.admin.send, lockRoutes.create, { params: CLUSTER, body: { targets: { user: name } } }),
  ],
])('when %s, what waits is over with the reason, and nobody comes in again', async (_what, take) => {
  const { name, who } = await somebody();
  const args = redisArgs(await world.certify(who, { name: 'cache' }), 'cache.db.localhost');
  const program = spawn('redis-cli', [...args, 'BLPOP', `nothing-${name}`, '600']);
  let said = '';
  for (const stream of [program.stdout, program.stderr])
    stream.on('data', (piece: Buffer) => {
      said += piece.toString();
    });
  // Not its exit: what it said last may still be on its way then.
  const over = once(program, 'close');
  await expect.poll(async () => (await eventsOf(name)).some(({ code }) => code === 'TDB00I')).toBe(true);
  const client = await mongo(await world.certify(who, { name: 'store' }), 'store.db.localhost');
  await take(name, who);
  await over;

  expect(said).toMatch(/ERR/);
  expect(await cli(args, 'PING')).toMatch(/^NOPERM|^ERR/);
  await expect(client.db('shop').command({ ping: 1 })).rejects.toThrow();
});

/** TLS as far as the door of databases, or of browsers. */
async function reached(more: object): Promise<TLSSocket> {
  const socket = connectTls({ host: '127.0.0.1', port: world.port, ca: world.ca, ...more });
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => {});
  await once(socket, 'secureConnect');
  return socket;
}

test('whoever speaks HTTP is no program of a database, whatever name they come to', async () => {
  const asked = request({
    ...{ host: '127.0.0.1', port: world.port, path: '/v1/webapi/ping', ca: world.ca, agent: false },
    ...{ servername: 'cache.db.localhost', headers: { host: 'localhost:3080' }, ALPNProtocols: ['http/1.1'] },
  });
  asked.end();
  const [answer] = await once(asked, 'response');
  answer.resume();
  expect(answer.statusCode).toBe(200);
  // Nor is whoever comes to the gateway's own name, or to one beside it.
  for (const servername of ['localhost', 'db.localhost', 'cache.db.localhost.example.com', 'cachedb.localhost']) {
    const web = await reached({ servername, checkServerIdentity: () => undefined });
    web.write('GET /v1/webapi/ping HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
    expect(String((await once(web, 'data'))[0])).toMatch(/^HTTP\/1.1 200/);
  }
});

test('bytes that come before anybody is let in, cut anywhere, are answered or closed, and the gateway stands', async () => {
  const ends = async (bytes: Buffer, cut: number) => {
    const socket = await reached({ servername: 'cache.db.localhost' });
    let said = Buffer.alloc(0);
    socket.on('data', (piece: Buffer) => {
      said = Buffer.concat([said, piece]);
    });
    socket.write(bytes.subarray(0, cut));
    if (cut < bytes.length) socket.end();
    if (!socket.closed) await once(socket, 'close');
    return said.toString('latin1');
  };
  const hello = Buffer.from('2a0000000100000000000000dd07000000000000001500000010', 'hex');
  for (let cut = 0; cut < hello.length; cut += 1) expect(await ends(hello, cut)).toBe('');
  const ping = Buffer.from('*1\r\n$4\r\nPING\r\n');
  for (let cut = 0; cut < 4; cut += 1) expect(await ends(ping, cut)).toBe('');
  for (let cut = 4; cut <= ping.length; cut += 1) expect(await ends(ping, cut)).toMatch(/^-NOPERM .*\r\n$/);
  expect(await ends(Buffer.alloc(100_000, '*'), 100_000)).toMatch(/^-NOPERM/);
  expect(await ends(Buffer.from('ffffff000100000000000000dd070000', 'hex'), 16)).toBe('');

  const broken = Array.from({ length: 30 }, () => connect(world.port, '127.0.0.1'));
  await Promise.all(broken.map((socket) => once(socket, 'connect')));
  for (const socket of broken) socket.resetAndDestroy();
  expect(await cli(redisArgs(await world.certify(world.ann, { name: 'cache' }), 'cache.db.localhost'), 'PING')).toBe(
    'PONG',
  );
});
