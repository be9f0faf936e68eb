/** SQL Server behind the gateway, as a program of Debian reaches it: what is decided, told and ended. The server is a stub, as no real one can be had. */
import { type ChildProcess, spawn } from 'node:child_process';
import { databaseRoutes } from '@gatehouse/contract/kinds/db/databases';
import { call } from '@gatehouse/contract/wire/client';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { makeRole } from '../../../testing/apps/app-world.ts';
import { CLUSTER, type DbWorld, startDbWorldOf } from '../../../testing/db/db-world.ts';
import { type StubSqlserver, startStubSqlserver } from '../../../testing/db/stub-sqlserver.ts';
import { TYPE } from './engine/sqlserver/packets.ts';

const PASSWORD = 'a secret of the shop';
let sqlserver: StubSqlserver;
let world: DbWorld;
const children: ChildProcess[] = [];
beforeAll(async () => {
  sqlserver = await startStubSqlserver(
    { app: PASSWORD },
    { mirror: 'private' },
    { stock: 'Stock', private: 'Private' },
  );
});
afterAll(() => sqlserver?.stop());
beforeEach(async () => {
  sqlserver.came.length = 0;
  world = await startDbWorldOf({
    ...{
      protocol: 'sqlserver',
      port: sqlserver.port,
      ca: sqlserver.ca,
      database: 'shop',
      dbNames: ['shop', 'stock', 'mirror'],
    },
    ...{ dbUsers: ['app'], password: PASSWORD },
  });
});
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  await world.close();
});

/** `tsql` of FreeTDS, with what is typed into it; each `go` runs what stands before. */
async function tsql(...database: string[]) {
  const { port } = await world.tunnel();
  const args = ['-H', '127.0.0.1', '-p', String(port), '-U', 'whoever', '-P', 'ignored', '-o', 'fhq', ...database];
  // Otherwise it writes when it ends.
  const child = spawn('stdbuf', ['-oL', 'tsql', ...args], { stdio: 'pipe', env: { ...process.env, TDSVER: '7.4' } });
  children.push(child);
  let out = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      out += String(chunk);
    });
  const closed = new Promise<void>((resolve) => child.on('close', () => resolve()));
  return {
    out: () => out,
    run: (sql: string) => void child.stdin.write(`${sql}\ngo\n`),
    async end() {
      child.stdin.end('exit\n');
      await closed;
      return out;
    },
    closed,
  };
}

async function told() {
  const events = await world.gateway.events();
  return events
    .filter(({ code }) => /^TDB0[26]|^TMS/.test(code))
    .map(({ code, data }) => ({ code, db_query: '', ...data }));
}

test('somebody whose role gives it comes in without a password, and each batch is in the log', async () => {
  const client = await tsql();
  client.run('select who, at_what');
  await expect.poll(client.out).toMatch(/app[\s\S]*shop/);
  client.run("raiserror ('no', 16, 1)");
  await expect.poll(client.out).toContain('as you wished');
  await client.end();

  const mine = async () => (await told()).filter(({ db_query }) => /select who|raiserror/.test(db_query));
  await expect.poll(mine).toMatchObject([
    {
      code: 'TDB02I',
      db_protocol: 'sqlserver',
      db_user: 'app',
      db_name: 'shop',
      statement: { rows: 2, door: 'tunnel' },
    },
    { code: 'TDB02W', error: 'as you wished (50000)' },
  ]);
});

test('many rows come as they are', async () => {
  const client = await tsql();
  client.run('select many');
  await expect.poll(client.out).toContain('row 19999 of many');
  const lines = (await client.end()).match(/row \d+ of many/g) ?? [];

  expect(lines).toHaveLength(20_000);
  await expect
    .poll(async () => (await told()).find(({ db_query }) => db_query.startsWith('select many')))
    .toMatchObject({ statement: { rows: 20_000 } });
});

test('a database that no role gives is refused in the words of the protocol, and one that a role gives is not', async () => {
  const client = await tsql();
  client.run('/* /* */ */ use [private]; select secrets');
  await expect.poll(client.out).toContain("no role of yours lets you use the database 'private'");
  client.run('use stock');
  client.run('select where_now');
  await expect.poll(client.out).toMatch(/stock/i);
  await client.end();

  expect(sqlserver.came.some(({ text }) => text.includes('private'))).toBe(false);
  const refused = async () => (await told()).filter(({ code }) => code === 'TDB02W');
  await expect.poll(refused).toMatchObject([{ error: expect.stringContaining('(916)') }]);
  const direct = await tsql('-D', 'private');
  await direct.closed;
  expect(direct.out()).toContain("the database 'private'");
});

test('letters do not matter where the server has a name in others, and what is denied is denied in any', async () => {
  await makeRole(world.admin, 'not-private', '{deny: {db_names: [Private]}}');
  await makeRole(world.admin, 'all-names', "{allow: {db_labels: {'*': '*'}, db_users: [app], db_names: ['*']}}");
  const client = await tsql();
  client.run('use stock');
  client.run('select where_now');
  await expect.poll(client.out).toContain('Stock');
  client.run('select still_here');
  await expect.poll(() => sqlserver.came.some(({ text }) => text.includes('still_here'))).toBe(true);
  await client.end();
  await world.gateway.setRoles('ann', ['all-names', 'not-private']);
  const other = await tsql();
  for (const name of ['private', 'PRIVATE', '[Private]']) other.run(`use ${name}`);
  await expect.poll(() => other.out().split('no role of yours lets you').length).toBe(4);
  other.run('use anything');
  await expect.poll(() => sqlserver.came.at(-1)?.text).toBe('use anything\n');
  await other.end();
});

test('nobody comes into a database that another name led to', async () => {
  const client = await tsql('-D', 'mirror');
  await client.closed;

  expect(client.out()).toContain("the database 'private'");
  await expect.poll(sqlserver.connections).toBe(0);
});

test('a session that finds itself in another database ends', async () => {
  const client = await tsql();
  client.run('exec go_elsewhere');
  await expect.poll(sqlserver.connections).toBe(0);
  client.run('select more');

  await expect.poll(client.out).toContain("in the database 'private' now");
});

test('what runs is cancelled at the server when access ends, and the client hears why', async () => {
  const client = await tsql();
  client.run("waitfor delay '01:00'");
  await expect.poll(() => sqlserver.came.some(({ text }) => text.includes('waitfor'))).toBe(true);
  await call(world.admin.send, databaseRoutes.remove, { params: { ...CLUSTER, name: 'shop' } });
  await expect.poll(client.out).toMatch(/removed|no longer|gone/);

  expect(sqlserver.came.at(-1)).toMatchObject({ type: TYPE.attention });
  await expect.poll(sqlserver.connections).toBe(0);
});

test('passwords in statements are not in the log', async () => {
  const client = await tsql();
  client.run("create login eve with password = N'hush-hush', default_database = shop");
  client.run('alter login eve with password = "hush-hush"');
  await expect.poll(async () => (await told()).filter(({ db_query }) => /login eve/.test(db_query)).length).toBe(2);
  await client.end();

  expect(JSON.stringify(await world.gateway.events())).not.toContain('hush-hush');
});

test('who only reads does only that', async () => {
  const params = { ...CLUSTER, name: 'shop' };
  await call(world.admin.send, databaseRoutes.update, { params, body: { readOnly: true } });
  const client = await tsql();
  client.run('select readable');
  await expect.poll(client.out).toMatch(/app/);
  client.run('with t as (select 1 as x) delete from t');
  await expect.poll(client.out).toContain('you may only read there');
  client.run('sp_who2');
  await expect.poll(() => client.out().split('you may only read').length).toBe(3);
  await client.end();

  expect(sqlserver.came.some(({ text }) => /delete|sp_who2/.test(text))).toBe(false);
});

test('a wrong password and a server that is not there are told in an error that the program shows', async () => {
  await call(world.admin.send, databaseRoutes.setSecret, {
    ...{ params: { ...CLUSTER, name: 'shop', dbUser: 'app' }, body: { password: 'another' } },
  });
  const client = await tsql();
  await client.closed;
  expect(client.out()).toContain("Login failed for user 'app'");
});
