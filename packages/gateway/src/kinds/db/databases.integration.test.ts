/** A database behind the gateway, as programs reach it: what is decided, told and ended, with a real PostgreSQL. */
import { type EventEmitter, once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { lockRoutes } from '@gatehouse/contract/access/locks/locks';
import { databaseRoutes } from '@gatehouse/contract/kinds/db/databases';
import { call } from '@gatehouse/contract/wire/client';
import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { makeRole } from '../../../testing/apps/app-world.ts';
import { CLUSTER, type DbWorld, startDbWorld } from '../../../testing/db/db-world.ts';
import { PASSWORD, type SecurePostgres, startSecurePostgres } from '../../../testing/db/secure-postgres.ts';
import type { TestBrowser } from '../../../testing/test-browser.ts';

const SHOP = { params: { ...CLUSTER, name: 'shop' } };
let postgres: SecurePostgres;
let world: DbWorld;
beforeAll(async () => {
  postgres = await startSecurePostgres();
});
afterAll(() => postgres?.stop());
beforeEach(async () => {
  world = await startDbWorld(postgres);
});
afterEach(() => world.close());

async function connected(port: number, database = 'anybody'): Promise<Client> {
  const client = new Client({ host: '127.0.0.1', port, user: 'anybody', database });
  client.on('error', () => {});
  await client.connect();
  return client;
}

/** In the order they were told. */
async function told() {
  const events = await world.gateway.events();
  return events.filter(({ code }) => /^T(?:DB|PG)/.test(code));
}

test('somebody whose role gives it comes in without a password, and each statement is in the log', async () => {
  const { port } = await world.tunnel();
  const client = await connected(port);
  const { rows } = await client.query('select current_user as who, current_database() as what');
  await client.query({ text: 'select $1::int + 1 as n', values: [41] });
  await expect(client.query('selct')).rejects.toThrow(/syntax error/);
  await client.end();

  expect(rows).toEqual([{ who: 'by_scram', what: postgres.database }]);
  await expect.poll(async () => (await told()).map(({ code }) => code)).toContain('TDB01I');
  const events = await told();
  expect(events.map(({ code }) => code)).toEqual([
    ...['TDB03I', 'TDB04I', 'TDB04I', 'TDB00I', 'TDB02I', 'TPG01I', 'TPG00I', 'TPG02I', 'TDB02W', 'TDB01I'],
  ]);
  const common = { user: 'ann', db_service: 'shop', db_protocol: 'postgres', db_user: 'by_scram' };
  expect(events[4]?.data).toMatchObject({
    ...common,
    db_query: 'select current_user as who, current_database() as what',
    success: true,
    statement: { door: 'tunnel', rows: 1 },
  });
  expect(events[5]?.data).toMatchObject({ ...common, parameters: ['41'] });
  expect(events[8]?.data).toMatchObject({ db_query: 'selct', success: false, error: expect.stringContaining('42601') });
});

test.each([
  ['a user that no role gives', { dbUser: 'by_clear' }, /by_clear/],
  ['a database that no role gives', { dbName: 'postgres' }, /postgres/],
])('%s is refused, and nothing is dialled', async (_what, route, words) => {
  const { port, failures } = await world.tunnel(route);

  await expect(connected(port)).rejects.toThrow();
  expect(failures[0]?.message).toMatch(words);
  expect(failures[0]).toMatchObject({ code: 'denied' });
});

test('what the record says is run at each sign-in, and the client hears what it set', async () => {
  const body = { limits: { initSql: ["set application_name = 'by gateway'", "set timezone = 'Asia/Tokyo'"] } };
  await call(world.admin.send, databaseRoutes.update, { ...SHOP, body });
  const { port } = await world.tunnel();
  const client = new Client({ host: '127.0.0.1', port, user: 'anybody', database: 'anybody' });
  const heard: unknown[] = [];
  (client as unknown as { connection: EventEmitter }).connection.on('parameterStatus', (status: unknown) =>
    heard.push(status),
  );
  await client.connect();
  const { rows } = await client.query("select current_setting('application_name') as name");
  await client.end();

  expect(rows).toEqual([{ name: 'by gateway' }]);
  expect(heard).toContainEqual(expect.objectContaining({ parameterName: 'TimeZone', parameterValue: 'Asia/Tokyo' }));
});

test.each([
  ['fails', 'selct 1', /what is run at each sign-in failed: syntax error.*selct 1/],
  ['leaves a transaction open', 'begin', /leaves a transaction open: begin/],
  ['wants the client to send something', 'copy pg_class from stdin', /COPY from the client/],
])('one that %s lets nobody in, and says so', async (_what, sql, words) => {
  await call(world.admin.send, databaseRoutes.update, { ...SHOP, body: { limits: { initSql: [sql] } } });
  const { port } = await world.tunnel();

  await expect(connected(port)).rejects.toThrow(words);
});

test('a statement that runs too long is cancelled, also where the client has set it otherwise', async () => {
  await call(world.admin.send, databaseRoutes.update, { ...SHOP, body: { limits: { statementTimeoutMs: 200 } } });
  const { port } = await world.tunnel();
  const client = await connected(port);
  await expect(client.query('select pg_sleep(600)')).rejects.toThrow(/statement timeout/);
  await client.query('set statement_timeout = 0');
  await expect(client.query('select pg_sleep(600)')).rejects.toMatchObject({ code: '57014' });

  expect((await client.query('select 1 as still')).rows).toEqual([{ still: 1 }]);
  await client.end();
});

test('one that is only read begins each transaction so', async () => {
  await call(world.admin.send, databaseRoutes.update, { ...SHOP, body: { readOnly: true } });
  const { port } = await world.tunnel();
  const client = await connected(port);

  await expect(client.query('create table never (n int)')).rejects.toMatchObject({ code: '25006' });
  await client.end();
});

test('a client that names another database is told so by its own program', async () => {
  const { port } = await world.tunnel();

  await expect(connected(port, 'template1')).rejects.toThrow(/leads to the database '.*', and not to 'template1'/);
});

test('what the database refuses is told to the client and to the log', async () => {
  await call(world.admin.send, databaseRoutes.setSecret, {
    params: { ...SHOP.params, dbUser: 'by_md5' },
    body: { password: 'wrong' },
  });
  const { port } = await world.tunnel({ dbUser: 'by_md5' });

  await expect(connected(port)).rejects.toThrow(/password authentication failed/);
  await expect
    .poll(async () => (await told()).find(({ code }) => code === 'TDB00W')?.data)
    .toMatchObject({
      success: false,
      error: expect.stringContaining('password authentication failed'),
    });
});

test.each([
  ['the role is taken', (): Promise<unknown> => world.gateway.setRoles('ann', [])],
  [
    'a lock is set',
    () =>
      call(world.admin.send, lockRoutes.create, {
        params: CLUSTER,
        body: { targets: { user: 'ann' }, message: 'away' },
      }),
  ],
  [
    'the password is another',
    () =>
      call(world.admin.send, databaseRoutes.setSecret, {
        params: { ...SHOP.params, dbUser: 'by_scram' },
        body: { password: PASSWORD },
      }),
  ],
  [
    'the address is another',
    () => call(world.admin.send, databaseRoutes.update, { ...SHOP, body: { uri: `127.0.0.1:${postgres.port}` } }),
  ],
  ['the database is removed', () => call(world.admin.send, databaseRoutes.remove, SHOP)],
])('when %s, the running statement is cancelled at the server, and the reason is said', async (_what, take) => {
  const { port } = await world.tunnel();
  const client = await connected(port);
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  const failed = client.query('select pg_sleep(600)').catch((error: unknown) => error);
  const watcher = new Client({ connectionString: postgres.url });
  await watcher.connect();
  const isRunning = async () =>
    (await watcher.query("select 1 from pg_stat_activity where pid = $1 and state = 'active'", [rows[0]?.pid]))
      .rowCount;
  await expect.poll(isRunning).toBe(1);
  await take();

  expect(await failed).toMatchObject({ code: '57P01', severity: 'FATAL' });
  await expect.poll(isRunning).toBe(0);
  await watcher.end();
});

test('a password goes nowhere but where it was given for', async () => {
  await call(world.admin.send, databaseRoutes.update, { ...SHOP, body: { uri: `127.0.0.1:${postgres.port}` } });
  const details = await call(world.admin.send, databaseRoutes.details, SHOP);
  expect(details).toMatchObject({ stored: [], database: postgres.database, signIn: 'password' });
  const { port, failures } = await world.tunnel();

  await expect(connected(port)).rejects.toThrow();
  expect(failures[0]?.message).toMatch(/no password of the user 'by_scram' is stored/);
  // Back where it was, it is still gone.
  await call(world.admin.send, databaseRoutes.update, { ...SHOP, body: { uri: `localhost:${postgres.port}` } });
  expect((await call(world.admin.send, databaseRoutes.details, SHOP)).stored).toEqual([]);
});

test('passwords are told to nobody, and who only connects is not told whose are stored', async () => {
  const seen = await Promise.all([
    call(world.admin.send, databaseRoutes.details, SHOP),
    call(world.admin.send, databaseRoutes.list, { params: CLUSTER }),
  ]);
  const rows = await world.gateway.storage.db.selectFrom('resource').selectAll().execute();

  expect(JSON.stringify([seen, rows, await world.gateway.events()])).not.toContain(PASSWORD);
  expect(seen[0].stored).toEqual(['by_md5', 'by_scram']);
  expect((await call(world.ann.send, databaseRoutes.details, SHOP)).stored).toEqual([]);
});

test('what runs at each sign-in is told when it changes, without its secrets, and shown to who may change it', async () => {
  const change = (limits: Record<string, unknown>) =>
    call(world.admin.send, databaseRoutes.update, { ...SHOP, body: { limits } as never });
  const first = "set app.secret = 'never-told'";
  const told = async () =>
    (await world.gateway.events()).flatMap(({ data }) => ('init_sql' in data ? [data.init_sql] : []));
  const before = await told();
  await change({ statementTimeoutMs: 0, webRows: 1_000, initSql: [first] });
  await change({ statementTimeoutMs: 0, webRows: 500, initSql: [first] });
  const after = await told();

  expect(after).toHaveLength(before.length + 1);
  expect(after).toContainEqual(["set app.secret = '***'"]);
  expect((await call(world.admin.send, databaseRoutes.details, SHOP)).limits.initSql).toEqual([first]);
  const seen = await call(world.ann.send, databaseRoutes.details, SHOP);
  expect([seen.limits, seen.through]).toEqual([{ statementTimeoutMs: 0, webRows: 500, initSql: [] }, []]);
  await change({ statementTimeoutMs: 0, webRows: 1_000, initSql: [] });
});

test('the list says what somebody may use there', async () => {
  const { items } = await call(world.ann.send, databaseRoutes.list, { params: CLUSTER });

  expect(items).toMatchObject([
    {
      ...{ name: 'shop', protocol: 'postgres', type: 'self-hosted', hostname: 'localhost' },
      database_users: ['by_md5', 'by_scram'],
      database_names: [postgres.database],
      gatehouse: { title: 'Self-hosted PostgreSQL', tls: 'verify-full', signIn: 'password' },
    },
  ]);
});

test('whoever has the key that their client was given cancels what it runs', async () => {
  const { port } = await world.tunnel();
  const client = await connected(port);
  const failed = client.query('select pg_sleep(600)').catch((error: unknown) => error);
  const { processID, secretKey } = client as unknown as { processID: number; secretKey: number };
  const bytes = Buffer.alloc(8);
  bytes.writeInt32BE(processID, 0);
  bytes.writeInt32BE(secretKey, 4);
  const cancel = () => call(world.ann.send, databaseRoutes.cancel, { ...SHOP, body: { key: bytes.toString('hex') } });
  let outcome: unknown;
  void failed.then((error) => {
    outcome = error;
  });
  await expect
    .poll(async () => {
      await cancel();
      return outcome;
    })
    .toMatchObject({ code: '57014' });
  await client.end();
});

test('a client that dies leaves nothing running, and nothing is told as refused', async () => {
  const { port } = await world.tunnel();
  const client = await connected(port);
  void client.query('select pg_sleep(601)').catch(() => {});
  const watcher = new Client({ connectionString: postgres.url });
  await watcher.connect();
  const running = "select 1 from pg_stat_activity where query = 'select pg_sleep(601)' and state = 'active'";
  await expect.poll(async () => (await watcher.query(running)).rowCount).toBe(1);
  // As the kernel does for a program that was killed: the end of what it says, and no word before it.
  (client as unknown as { connection: { stream: Socket } }).connection.stream.end();

  await expect.poll(async () => (await watcher.query(running)).rowCount).toBe(0);
  await watcher.end();
});

test('one that leaves before it has said anything was refused by nobody', async () => {
  const { port } = await world.tunnel();
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  await expect.poll(async () => (await told()).map(({ code }) => code)).toContain('TDB00I');
  socket.end();

  await expect.poll(async () => (await told()).map(({ code }) => code)).toContain('TDB01I');
  expect((await told()).map(({ code }) => code)).not.toContain('TDB00W');
});

test('a role that asks for reading alone is heard at once: open sessions end, and new ones only read', async () => {
  const { port } = await world.tunnel();
  const before = await connected(port);
  const over = new Promise((resolve) => before.once('end', resolve));
  await makeRole(world.admin, 'reader', '{options: {db_read_only: true}}');
  await world.gateway.setRoles('ann', ['dev', 'reader']);
  await over;
  const client = await connected(port);

  await expect(client.query('create table never (n int)')).rejects.toMatchObject({ code: '25006' });
  await client.end();
});

test('who edits databases and not roles changes nothing by which everybody has more, or runs something', async () => {
  const rules = "rules: [{resources: [db, db_server], verbs: ['*']}]";
  await makeRole(world.admin, 'keeper', `{allow: {db_labels: {env: dev}, db_users: ['*'], db_names: ['*'], ${rules}}}`);
  await world.gateway.addUser('kim', { roles: ['keeper'] });
  const kim = await world.gateway.signedIn('kim');
  const change = (who: TestBrowser, body: object) => call(who.send, databaseRoutes.update, { ...SHOP, body });
  await change(world.admin, { readOnly: true, users: ['by_scram'] });

  await expect(change(kim, { limits: { initSql: ['select 1'] } })).rejects.toThrow(/initSql/);
  await expect(change(kim, { readOnly: false })).rejects.toThrow(/readOnly/);
  await expect(change(kim, { users: [] })).rejects.toThrow(/users/);
  await expect(change(kim, { users: ['by_scram', 'by_md5'] })).rejects.toThrow(/users/);
  await change(kim, { description: 'what it is' });
  await change(world.admin, { readOnly: false, users: [] });
});
