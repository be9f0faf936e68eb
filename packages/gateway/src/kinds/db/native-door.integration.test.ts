/** PostgreSQL's own programs straight to the gateway's public port, beside browsers. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { promisify } from 'node:util';
import { lockRoutes } from '@gatehouse/contract/access/locks/locks';
import { signInRoutes } from '@gatehouse/contract/identity/sign-in';
import { recordingUpkeepRoutes } from '@gatehouse/contract/recordings/recording-upkeep';
import { recordingRoutes } from '@gatehouse/contract/recordings/recordings';
import { call } from '@gatehouse/contract/wire/client';
import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { type ClientPair, type NativeWorld, startNativeWorld } from '../../../testing/db/native-world.ts';
import { type SecurePostgres, startSecurePostgres } from '../../../testing/db/secure-postgres.ts';
import { postgresHello } from '../../../testing/db/still-postgres.ts';
import { createDbAuthorities } from '../../identity/authorities/db/create-db-authorities.ts';
import { createAudit } from '../../platform/audit/emit.ts';
import { silentLog } from '../../platform/std/log.ts';
import { DOOR_FACTS } from './door-certificate.ts';

const CLUSTER = { clusterId: 'localhost' };
const run = promisify(execFile);
const SSL_REQUEST = Buffer.from('0000000804d2162f', 'hex');
const GSS_REQUEST = Buffer.from('0000000804d21630', 'hex');
let postgres: SecurePostgres;
let world: NativeWorld;
let folder: string;

beforeAll(async () => {
  postgres = await startSecurePostgres();
});
afterAll(() => postgres?.stop());
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-native-'));
  world = await startNativeWorld(postgres, { dataDir: folder });
});
afterEach(async () => {
  await world.gateway.close();
  rmSync(folder, { recursive: true, force: true });
});

/** As a program is told to connect. */
function address({ cert, key }: ClientPair, more = ''): string {
  for (const [name, text] of Object.entries({ 'ca.pem': world.ca, 'own.crt': cert, 'own.key': key })) {
    writeFileSync(join(folder, name), text);
    chmodSync(join(folder, name), 0o600);
  }
  const files = `sslrootcert=${folder}/ca.pem sslcert=${folder}/own.crt sslkey=${folder}/own.key`;
  return `host=localhost hostaddr=127.0.0.1 port=${world.port} sslmode=verify-full ${files} user=by_scram dbname=${postgres.database} ${more}`;
}

const psqlArgs = (at: string, sql: string) => ['-X', '-w', '-q', '-At', '-d', at, '-c', sql];
const psql = async (at: string, sql: string) => (await run('psql', psqlArgs(at, sql), { maxBuffer: 1e8 })).stdout;
const refused = (at: string) =>
  psql(at, 'select 1').then(
    () => 'let in',
    (error: { stderr: string }) => error.stderr,
  );

/** What a browser's call is answered with. */
async function webStatus(more: object = {}): Promise<number | undefined> {
  const asked = request({
    host: '127.0.0.1',
    port: world.port,
    path: '/v1/webapi/ping',
    ca: world.ca,
    servername: 'localhost',
    headers: { host: 'localhost:3080' },
    agent: false,
    ...more,
  });
  asked.end();
  const [answer] = await once(asked, 'response');
  answer.resume();
  return answer.statusCode;
}

async function dialled(): Promise<Socket> {
  const socket = connect(world.port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => {});
  await once(socket, 'connect');
  return socket;
}

/** What is said until it is closed. */
async function said(socket: Socket): Promise<string> {
  let all = '';
  socket.on('data', (piece: Buffer) => {
    all += piece.toString('latin1');
  });
  if (!socket.closed) await once(socket, 'close');
  return all;
}

test('psql comes in by the certificate, statements are told, and bulk passes', async () => {
  const at = address(await world.certify(world.ann));

  expect(await psql(at, 'select current_user')).toBe('by_scram\n');
  expect((await psql(at, 'copy (select generate_series(1, 100000)) to stdout')).split('\n')).toHaveLength(100_001);
  const events = await world.gateway.events();
  expect(events.find(({ code }) => code === 'TC000I')?.data).toMatchObject({ cert_type: 'db', user: 'ann' });
  await expect
    .poll(async () => (await world.gateway.events()).find(({ code }) => code === 'TDB02I')?.data)
    .toMatchObject({ user: 'ann', db_service: 'shop', db_user: 'by_scram', statement: { door: 'native' } });
});

test('what a program does there is recorded, plays, and is as it was written', async () => {
  expect(await psql(address(await world.certify(world.ann)), 'select 6 * 7 as answer')).toBe('42\n');
  await world.gateway.addUser('eve', { roles: ['auditor'] });
  const { send } = await world.gateway.signedIn('eve');
  const recorded = async () => (await call(send, recordingRoutes.list, { params: CLUSTER, query: {} })).recordings;
  await expect.poll(async () => (await recorded()).map(({ state }) => state)).toEqual(['complete']);
  const [{ sid, owner, login } = { sid: '', owner: '', login: '' }] = await recorded();
  expect([owner, login]).toEqual(['ann', 'by_scram']);

  const params = { ...CLUSTER, sid };
  const { items } = await call(send, recordingRoutes.playback, { params, query: { seek: '0' } });
  expect(items).toContainEqual(expect.objectContaining({ type: 'asked', text: 'select 6 * 7 as answer' }));
  expect(items).toContainEqual(expect.objectContaining({ type: 'answered', rows: 1, tag: 'SELECT 1' }));
  expect(await call(send, recordingUpkeepRoutes.verify, { params })).toMatchObject({ ok: true });
});

test.each(['localhost', 'shop.db.localhost', 'other.db.localhost'])(
  'TLS that begins at once and names the protocol comes in too, as of libpq 17, whatever the host: %s',
  async (servername) => {
    const own = await world.certify(world.ann);
    const at = { host: '127.0.0.1', port: world.port, ca: world.ca, servername, ALPNProtocols: ['postgresql'] };
    const socket = connectTls({ ...at, ...own });
    onTestFinished(() => void socket.destroy());
    await once(socket, 'secureConnect');
    socket.write(postgresHello('by_scram'));
    const [answer] = (await once(socket, 'data')) as [Buffer];

    expect([socket.alpnProtocol, answer.toString('latin1', 0, 1)]).toEqual(['postgresql', 'R']);
  },
);

test('Ctrl-C cancels at the server', async () => {
  const asked = [...psqlArgs(address(await world.certify(world.ann)), 'select 1'), '-c', 'select pg_sleep(600)'];
  const program = spawn('psql', asked);
  onTestFinished(() => void program.kill('SIGKILL'));
  let [errors, output] = ['', ''];
  program.stderr.on('data', (piece: Buffer) => {
    errors += piece.toString();
  });
  program.stdout.on('data', (piece: Buffer) => {
    output += piece.toString();
  });
  const over = once(program, 'close');
  // A psql that has not come through yet ends at a Ctrl-C without a word.
  await expect.poll(() => output + errors).toBe('1\n');
  // The first may come before the statement is asked.
  const timer = setInterval(() => program.kill('SIGINT'), 300);
  await over;
  clearInterval(timer);

  expect(errors).toMatch(/canceling statement due to user request/i);
});

test.each([
  ['the role is taken', (): Promise<unknown> => world.gateway.setRoles('ann', [])],
  ['they sign out', () => call(world.ann.send, signInRoutes.signOut, {})],
  [
    'a lock is set',
    () =>
      call(world.admin.send, lockRoutes.create, {
        params: { clusterId: 'localhost' },
        body: { targets: { user: 'ann' }, message: 'away' },
      }),
  ],
])('when %s, what runs is over, and nobody comes in again', async (_what, take) => {
  const at = address(await world.certify(world.ann));
  const program = spawn('psql', psqlArgs(at, 'select pg_sleep(600)'));
  let errors = '';
  program.stderr.on('data', (piece: Buffer) => {
    errors += piece.toString();
  });
  // Not its exit: what it said last may still be on its way then.
  const over = once(program, 'close');
  await expect.poll(async () => (await world.gateway.events()).some(({ code }) => code === 'TDB00I')).toBe(true);
  await take();
  await over;

  expect(errors).toMatch(/FATAL/);
  expect(await refused(at)).toMatch(/FATAL/);
});

test('only a certificate for this door opens it', async () => {
  const { storage, secrets, clock } = world.gateway;
  const now = () => clock.now;
  const authorities = createDbAuthorities({
    ...{ db: storage.db, secrets, clusterName: 'localhost', log: silentLog, now },
    feed: { subscribe: () => ({ close() {} }) as never },
    audit: createAudit({ now, clusterName: 'localhost', chain: 'gateway' }),
  });
  onTestFinished(() => authorities.close());
  const [{ sign_in = '' } = {}] = (await world.gateway.events()).filter(({ user }) => user === 'ann');
  const text = (more: object = {}) =>
    JSON.stringify({
      ...{ user: 'ann', signIn: sign_in, database: 'shop', dbUser: 'by_scram', dbName: postgres.database, factor: 0 },
      ...more,
    });
  const leaf = (more: object = {}) => ({
    ...{ subject: { name: 'ann' }, ttlMs: 60_000, facts: { oid: DOOR_FACTS, text: text(more) } },
  });
  const { facts: _none, ...plain } = leaf();
  const tries: [string, Promise<ClientPair>, RegExp][] = [
    ['of a sign-in', authorities.mint('db_client', leaf()), /not of this gateway/],
    ['of a server', authorities.mint('db', leaf()), /not of this gateway/],
    ['that says nothing', authorities.mint('db_door', plain), /says nothing of a database/],
    ['that says too much', authorities.mint('db_door', leaf({ roles: ['admin'] })), /says nothing of a database/],
    ['that is over', authorities.mint('db_door', { ...leaf(), ttlMs: -1 }), /is over|certificate expired/],
    ['of a sign-in that is not', authorities.mint('db_door', leaf({ signIn: 'nobody' })), /FATAL/],
    ['of somebody else by this sign-in', authorities.mint('db_door', leaf({ user: 'admin' })), /FATAL/],
    ['for a user that no role gives', authorities.mint('db_door', leaf({ dbUser: 'by_clear' })), /FATAL/],
    ['for a database that is not there', authorities.mint('db_door', leaf({ database: 'none' })), /FATAL/],
  ];
  for (const [what, made, words] of tries) expect(await refused(address(await made)), what).toMatch(words);
  const without = address(await world.certify(world.ann)).replace(/sslcert=\S+ sslkey=\S+/, 'sslcert=none');
  expect(await refused(without)).toMatch(/no certificate was shown/);
  const inTheOpen = without.replace('sslmode=verify-full', 'sslmode=disable');
  expect(await refused(inTheOpen)).toMatch(/FATAL: {2}this port speaks TLS alone/);
});

test('a certificate that is asked for beyond what roles give is not made', async () => {
  await expect(world.certify(world.ann, { dbUser: 'by_clear' })).rejects.toMatchObject({ status: 403 });
  await expect(world.certify(world.ann, { name: 'none' })).rejects.toMatchObject({ status: 404 });
});

test('what a program says of the database is held against the certificate', async () => {
  const at = address(await world.certify(world.ann)).replace(/dbname=\S+/, 'dbname=template1');

  expect(await refused(at)).toMatch(/template1/);
});

test('browsers are served as before, and are never asked for a certificate', async () => {
  expect(await webStatus()).toBe(200);
  const { cert, key } = await world.certify(world.ann);
  // At HTTPS it is worth nothing.
  expect(await webStatus({ cert, key, path: '/v1/webapi/sites' })).not.toBe(200);
  const asked = connectTls({
    host: '127.0.0.1',
    port: world.port,
    ca: world.ca,
    servername: 'localhost',
    ALPNProtocols: ['h2', 'http/1.1'],
  });
  onTestFinished(() => void asked.destroy());
  await once(asked, 'secureConnect');
  expect(asked.alpnProtocol).toBe('http/1.1');
});

test('a hello that comes byte by byte is served all the same', async () => {
  const socket = await dialled();
  const tls = connectTls({ socket: slow(socket), ca: world.ca, servername: 'localhost' });
  await once(tls, 'secureConnect');
  tls.destroy();
});

test('bytes behind a request for TLS are cut, a request for GSS is answered with no, and nonsense is closed', async () => {
  const behind = await dialled();
  behind.write(Buffer.concat([SSL_REQUEST, Buffer.from([0x16, 3, 1])]));
  expect(await said(behind)).toBe('');

  const gss = await dialled();
  gss.write(GSS_REQUEST);
  expect(String((await once(gss, 'data'))[0])).toBe('N');
  gss.write(SSL_REQUEST);
  expect(String((await once(gss, 'data'))[0])).toBe('S');

  for (let count = 0; count < 50; count += 1) {
    const broken = await dialled();
    broken.write(SSL_REQUEST);
    broken.resetAndDestroy();
  }
  const nonsense = await dialled();
  nonsense.write(Buffer.from('00000008ffffffff', 'hex'));
  expect(await said(nonsense)).toBe('');
});

test('a thousand that begin and say no more keep nobody out, and are closed', async () => {
  const waiting = await Promise.all(Array.from({ length: 1_000 }, dialled));
  for (const socket of waiting) socket.write(SSL_REQUEST.subarray(0, 7));

  expect(await webStatus()).toBe(200);
  expect(await psql(address(await world.certify(world.ann)), 'select 1')).toBe('1\n');
  await expect.poll(() => waiting.every(({ closed }) => closed), { timeout: 20_000 }).toBe(true);
});

/** The same socket, whose bytes leave one by one. */
function slow(socket: Socket): Socket {
  const write = socket.write.bind(socket);
  socket.setNoDelay(true);
  return new Proxy(socket, {
    get(target, name) {
      if (name === 'write')
        return (bytes: Buffer, ...rest: never[]) => {
          for (const byte of bytes.subarray(0, -1)) write(Buffer.of(byte));
          return write(bytes.subarray(-1), ...rest);
        };
      const value = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
