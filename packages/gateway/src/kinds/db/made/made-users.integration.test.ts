/** Users that are made on the fly at a real PostgreSQL: who comes in as whom, with what, and what is left of them. */
import { databaseRoutes } from '@gatehouse/contract/kinds/db/databases';
import { diagnosticRoutes } from '@gatehouse/contract/sessions/diagnostics';
import { call } from '@gatehouse/contract/wire/client';
import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { makeRole } from '../../../../testing/apps/app-world.ts';
import { CLUSTER } from '../../../../testing/db/db-world.ts';
import { EditorPage } from '../../../../testing/db/editor-page.ts';
import {
  asOwner,
  MAKER,
  type MadeWorld,
  prepareMaking,
  startMadeWorld,
  stateOf,
} from '../../../../testing/db/made-world.ts';
import { type SecurePostgres, startSecurePostgres } from '../../../../testing/db/secure-postgres.ts';

const DISABLED = { login: false, roles: [], open: false };
let postgres: SecurePostgres;
let world: MadeWorld;
beforeAll(async () => {
  postgres = await startSecurePostgres();
  await prepareMaking(postgres);
});
afterAll(() => postgres?.stop());
beforeEach(async () => {
  const { port, ca, database } = postgres;
  world = await startMadeWorld({ ...{ protocol: 'postgres', port, ca, database }, dbNames: [database] });
  await world.give(['reader']);
});
afterEach(async () => {
  await world.close();
  await asOwner(postgres.url, 'drop owned by ann; drop role ann').catch(() => []);
});

async function connected(): Promise<Client> {
  const { port } = await world.tunnel({ dbUser: 'ann' });
  const client = new Client({ host: '127.0.0.1', port, user: 'anybody', database: 'anybody' });
  client.on('error', () => {});
  onTestFinished(() => client.end().catch(() => {}));
  await client.connect();
  return client;
}

const pending = () => world.gateway.storage.db.selectFrom('made_db_user').selectAll().execute();
const isDisabled = async () => {
  await expect.poll(() => stateOf(postgres, 'ann')).toEqual(DISABLED);
  await expect.poll(pending).toEqual([]);
};

async function told(): Promise<(readonly [string, unknown])[]> {
  const events = await world.gateway.events();
  return events
    .filter(({ code }) => code.startsWith('GH39'))
    .map(({ code, data }) => [code, data.created ?? data.dropped] as const);
}

test('the database user of a person is made when they connect, with the roles of the moment, and disabled when the last session is over', async () => {
  const first = await connected();
  const { rows } = await first.query('select current_user as who, session_user as own');
  expect(rows).toEqual([{ who: 'ann', own: 'ann' }]);
  await first.query('select * from goods');
  await expect(first.query('insert into goods values (1)')).rejects.toThrow(/permission denied/);
  // Nobody else comes in meanwhile, whatever password they give themselves.
  await first.query("alter role ann password 'own'");
  expect(await stateOf(postgres, 'ann')).toEqual({ login: true, roles: ['reader'], open: false });
  const straight = new Client({
    host: '127.0.0.1',
    port: postgres.port,
    user: 'ann',
    password: 'own',
    database: postgres.database,
  });
  await expect(straight.connect()).rejects.toThrow(/password authentication failed/);
  expect(await pending()).toMatchObject([{ id: 'shop', db_user: 'ann', dropped: 0 }]);

  const second = await connected();
  await first.end();
  await second.query('select * from goods');
  await second.end();
  await isDisabled();
  await expect.poll(told).toEqual([
    ['GH391I', true],
    ['GH391I', false],
    ['GH392I', false],
  ]);

  await world.give(['writer', 'odd " role']);
  const third = await connected();
  expect((await stateOf(postgres, 'ann'))?.roles).toEqual(['odd " role', 'writer']);
  await third.end();
  await isDisabled();
});

test('a user of that name that was not made here is left as it is', async () => {
  await asOwner(postgres.url, "create role ann login password 'x'; grant writer to ann");

  await expect(connected()).rejects.toThrow(/has a user 'ann' already, which was not made here/);
  expect(await stateOf(postgres, 'ann')).toEqual({ login: true, roles: ['writer'], open: true });
  expect(await pending()).toEqual([]);
});

test('with other roles than in a session that is open nobody comes in, and whoever loses one is out', async () => {
  const first = await connected();
  const over = new Promise<string>((resolve) => first.on('error', (error: Error) => resolve(error.message)));
  await world.give(['reader', 'writer']);
  await first.query('select * from goods');
  await expect(connected()).rejects.toThrow(/connected there with the roles reader, and would have others now/);
  expect((await stateOf(postgres, 'ann'))?.roles).toEqual(['reader']);

  await world.give(['reader', 'writer'], { deny: ['reader'] });
  expect(await over).toMatch(/less in the database/);
  // At once: whoever was put out comes again.
  const next = await connected();
  expect((await stateOf(postgres, 'ann'))?.roles).toEqual(['writer']);
  const lost = new Promise<string>((resolve) => next.on('error', (error: Error) => resolve(error.message)));
  await world.gateway.setRoles('ann', []);
  expect(await lost).toMatch(/access denied|none of your roles/);
  await isDisabled();
});

test('what is to be dropped goes, and stays disabled where something there is its own', async () => {
  await world.give(['reader'], { mode: 'best_effort_drop' });
  const first = await connected();
  await first.end();
  await expect.poll(() => stateOf(postgres, 'ann')).toBeUndefined();
  await expect.poll(told).toContainEqual(['GH392I', true]);

  const second = await connected();
  await second.query('create table own (id int)');
  await second.end();
  await isDisabled();
});

test.each([
  [
    'a role that is not there',
    ['nowhere'],
    /could not make or change the user for 'ann': role "nowhere" does not exist/,
  ],
  ['the admin user itself', [MAKER], /is the admin user itself/],
  ['a role that only superusers give', ['gatehouse'], /could not make or change the user for 'ann'/],
])('%s is given to nobody, and nothing is left behind', async (_what, roles, words) => {
  await world.give(roles);
  await expect(connected()).rejects.toThrow(words);
  await expect.poll(pending).toEqual([]);
  expect(await stateOf(postgres, 'ann')).toBeUndefined();
});

test('an admin user without rights is told so', async () => {
  const maker = `"${MAKER.replaceAll('"', '""')}"`;
  await asOwner(postgres.url, `alter role ${maker} nocreaterole`);
  onTestFinished(async () => void (await asOwner(postgres.url, `alter role ${maker} createrole`)));

  await expect(connected()).rejects.toThrow(/the admin user '.*' could not make .*permission denied/);
  expect(await stateOf(postgres, 'ann')).toBeUndefined();
});

test.each([
  [`o'neil"; drop role reader; --`, true],
  ["back\\slash $$ E'", true],
  ['Änne-Zoë 日本 🦊', true],
  ['ann@example.com', true],
  ['a'.repeat(63), true],
  ['ä'.repeat(32), false],
  ['pg_monitor', false],
  ['postgres ', false],
])('somebody called %s comes in under that very name, or is refused in words', async (name, comesIn) => {
  await world.give(['reader'], { users: [name] });
  await world.gateway.addUser(name, { roles: ['dev'] });
  const who = await world.gateway.signedIn(name);
  const page = new EditorPage({ origin: world.origin, who, dbUser: name });
  if (!comesIn) {
    await expect(page.next('ready')).rejects.toThrow(/no database user is made/);
    return;
  }
  await page.next('ready');
  expect((await stateOf(postgres, name))?.roles).toEqual(['reader']);
  page.socket.close();
  await expect.poll(() => stateOf(postgres, name)).toEqual(DISABLED);
  expect(await asOwner(postgres.url, "select 1 as there from pg_roles where rolname = 'reader'")).toHaveLength(1);
});

test('a help desk without the role cannot name who makes users, nor lead them elsewhere', async () => {
  await makeRole(world.admin, 'desk', `{allow: {rules: [{resources: [db, db_server], verbs: ['*']}]}}`);
  await world.gateway.addUser('hal', { roles: ['desk'] });
  const hal = await world.gateway.signedIn('hal');
  const params = { ...CLUSTER, name: 'shop' };
  for (const body of [{ adminUser: { name: 'gatehouse' } }, { uri: 'localhost:1' }])
    await expect(call(hal.send, databaseRoutes.update, { params, body })).rejects.toThrow(/only who may edit roles/);
});

test('a user of another name is one that the database has', async () => {
  await world.give(['reader'], { users: ['by_scram'] });
  await call(world.admin.send, databaseRoutes.setSecret, {
    params: { ...CLUSTER, name: 'shop', dbUser: 'by_scram' },
    body: { password: "pass'word, =n%" },
  });
  const { port } = await world.tunnel({ dbUser: 'by_scram' });
  const client = new Client({ host: '127.0.0.1', port, user: 'x', database: 'x' });
  await client.connect();
  expect((await client.query('select current_user as who')).rows).toEqual([{ who: 'by_scram' }]);
  await client.end();
  expect(await told()).toEqual([]);
});

test('where nobody makes users a role that wants them made lets nobody in, and says so', async () => {
  await call(world.admin.send, databaseRoutes.update, {
    params: { ...CLUSTER, name: 'shop' },
    body: { adminUser: { name: '' } },
  });
  const { port, failures } = await world.tunnel({ dbUser: 'ann' });
  const client = new Client({ host: '127.0.0.1', port, user: 'x', database: 'x' });
  await expect(client.connect()).rejects.toThrow();
  expect(failures[0]?.message).toMatch(/names no admin user who makes it/);
});

test('a test of the connection signs in as who makes users, and makes nobody', async () => {
  await world.gateway.setRoles('admin', ['editor', 'dev']);
  await world.give(['reader'], { users: ['admin'] });
  const result = await call(world.admin.send, diagnosticRoutes.connect, {
    params: CLUSTER,
    body: { resource_kind: 'db', resource_name: 'shop', database_user: 'admin' },
  });

  expect(result.success).toBe(true);
  expect(JSON.stringify(result.traces)).toContain("makes 'admin' with the roles reader");
  expect(await stateOf(postgres, 'admin')).toBeUndefined();
});

test('what is about to be added is tried as who makes users, and makes nobody', async () => {
  await world.gateway.setRoles('admin', ['editor', 'dev']);
  await world.give(['reader'], { users: ['admin'] });
  const { port, ca, database } = postgres;
  const { steps } = await call(world.admin.send, databaseRoutes.check, {
    params: CLUSTER,
    body: {
      ...{ protocol: 'postgres', uri: `localhost:${port}`, tls: { ca }, signIn: 'password', database },
      ...{ labels: [{ name: 'env', value: 'dev' }], adminUser: { name: MAKER }, dbUser: 'admin', password: 'x' },
    },
  });

  expect(steps.find(({ status }) => status === 'failed')?.message).toMatch(/nobody is made for a test/);
  expect(await stateOf(postgres, 'admin')).toBeUndefined();
});

test('a database that is removed while somebody is in leaves nobody enabled', async () => {
  const client = await connected();
  const over = new Promise<string>((resolve) => client.on('error', (error: Error) => resolve(error.message)));
  await call(world.admin.send, databaseRoutes.remove, { params: { ...CLUSTER, name: 'shop' } });
  await over;
  await isDisabled();
});

test('eight connections at once are one user', async () => {
  const all = await Promise.all(Array.from({ length: 8 }, () => connected()));
  for (const each of all) await each.query('select * from goods');
  await Promise.all(all.map((each) => each.end()));
  await isDisabled();
});
