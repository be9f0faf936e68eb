/** Connections to real databases, tried step by step, and what can be wrong with them. */
import { lockRoutes } from '@gatehouse/contract/access/locks/locks';
import { databaseRoutes, type NewDatabase } from '@gatehouse/contract/kinds/db/databases';
import { diagnosticRoutes } from '@gatehouse/contract/sessions/diagnostics';
import { call } from '@gatehouse/contract/wire/client';
import { freePort } from '@gatehouse/testkit/free-port';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeRole } from '../../../testing/apps/app-world.ts';
import { failure, summary } from '../../../testing/connection-tests/server-world.ts';
import { CLUSTER } from '../../../testing/db/db-world.ts';
import { type SecureMariadb, startSecureMariadb } from '../../../testing/db/secure-mariadb.ts';
import { PASSWORD, type SecurePostgres, startSecurePostgres } from '../../../testing/db/secure-postgres.ts';
import { PASSWORD as REDIS_PASSWORD, type SecureRedis, startSecureRedis } from '../../../testing/db/secure-redis.ts';
import { makeTestAuthority } from '../../../testing/db/test-authority.ts';
import { type IdentityGateway, startIdentityGateway } from '../../../testing/identity-gateway.ts';
import type { TestBrowser } from '../../../testing/test-browser.ts';

const ACCESS = ['access SUCCESS RBAC_DATABASE', 'access SUCCESS RBAC_DATABASE_LOGIN'];
const REACHED = ['reach SUCCESS CONNECTIVITY', 'tcp SUCCESS CONNECTIVITY', 'tls SUCCESS CONNECTIVITY'];
const MET = [...REACHED, 'protocol SUCCESS CONNECTIVITY'];
const LET_IN = 'login SUCCESS DATABASE_DB_USER';
const ALL_WELL = [
  ...[...ACCESS, ...MET, LET_IN],
  'database SUCCESS DATABASE_DB_NAME',
  'rights SUCCESS DATABASE_DB_NAME',
];

let gateway: IdentityGateway;
let admin: TestBrowser;
let ann: TestBrowser;
beforeAll(async () => {
  gateway = await startIdentityGateway();
  await gateway.addUser('admin', { roles: ['editor'] });
  admin = await gateway.signedIn('admin');
  const rules =
    'rules: [{resources: [db_server], verbs: [list, read]}, {resources: [connection_diagnostic], verbs: [create, read]}]';
  await makeRole(admin, 'dev', `{allow: {db_labels: {env: dev}, db_users: ['*'], db_names: ['*'], ${rules}}}`);
  await makeRole(admin, 'few', `{allow: {db_labels: {env: dev}, db_users: [app], db_names: [shop], ${rules}}}`);
  await gateway.addUser('ann', { roles: ['dev'] });
  ann = await gateway.signedIn('ann');
});
afterAll(() => gateway?.close());

async function add(name: string, more: Omit<NewDatabase, 'name'>, passwords: Readonly<Record<string, string>> = {}) {
  const labels = [{ name: 'env', value: 'dev' }];
  await call(admin.send, databaseRoutes.add, {
    params: CLUSTER,
    body: { name, labels, signIn: 'password', ...more },
  });
  for (const [dbUser, password] of Object.entries(passwords))
    await call(admin.send, databaseRoutes.setSecret, {
      params: { ...CLUSTER, name, dbUser },
      body: { password },
    });
}

function tried(name: string, database_user: string, database_name = '', who = ann) {
  const body = { resource_kind: 'db', resource_name: name, database_user, database_name };
  return call(who.send, diagnosticRoutes.connect, { params: CLUSTER, body });
}

describe('PostgreSQL', () => {
  let postgres: SecurePostgres;
  beforeAll(async () => {
    postgres = await startSecurePostgres();
    const { port, ca, database } = postgres;
    const shop = { protocol: 'postgres', uri: `localhost:${port}`, tls: { ca }, database } as const;
    const { ca: stranger } = await makeTestAuthority();
    const passwords = { by_scram: PASSWORD, by_md5: 'not-the-password', nobody: 'x', "o'brien": 'x' };
    await add('shop', shop, passwords);
    await add('untrusted', { ...shop, tls: { ca: stranger } }, passwords);
    await add('dead', { ...shop, uri: `localhost:${await freePort()}` }, passwords);
    await add('narrow', { ...shop, users: ['by_scram'] }, passwords);
  });
  afterAll(() => postgres?.stop());

  test('every step goes well, is told, audited and read again', async () => {
    const said = await tried('shop', 'by_scram');

    expect(summary(said)).toEqual(ALL_WELL);
    expect(said).toMatchObject({ success: true, message: "'by_scram' can connect to 'shop'" });
    const read = await call(ann.send, diagnosticRoutes.read, { params: { ...CLUSTER, id: said.id } });
    expect(read).toEqual(said);
    expect((await gateway.events()).at(-1)).toMatchObject({
      user: 'ann',
      data: { login: 'by_scram', name: 'shop', resource_kind: 'db', success: true },
    });
  });

  test('a wrong password is the user, with the command that stores another', async () => {
    const said = await tried('shop', 'by_md5');

    expect(said.success).toBe(false);
    expect(summary(said)).toEqual([...ACCESS, ...MET, 'login FAILED DATABASE_DB_USER']);
    expect(failure(said).next).toBe('store the password it has: gatehouse db set-password shop by_md5');
    expect(JSON.stringify(said)).not.toContain('not-the-password');
  });

  test('a user that no line of pg_hba.conf lets in is the user, with the line to add', async () => {
    const said = await tried('shop', 'nobody');

    expect(summary(said).at(-1)).toBe('login FAILED DATABASE_DB_USER');
    expect(failure(said).next).toContain(`hostssl ${postgres.database} nobody 127.0.0.1/32 scram-sha-256`);
    expect(failure(await tried('shop', "o'brien")).next).toContain(`"o'brien" 127.0.0.1/32`);
  });

  test('a user whose password nobody stored is the user', async () => {
    const said = await tried('shop', 'by_clear');

    expect(summary(said)).toEqual([...ACCESS, ...MET, 'login FAILED DATABASE_DB_USER']);
    expect(failure(said).error).toContain("no password of the user 'by_clear' is stored");
  });

  test('a database that is not there is the database', async () => {
    const said = await tried('shop', 'by_scram', 'nothing');

    expect(summary(said)).toEqual([...ACCESS, ...MET, LET_IN, 'database FAILED DATABASE_DB_NAME']);
    expect(failure(said).next).toContain('CREATE DATABASE "nothing"');
  });

  test('a certificate that nobody vouches for, and a dead port, are the way there', async () => {
    const untrusted = await tried('untrusted', 'by_scram');
    const dead = await tried('dead', 'by_scram');

    expect(summary(untrusted).slice(2)).toEqual([...REACHED.slice(0, 2), 'tls FAILED CONNECTIVITY']);
    expect(failure(untrusted).next).toContain('give its authority as CA');
    expect(summary(dead).slice(2)).toEqual([REACHED[0], 'tcp FAILED CONNECTIVITY']);
  });

  test('what the record or the roles keep out is told before anything is dialled', async () => {
    await gateway.addUser('fay', { roles: ['few'] });
    const fay = await gateway.signedIn('fay');
    const byRecord = await tried('narrow', 'by_md5');
    const byRole = await tried('shop', 'by_scram', '', fay);

    expect(summary(byRecord)).toEqual([ACCESS[0], 'access FAILED RBAC_DATABASE_LOGIN']);
    expect(failure(byRecord).error).toContain("takes the users by_scram, not 'by_md5'");
    expect(summary(byRole)).toEqual([ACCESS[0], 'access FAILED RBAC_DATABASE_LOGIN']);
    expect(failure(byRole).next).toContain('they give the users app and the databases shop');
    expect(summary(await tried('hidden', 'by_scram'))).toEqual(['access FAILED RBAC_DATABASE']);
  });

  test('a lock is told, and no session is begun by a test', async () => {
    const body = { targets: { login: 'by_scram' }, message: 'x', force: true };
    const lock = await call(admin.send, lockRoutes.create, { params: CLUSTER, body });
    const said = await tried('shop', 'by_scram').finally(() =>
      call(admin.send, lockRoutes.remove, { params: { ...CLUSTER, name: lock.name } }),
    );

    expect(failure(said).error).toContain('is locked');
    expect((await gateway.events()).filter(({ code }) => /^TDB0[01]/.test(code))).toEqual([]);
  });
});

describe('MariaDB', () => {
  let mariadb: SecureMariadb;
  beforeAll(async () => {
    mariadb = await startSecureMariadb();
    const orders = { protocol: 'mysql', uri: `127.0.0.1:${mariadb.port}`, tls: { ca: mariadb.ca } } as const;
    await add('orders', { ...orders, database: 'shop' }, { by_ed25519: PASSWORD, by_native: 'wrong' });
  });
  afterAll(() => mariadb?.stop());

  test('every step goes well, and what fails is told by its code', async () => {
    const wrong = await tried('orders', 'by_native');
    const missing = await tried('orders', 'by_ed25519', 'nothing');

    expect(summary(await tried('orders', 'by_ed25519'))).toEqual(ALL_WELL);
    expect(summary(wrong)).toEqual([...ACCESS, ...MET, 'login FAILED DATABASE_DB_USER']);
    expect(failure(wrong).next).toContain("CREATE USER 'by_native'@");
    expect(summary(missing)).toEqual([...ACCESS, ...MET, LET_IN, 'database FAILED DATABASE_DB_NAME']);
    expect(failure(missing).next).toContain('GRANT SELECT ON `nothing`.* TO');
  });
});

describe('Redis', () => {
  let redis: SecureRedis;
  beforeAll(async () => {
    redis = await startSecureRedis();
    const cache = { protocol: 'redis', uri: `localhost:${redis.port}`, tls: { ca: redis.ca }, database: '1' } as const;
    await add('cache', cache, { app: REDIS_PASSWORD, reader: 'wrong' });
  });
  afterAll(() => redis?.stop());

  test('every step goes well, and what fails is told by its code', async () => {
    const wrong = await tried('cache', 'reader');
    const high = await tried('cache', 'app', '999');

    expect(summary(await tried('cache', 'app'))).toEqual(ALL_WELL);
    expect(summary(wrong)).toEqual([...ACCESS, ...MET, 'login FAILED DATABASE_DB_USER']);
    expect(summary(high)).toEqual([...ACCESS, ...MET, LET_IN, 'database FAILED DATABASE_DB_NAME']);
  });
});
