/** PostgreSQL 18 behind the engine and the workbench: longer keys, protocol 3.2, and a catalogue that has changed since Debian's 15. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { promisify } from 'node:util';
import { type Postgres18, takePostgres18 } from '@gatehouse/testkit/postgres-18';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type DbWorld, startDbWorld } from '../../../testing/db/db-world.ts';
import { EditorPage } from '../../../testing/db/editor-page.ts';
import { type Front, startFront } from '../../../testing/db/front.ts';
import { PASSWORD, type SecurePostgres, startSecurePostgres } from '../../../testing/db/secure-postgres.ts';
import { tlsAs } from '../../../testing/db/tls-as.ts';
import { cancelRequest } from './engine/postgres/messages.ts';
import type { ClientRequest } from './engine/postgres/read-request.ts';
import type { ServerTerms } from './engine/server-terms.ts';
import { servePostgres } from './serve-postgres.ts';

const run = promisify(execFile);
const PROTOCOL_3_2 = 0x00030002;
let release: Postgres18;
let postgres: SecurePostgres;
let world: DbWorld;
let front: Front<ClientRequest> | undefined;
beforeAll(async () => {
  release = await takePostgres18();
  postgres = await startSecurePostgres([], release);
  world = await startDbWorld(postgres);
});
afterEach(async () => {
  await front?.close();
  front = undefined;
});
afterAll(async () => {
  await world?.close();
  await postgres?.stop();
  release?.remove();
});

async function open(user: string, other: Partial<ServerTerms> = {}): Promise<Front<ClientRequest>> {
  const credential = { method: 'password', password: PASSWORD } as const;
  const secure = tlsAs(postgres.ca);
  const terms = { user, database: postgres.database, credential, secure, isVerified: true, ...other };
  front = await startFront(servePostgres, { port: postgres.port, terms });
  return front;
}

const psql = async (port: number, ...commands: string[]) => {
  const how = [
    '-XwqAt',
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
  ];
  return (await run('psql', [...how, ...commands.flatMap((each) => ['-c', each])], { maxBuffer: 1e8 })).stdout;
};

test.each(['by_scram', 'by_md5', 'by_clear'])('signs in as %s', async (user) => {
  const { port } = await open(user);

  expect(await psql(port, 'select current_user', 'show server_version')).toBe(`${user}\n18.4\n`);
});

test('signs in by certificate', async () => {
  const secure = tlsAs(postgres.ca, postgres.certificate);
  const { port } = await open('by_cert', { credential: { method: 'certificate' }, secure });

  expect(await psql(port, 'select current_user')).toBe('by_cert\n');
});

test('rows pass bit by bit, out and in again, through cursors and prepared statements', async () => {
  const { port, answered } = await open('by_scram');
  const rows = 'select n, md5(n::text) as a, chr(233) || n as b from generate_series(1, 100000) n';
  await psql(port, `create table copied as ${rows}`, 'create table again (like copied)');
  const text = await psql(port, 'copy copied to stdout');
  await run('sh', [
    '-c',
    `psql -XwqAt -h 127.0.0.1 -p ${port} -U nobody -d nobody -c 'copy copied to stdout' |
    psql -Xwq -h 127.0.0.1 -p ${port} -U nobody -d nobody -c 'copy again from stdin'`,
  ]);
  const common = ['-h', '127.0.0.1', '-p', String(port), '-U', 'nobody'];
  await run('pgbench', [...common, '-i', '-q', 'nobody']);
  await run('pgbench', [...common, '-n', '-M', 'prepared', '-c', '4', '-t', '25', 'nobody']);

  expect(text.split('\n')).toHaveLength(100_001);
  expect(await psql(port, 'copy again to stdout')).toBe(text);
  expect(await psql(port, 'begin', 'declare c cursor for select 1', 'fetch c', 'commit')).toBe('1\n');
  expect(answered.filter(({ outcome }) => !outcome.ok)).toEqual([]);
});

test('a client of protocol 3.2 has a key of its own that is longer, and cancels by it', async () => {
  const { port, asked, answered } = await open('by_scram');
  const client = connect(port, '127.0.0.1');
  let said = Buffer.alloc(0);
  client.on('data', (piece) => {
    said = Buffer.concat([said, piece]);
  });
  const startup = Buffer.from('\0\0\0\0\0\0\0\0user\0nobody\0database\0nobody\0\0', 'latin1');
  startup.writeUInt32BE(startup.length, 0);
  startup.writeUInt32BE(PROTOCOL_3_2, 4);
  client.write(startup);
  await expect.poll(() => said.subarray(-6).toString('latin1')).toBe('Z\0\0\0\x05I');
  const key = bodyOf(said, 'K');
  const query = Buffer.from('Q\0\0\0\0select pg_sleep(600)\0', 'latin1');
  query.writeUInt32BE(query.length - 1, 1);
  client.write(query);
  await expect.poll(() => asked.length).toBe(1);
  const other = connect(port, '127.0.0.1');
  other.resume();
  other.end(cancelRequest(key));
  await once(other, 'close');

  await expect.poll(() => answered[0]?.outcome).toMatchObject({ ok: false, code: '57014' });
  // What is asked for is told as it was agreed on: nothing newer was offered behind the client's back.
  expect(() => bodyOf(said, 'v')).toThrow();
  expect(key.length).toBeGreaterThan(8);
  client.destroy();
});

/** Of the first message of that type. */
function bodyOf(messages: Buffer, type: string): Buffer {
  for (let at = 0; at < messages.length; ) {
    const length = messages.readUInt32BE(at + 1);
    if (messages[at] === type.charCodeAt(0)) return messages.subarray(at + 5, at + 1 + length);
    at += 1 + length;
  }
  throw new Error(`no message ${type}`);
}

test('the workbench reads the catalogue, plans and runs', async () => {
  const page = new EditorPage({ origin: world.origin, who: world.ann });
  await page.next('ready');
  await page.run(`create table leaf (id int primary key, name varchar(9) not null, twice int generated always as (id * 2) virtual);
    create index by_name on leaf (name); insert into leaf values (1, 'one'), (2, 'two')`);
  const level = async (...path: string[]) => (await page.next('nodes', page.send({ type: 'tree', path }))).nodes;
  const names = async (...path: string[]) => (await level(...path)).map(({ name }) => name);

  expect(await names('public', 'Tables')).toContain('leaf');
  expect(await names('public', 'Tables', 'leaf')).toEqual(['id', 'name', 'twice', 'Keys', 'Indexes', 'Triggers']);
  // Since 18, a column that must have a value has a constraint with a name.
  expect(await names('public', 'Tables', 'leaf', 'Keys')).toContain('leaf_pkey');
  expect(await names('public', 'Tables', 'leaf', 'Indexes')).toEqual(['by_name', 'leaf_pkey']);
  const plan = page.send({ type: 'explain', tab: 0, sql: 'select * from leaf', analyze: true });
  expect(JSON.parse((await page.next('plan', plan)).text)).toMatchObject([{ Plan: { 'Actual Rows': 2 } }]);
  expect((await page.run('select id, name, twice from leaf order by id')).rows).toEqual([
    ['1', 'one', '2'],
    ['2', 'two', '4'],
  ]);
  await page.run('drop table leaf');
  await page.close();
});
