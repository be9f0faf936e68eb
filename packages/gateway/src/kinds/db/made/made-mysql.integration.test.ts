/** Users that are made on the fly at a real MariaDB. */

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { type Connection, createConnection, type RowDataPacket } from 'mysql2/promise';
import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { EditorPage } from '../../../../testing/db/editor-page.ts';
import { MAKER, MAKER_PASSWORD, type MadeWorld, soonOver, startMadeWorld } from '../../../../testing/db/made-world.ts';
import { type SecureMariadb, startSecureMariadb } from '../../../../testing/db/secure-mariadb.ts';
import { ownRole } from '../engine/mysql/user-maker.ts';

const run = promisify(execFile);
const MAKER_NAME = `\`${MAKER}\`@'127.0.0.1'`;
const ROLES = `
create role reader; create role writer; create role \`odd\`\`role\`;
create table shop.goods (id int); grant select on shop.* to reader; grant insert on shop.* to writer; grant create view on shop.* to writer;
create user ${MAKER_NAME} identified by '${MAKER_PASSWORD.replaceAll("'", "''")}';
grant create user, process on *.* to ${MAKER_NAME};
grant select on mysql.user to ${MAKER_NAME}; grant select on mysql.roles_mapping to ${MAKER_NAME};
grant reader to ${MAKER_NAME} with admin option; grant writer to ${MAKER_NAME} with admin option; grant \`odd\`\`role\` to ${MAKER_NAME} with admin option;
`;
let mariadb: SecureMariadb;
let world: MadeWorld;
beforeAll(async () => {
  mariadb = await startSecureMariadb(ROLES);
});
afterAll(() => mariadb?.stop());
beforeEach(async () => {
  world = await startMadeWorld({
    ...{ protocol: 'mysql', port: mariadb.port, ca: mariadb.ca, database: 'shop', dbNames: ['shop'] },
  });
  await world.give(['reader']);
});
afterEach(async () => {
  await world.close();
  await asRoot(
    `drop user if exists ann@'%'; drop user if exists ann@localhost; drop role if exists \`${ownRole('ann')}\``,
  );
});

/** Lines, with tabs between what stands in them. */
async function asRoot(sql: string): Promise<string[]> {
  const words = [
    '--no-defaults',
    '-u',
    'root',
    '-S',
    mariadb.socket,
    '-N',
    '--default-character-set=utf8mb4',
    '-e',
    sql,
  ];
  const { stdout } = await run('mariadb', words);
  return stdout.split('\n').filter((line) => line !== '');
}

const hex = (name: string) => `x'${Buffer.from(name).toString('hex')}'`;

/** Undefined: there is no such user. */
async function stateOf(user: string) {
  const [locked] = await asRoot(
    `select json_value(priv, '$.account_locked') from mysql.global_priv where cast(user as binary) = ${hex(user)} and host = '%'`,
  );
  if (locked === undefined) return undefined;
  const roles = await asRoot(
    `select role from mysql.roles_mapping where user = '${ownRole(user)}' and host = '' order by role`,
  );
  return { isLocked: locked === '1' || locked === 'true', roles };
}

const DISABLED = { isLocked: true, roles: [] };
const pending = () => world.gateway.storage.db.selectFrom('made_db_user').selectAll().execute();
const isDisabled = async () => {
  await expect.poll(() => stateOf('ann')).toEqual(DISABLED);
  await expect.poll(pending).toEqual([]);
};

async function connected(): Promise<Connection> {
  const { port } = await world.tunnel({ dbUser: 'ann' });
  const client = await createConnection({ host: '127.0.0.1', port, user: 'anybody', password: 'anything' });
  client.on('error', () => {});
  onTestFinished(() => client.destroy());
  return client;
}

test('the database user of a person is made when they connect, with the roles of the moment, and locked when the last session is over', async () => {
  const first = await connected();
  const [rows] = await first.query<RowDataPacket[]>('select current_user() as who, database() as what');
  expect(rows).toEqual([{ who: 'ann@%', what: 'shop' }]);
  await first.query('select * from goods');
  await expect(first.query('insert into goods values (1)')).rejects.toThrow(/INSERT command denied/);
  // While somebody is in, nobody else comes in.
  await first.query("set password = password('own')");
  expect(await stateOf('ann')).toEqual({ isLocked: true, roles: ['reader'] });
  const straight = createConnection({
    host: '127.0.0.1',
    port: mariadb.port,
    user: 'ann',
    password: 'own',
    ssl: { ca: mariadb.ca },
  });
  await expect(straight).rejects.toThrow(/locked|denied/);

  const second = await connected();
  await first.end();
  await second.query('select * from goods');
  await second.end();
  await isDisabled();

  await world.give(['writer', 'odd`role', 'reader']);
  const third = await connected();
  await third.query('insert into goods values (1)');
  await third.query('select * from goods');
  expect((await stateOf('ann'))?.roles).toEqual(['odd`role', 'reader', 'writer']);
  await third.end();
  await isDisabled();
});

test('a statement is cancelled as the user that was made', async () => {
  const page = new EditorPage({ origin: world.origin, who: world.ann, dbUser: 'ann' });
  await page.next('ready');
  const id = page.send({ type: 'run', tab: 0, sql: 'select sleep(600)' });
  await expect
    .poll(() => asRoot("select 1 from information_schema.processlist where info like '%sleep(600)%' and user = 'ann'"))
    .toEqual(['1']);
  page.send({ type: 'cancel', id });
  await expect
    .poll(() => asRoot("select 1 from information_schema.processlist where info like '%sleep(600)%' and user = 'ann'"))
    .toEqual([]);
  expect(await stateOf('ann')).toEqual({ isLocked: true, roles: ['reader'] });
  page.socket.close();
  await isDisabled();
});

test.each([
  ['for every host', "create user ann@'%' identified by 'x'"],
  ['for one host alone', "create user ann@localhost identified by 'x'"],
])('an account of that name %s that was not made here is left as it is', async (_what, make) => {
  await asRoot(make);
  const before = await asRoot("select * from mysql.global_priv where user = 'ann'");

  await expect(connected()).rejects.toThrow(/has a user 'ann' already, which was not made here/);
  expect(await asRoot("select * from mysql.global_priv where user = 'ann'")).toEqual(before);
  expect(await pending()).toEqual([]);
});

test('with other roles than in a session that is open nobody comes in, and whoever loses one is out', async () => {
  const first = await connected();
  const over = soonOver(first);
  await world.give(['reader', 'writer']);
  await first.query('select * from goods');
  await expect(connected()).rejects.toThrow(/connected there with the roles reader, and would have others now/);

  await world.give(['writer']);
  await over;
  await isDisabled();
});

test('what is to be dropped goes with its own role, and stays locked where something runs by its name', async () => {
  await world.give(['reader', 'writer'], { mode: 'best_effort_drop' });
  const first = await connected();
  await first.end();
  await expect.poll(() => stateOf('ann')).toBeUndefined();
  await expect.poll(() => asRoot(`select user from mysql.global_priv where user = '${ownRole('ann')}'`)).toEqual([]);

  await asRoot(`grant select, show view on shop.* to ${MAKER_NAME}`);
  const second = await connected();
  await second.query('create view own as select * from goods');
  await second.end();
  await isDisabled();
  await asRoot('drop view shop.own');
});

test.each([
  ['a role that is not there', ['nowhere'], /could not make or change the user for 'ann': Invalid role/],
  ['the admin user itself', [MAKER], /is the admin user itself/],
])('%s is given to nobody, and nobody is let in by halves', async (_what, roles, words) => {
  await world.give(roles);
  await expect(connected()).rejects.toThrow(words);
  await expect.poll(pending).toEqual([]);
  expect((await stateOf('ann')) ?? DISABLED).toEqual(DISABLED);
});

test('an admin user that does not see who is connected is told so', async () => {
  await asRoot(`revoke process on *.* from ${MAKER_NAME}`);
  onTestFinished(async () => void (await asRoot(`grant process on *.* to ${MAKER_NAME}`)));

  await expect(connected()).rejects.toThrow(/does not see who is connected/);
  expect(await stateOf('ann')).toBeUndefined();
});

test.each([
  [`o'neil\`; drop role reader; --`, true],
  ['back\\slash " $$', true],
  ['Änne-Zoë 日本', true],
  ['fox 🦊', false],
  ['a'.repeat(81), false],
  ['gatehouse:x', false],
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
  expect(await stateOf(name)).toEqual({ isLocked: true, roles: ['reader'] });
  page.socket.close();
  await expect.poll(() => stateOf(name)).toEqual(DISABLED);
});
