/** A database behind the gateway, as programs reach it: what is decided, told and ended, with a real PostgreSQL. */
import { lockRoutes } from '@gatehouse/contract/access/locks/locks';
import { databaseRoutes } from '@gatehouse/contract/kinds/db/databases';
import { call } from '@gatehouse/contract/wire/client';
import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { CLUSTER, type DbWorld, startDbWorld } from '../../../testing/db/db-world.ts';
import { PASSWORD, type SecurePostgres, startSecurePostgres } from '../../../testing/db/secure-postgres.ts';

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

test.each([{ readOnly: true }, { limits: { initSql: ['set x = 1'] } }, { limits: { statementTimeoutMs: 1 } }])(
  'what nobody would hold is not opened: %j',
  async (body) => {
    await call(world.admin.send, databaseRoutes.update, { ...SHOP, body });
    const { port, failures } = await world.tunnel();

    await expect(connected(port)).rejects.toThrow();
    expect(failures[0]).toMatchObject({ code: 'not_available', message: expect.stringContaining('not built yet') });
  },
);

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
