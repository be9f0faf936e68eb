/** MySQL behind the gateway, as programs reach it: what is decided, told and ended, with a real MariaDB. */
import { databaseRoutes } from '@gatehouse/contract/kinds/db/databases';
import { call } from '@gatehouse/contract/wire/client';
import { type Connection, createConnection, type RowDataPacket } from 'mysql2/promise';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { makeRole } from '../../../testing/apps/app-world.ts';
import { CLUSTER, type DbWorld, startDbWorldOf } from '../../../testing/db/db-world.ts';
import { PASSWORD, type SecureMariadb, startSecureMariadb } from '../../../testing/db/secure-mariadb.ts';

const SHOP = { params: { ...CLUSTER, name: 'shop' } };
let mariadb: SecureMariadb;
let world: DbWorld;
beforeAll(async () => {
  mariadb = await startSecureMariadb();
});
afterAll(() => mariadb?.stop());
beforeEach(async () => {
  world = await startDbWorldOf({
    ...{ protocol: 'mysql', port: mariadb.port, ca: mariadb.ca, database: 'shop', dbNames: ['shop', 'other'] },
    ...{ dbUsers: ['by_native', 'by_ed25519'], password: PASSWORD },
  });
});
afterEach(() => world.close());

async function connected(port: number, database?: string): Promise<Connection> {
  const options = { host: '127.0.0.1', port, user: 'anybody', password: 'anything' };
  const client = await createConnection({ ...options, ...(database === undefined ? {} : { database }) });
  client.on('error', () => {});
  return client;
}

async function rowsOf(client: Connection, text: string): Promise<RowDataPacket[]> {
  return (await client.query<RowDataPacket[]>(text))[0];
}

/** In the order they were told, without those about the record. */
async function told() {
  const events = await world.gateway.events();
  return events.filter(({ code }) => /^T(?:DB0[0126]|MY)/.test(code));
}

test('somebody whose role gives it comes in without a password, and each command is in the log', async () => {
  const { port } = await world.tunnel();
  const client = await connected(port);
  const rows = await rowsOf(client, 'select current_user() as who, database() as what');
  const [sum] = await client.execute<RowDataPacket[]>('select ? + 1 as n', [41]);
  await expect(client.query('selct')).rejects.toMatchObject({ errno: 1064 });
  await client.end();

  expect([rows, sum]).toEqual([[{ who: 'by_native@127.0.0.1', what: 'shop' }], [{ n: 42 }]]);
  await expect.poll(async () => (await told()).map(({ code }) => code)).toContain('TDB01I');
  const events = await told();
  expect(events.map(({ code }) => code)).toEqual(['TDB00I', 'TDB02I', 'TMY00I', 'TMY01I', 'TDB02W', 'TDB01I']);
  const common = { user: 'ann', db_service: 'shop', db_protocol: 'mysql', db_user: 'by_native', db_name: 'shop' };
  expect(events[1]?.data).toMatchObject({
    ...common,
    db_query: 'select current_user() as who, database() as what',
    success: true,
    statement: { door: 'tunnel', rows: 1, backend: expect.any(Number) },
  });
  expect(events[2]?.data).toMatchObject({ ...common, query: 'select ? + 1 as n' });
  expect(events[3]?.data).toMatchObject({ ...common, parameters: ['41'], statement: { rows: 1 } });
  expect(events[4]?.data).toMatchObject({ db_query: 'selct', success: false, error: expect.stringContaining('1064') });
});

test('values are hidden where the record says so', async () => {
  await call(world.admin.send, databaseRoutes.update, { ...SHOP, body: { values: 'hidden' } });
  const { port } = await world.tunnel();
  const client = await connected(port);
  await client.execute('select ? as secret', ['hunter2']);
  await client.end();

  await expect
    .poll(async () => (await told()).find(({ code }) => code === 'TMY01I')?.data)
    .toMatchObject({ parameters: ['***'] });
  expect(JSON.stringify(await world.gateway.events())).not.toContain('hunter2');
});

test('another database is used where a role gives it, and refused by the words of MySQL where none does', async () => {
  const { port } = await world.tunnel();
  const client = await connected(port);
  await client.query('use other');
  expect(await rowsOf(client, 'select database() as what')).toEqual([{ what: 'other' }]);
  await expect(client.query('use mysql')).rejects.toMatchObject({ errno: 1044 });
  await expect(client.changeUser({ database: 'mysql' })).rejects.toMatchObject({ errno: 1047 });
  expect(await rowsOf(client, 'select database() as what')).toEqual([{ what: 'other' }]);
  await client.end();

  const named = await connected(port, 'other');
  expect(await rowsOf(named, 'select database() as what')).toEqual([{ what: 'other' }]);
  await named.end();
  await expect(connected(port, 'mysql')).rejects.toMatchObject({ errno: 1044 });
  await expect
    .poll(async () => (await told()).filter(({ code }) => code === 'TMY07I').map(({ data }) => data))
    .toMatchObject([{ schema_name: 'other' }]);
});

test('a database that a role denies is denied however it is written', async () => {
  await makeRole(world.admin, 'not-other', '{allow: {db_names: ["*"]}, deny: {db_names: [other]}}');
  await world.gateway.setRoles('ann', ['dev', 'not-other']);
  const { port } = await world.tunnel();
  const client = await connected(port);

  await expect(client.query('use OTHER')).rejects.toMatchObject({ errno: 1044 });
  await client.end();
});

test('when the database that is used now is taken, the session ends, though it was opened for another', async () => {
  const { port } = await world.tunnel();
  const client = await connected(port);
  await client.query('use other');
  const failed = client.query('select sleep(600)').catch((error: unknown) => error);
  await expect.poll(sleeping).toBe(1);
  await makeRole(world.admin, 'not-other', '{deny: {db_names: [other]}}');
  await world.gateway.setRoles('ann', ['dev', 'not-other']);

  expect(await failed).toMatchObject({ errno: 1053, message: expect.stringContaining("'other'") });
});

test('what the database refuses is told to the client and to the log', async () => {
  await call(world.admin.send, databaseRoutes.setSecret, {
    params: { ...SHOP.params, dbUser: 'by_ed25519' },
    body: { password: 'wrong' },
  });
  const { port } = await world.tunnel({ dbUser: 'by_ed25519' });

  await expect(connected(port)).rejects.toMatchObject({ errno: 1045, message: expect.stringContaining('by_ed25519') });
  await expect
    .poll(async () => (await told()).find(({ code }) => code === 'TDB00W')?.data)
    .toMatchObject({ success: false, error: expect.stringContaining('Access denied') });
});

async function sleeping(): Promise<number> {
  const watcher = await createConnection({
    host: '127.0.0.1',
    port: mariadb.port,
    user: 'by_native',
    password: PASSWORD,
  });
  const query = "select 1 from information_schema.processlist where info = 'select sleep(600)'";
  const { length } = await rowsOf(watcher, query);
  await watcher.end();
  return length;
}

test('when the role is taken, the running statement is cancelled at the server, and the reason is said', async () => {
  const { port } = await world.tunnel();
  const client = await connected(port);
  const failed = client.query('select sleep(600)').catch((error: unknown) => error);
  await expect.poll(sleeping).toBe(1);
  await world.gateway.setRoles('ann', []);

  expect(await failed).toMatchObject({ errno: 1053, message: expect.stringContaining('access denied') });
  await expect.poll(sleeping).toBe(0);
});

test('KILL QUERY from a second connection cancels what the first one runs', async () => {
  const { port } = await world.tunnel();
  const [first, second] = await Promise.all([connected(port), connected(port)]);
  expect(await rowsOf(first, 'select connection_id() as id')).toEqual([{ id: first.threadId }]);
  const cancelled = first.query('select sleep(600)').catch((error: unknown) => error);
  await expect.poll(sleeping).toBe(1);
  await second.query(`kill query ${first.threadId}`);
  await cancelled;

  await expect.poll(sleeping).toBe(0);
  expect(await rowsOf(first, 'select 1 as still')).toEqual([{ still: 1 }]);
  await Promise.all([first.end(), second.end()]);
});

test('a database that cannot be reached is told in words', async () => {
  await call(world.admin.send, databaseRoutes.update, { ...SHOP, body: { uri: 'localhost:1' } });
  await call(world.admin.send, databaseRoutes.setSecret, {
    params: { ...SHOP.params, dbUser: 'by_native' },
    body: { password: PASSWORD },
  });
  const { port } = await world.tunnel();

  await expect(connected(port)).rejects.toMatchObject({
    errno: 1105,
    message: expect.stringContaining('nothing listens there'),
  });
});

test('what the record says is run at each sign-in, and what is only read is not written', async () => {
  const body = { limits: { initSql: ["set @by = 'gateway'", 'select 1, 2'] }, readOnly: true };
  await call(world.admin.send, databaseRoutes.update, { ...SHOP, body });
  const { port } = await world.tunnel();
  const client = await connected(port);

  expect(await rowsOf(client, 'select @by as name')).toEqual([{ name: 'gateway' }]);
  await expect(client.query('create table never (n int)')).rejects.toMatchObject({ errno: 1792 });
  await client.end();
});

test.each([
  ['fails', 'selct 1', /what is run at each sign-in failed: .*syntax.*selct 1/],
  ['leaves a transaction open', 'begin', /leaves a transaction open: begin/],
])('one that %s lets nobody in, and says so', async (_what, sql, words) => {
  await call(world.admin.send, databaseRoutes.update, { ...SHOP, body: { limits: { initSql: [sql] } } });
  const { port } = await world.tunnel();

  await expect(connected(port)).rejects.toThrow(words);
});

test('a statement that runs too long is cancelled, also where the client has set it otherwise', async () => {
  await call(world.admin.send, databaseRoutes.update, { ...SHOP, body: { limits: { statementTimeoutMs: 200 } } });
  const { port } = await world.tunnel();
  const client = await connected(port);
  await expect(client.query('select sleep(600)')).rejects.toMatchObject({ errno: 1969 });
  await client.query('set max_statement_time = 0');
  await client.query('select sleep(600)').catch(() => {});

  expect(await sleeping()).toBe(0);
  expect(await rowsOf(client, 'select 1 as still')).toEqual([{ still: 1 }]);
  await client.end();
});
