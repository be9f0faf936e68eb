/** The hops to a database that is about to be added, tried at real servers. */
import { type DbCheckStep, databaseRoutes } from '@gatehouse/contract/kinds/db/databases';
import { call } from '@gatehouse/contract/wire/client';
import { freePort } from '@gatehouse/testkit/free-port';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { CLUSTER } from '../../../testing/db/db-world.ts';
import { type SecureMariadb, startSecureMariadb } from '../../../testing/db/secure-mariadb.ts';
import { PASSWORD, type SecurePostgres, startSecurePostgres } from '../../../testing/db/secure-postgres.ts';
import { PASSWORD as REDIS_PASSWORD, type SecureRedis, startSecureRedis } from '../../../testing/db/secure-redis.ts';
import { makeTestAuthority } from '../../../testing/db/test-authority.ts';
import { type IdentityGateway, startIdentityGateway } from '../../../testing/identity-gateway.ts';
import type { TestBrowser } from '../../../testing/test-browser.ts';

type Checked = z.input<typeof databaseRoutes.check.body>;
type CheckFields = Partial<Checked>;

let gateway: IdentityGateway;
let admin: TestBrowser;
beforeAll(async () => {
  gateway = await startIdentityGateway();
  await gateway.addUser('admin', { roles: ['editor'] });
  admin = await gateway.signedIn('admin');
});
afterAll(() => gateway?.close());

async function check(body: Checked): Promise<DbCheckStep[]> {
  return (await call(admin.send, databaseRoutes.check, { params: CLUSTER, body })).steps;
}
const statuses = (steps: readonly DbCheckStep[]) => steps.map(({ step, status }) => `${step} ${status}`);
const upTo = (last: 'reach' | 'tcp' | 'tls' | 'login' | 'database') => {
  const all = ['reach', 'tcp', 'tls', 'login', 'database'];
  return all.map((step, at) => `${step} ${at < all.indexOf(last) ? 'ok' : step === last ? 'failed' : 'skipped'}`);
};

describe('PostgreSQL', () => {
  let postgres: SecurePostgres;
  beforeAll(async () => {
    postgres = await startSecurePostgres();
  });
  afterAll(() => postgres?.stop());

  const asked = (more: CheckFields = {}) =>
    check({
      ...{ protocol: 'postgres', uri: `localhost:${postgres.port}`, tls: { ca: postgres.ca }, signIn: 'password' },
      ...{ database: postgres.database, dbUser: 'by_scram', password: PASSWORD, ...more },
    });

  test('each hop is told, with the days that its certificate has left', async () => {
    const steps = await asked();

    // A certificate of a test ends in two days.
    expect(statuses(steps)).toEqual(['reach ok', 'tcp ok', 'tls warning', 'login ok', 'database ok']);
    expect(steps[2]?.message).toMatch(/^its certificate is good for localhost, for 1 more day$/);
    expect(steps[4]?.message).toMatch(/is there, version 1\d/);
  });

  test('a wrong password is told at the sign-in, and never repeated', async () => {
    const steps = await asked({ password: 'not-the-password' });

    expect(steps[3]).toMatchObject({
      step: 'login',
      status: 'failed',
      next: "give the password that 'by_scram' has there",
    });
    expect(steps[3]?.message).toContain('password authentication failed');
    expect(JSON.stringify(steps)).not.toContain('not-the-password');
    expect(steps[4]?.status).toBe('skipped');
  });

  test('a user without a line in pg_hba.conf is told the line', async () => {
    const steps = await asked({ dbUser: 'no one' });

    expect(steps[3]?.status).toBe('failed');
    expect(steps[3]?.next).toContain(`hostssl ${postgres.database} "no one" 127.0.0.1/32 scram-sha-256`);
  });

  test('a database that is not there is told after the sign-in', async () => {
    const steps = await asked({ database: 'not"there' });

    expect(statuses(steps).slice(3)).toEqual(['login ok', 'database failed']);
    expect(steps[4]).toMatchObject({ next: 'name a database that is there, or make it: CREATE DATABASE "not""there"' });
  });

  test('a certificate that nobody vouches for ends it at TLS', async () => {
    const { ca } = await makeTestAuthority();

    expect(statuses(await asked({ tls: { ca } }))).toEqual(upTo('tls'));
    const unchecked = await asked({ tls: { mode: 'insecure' } });
    expect(statuses(unchecked)).toEqual(['reach ok', 'tcp ok', 'tls warning', 'login ok', 'database ok']);
  });

  test('without a password or a user TLS is tried all the same', async () => {
    const noPassword = await asked({ password: undefined });
    const nobody = await asked({ password: undefined, dbUser: undefined });

    expect(statuses(noPassword).slice(2)).toEqual(['tls warning', 'login failed', 'database skipped']);
    expect(noPassword[3]?.message).toBe("no password of 'by_scram' was given");
    expect(statuses(nobody).slice(2)).toEqual(['tls warning', 'login skipped', 'database skipped']);
  });

  test('a dead port and a name that nobody knows end it where they are met', async () => {
    expect(statuses(await asked({ uri: `localhost:${await freePort()}` }))).toEqual(upTo('tcp'));
    expect(statuses(await asked({ uri: 'nowhere.invalid:5432' }))).toEqual(upTo('reach'));
  });

  test('another protocol than it speaks is told, and not waited for', async () => {
    const steps = await asked({ protocol: 'redis', database: '0' });

    expect(statuses(steps)).toEqual(upTo('tls'));
  });

  test('nothing is stored', async () => {
    await asked();

    const { items } = await call(admin.send, databaseRoutes.list, { params: CLUSTER });
    expect(items).toEqual([]);
    expect(JSON.stringify(await gateway.events())).not.toContain(PASSWORD);
  });

  test('who may not add databases may not try them either', async () => {
    await gateway.addUser('ann', { roles: ['access'] });
    const ann = await gateway.signedIn('ann');
    const body = { protocol: 'postgres', uri: `localhost:${postgres.port}` } as const;

    await expect(call(ann.send, databaseRoutes.check, { params: CLUSTER, body })).rejects.toMatchObject({
      code: 'denied',
    });
  });
});

describe('MariaDB', () => {
  let mariadb: SecureMariadb;
  beforeAll(async () => {
    mariadb = await startSecureMariadb();
  });
  afterAll(() => mariadb?.stop());

  const asked = (more: CheckFields = {}) =>
    check({
      ...{ protocol: 'mysql', uri: `127.0.0.1:${mariadb.port}`, tls: { ca: mariadb.ca }, signIn: 'password' },
      ...{ database: 'shop', dbUser: 'by_ed25519', password: PASSWORD, ...more },
    });

  test('each hop is told', async () => {
    expect(statuses(await asked())).toEqual(['reach ok', 'tcp ok', 'tls warning', 'login ok', 'database ok']);
    expect(statuses(await asked({ dbUser: undefined })).slice(2)).toEqual([
      'tls warning',
      'login skipped',
      'database skipped',
    ]);
  });

  test('a wrong password, a database that is not there and one that is not given are told by what they are', async () => {
    const wrong = await asked({ password: 'wrong' });
    const missing = await asked({ dbUser: 'by_native', database: 'nothing' });
    const notGiven = await asked({ database: 'other' });

    expect(statuses(wrong).slice(3)).toEqual(['login failed', 'database skipped']);
    expect(wrong[3]?.next).toContain("CREATE USER 'by_ed25519'@");
    expect(statuses(missing).slice(3)).toEqual(['login ok', 'database failed']);
    expect(missing[4]?.next).toContain('CREATE DATABASE `nothing`');
    expect(statuses(notGiven).slice(3)).toEqual(['login ok', 'database failed']);
    expect(notGiven[4]?.next).toContain('GRANT SELECT ON `other`.* TO');
  });
});

describe('Redis', () => {
  let redis: SecureRedis;
  beforeAll(async () => {
    redis = await startSecureRedis();
  });
  afterAll(() => redis?.stop());

  const asked = (more: CheckFields = {}) =>
    check({
      ...{ protocol: 'redis', uri: `localhost:${redis.port}`, tls: { ca: redis.ca }, signIn: 'password' },
      ...{ database: '1', dbUser: 'app', password: REDIS_PASSWORD, ...more },
    });

  test('each hop is told, and what a wrong password and a number too high are', async () => {
    const wrong = await asked({ password: 'wrong' });
    const high = await asked({ database: '999' });

    expect(statuses(await asked())).toEqual(['reach ok', 'tcp ok', 'tls warning', 'login ok', 'database ok']);
    expect(statuses(wrong).slice(3)).toEqual(['login failed', 'database skipped']);
    expect(wrong[3]?.next).toContain('ACL SETUSER app on');
    expect(statuses(high).slice(3)).toEqual(['login ok', 'database failed']);
    expect(high[4]?.next).toContain("raise 'databases'");
  });

  test('one that wants a certificate, and is signed in to by password alone, is told as that', async () => {
    const strict = await startSecureRedis({ clients: 'yes' });
    try {
      const steps = await asked({ uri: `localhost:${strict.port}`, tls: { ca: strict.ca } });

      expect(statuses(steps)).toEqual(['reach ok', 'tcp ok', 'tls warning', 'login failed', 'database skipped']);
      // The server's reset may overtake its alert.
      expect(steps[3]?.message).toMatch(/^(?:it lets in only who shows a certificate|the connection broke: .*)$/);
      expect(steps[3]?.next).toContain('sign in to this database by certificate');
    } finally {
      await strict.stop();
    }
  });

  test('a password is not sent where nothing is checked', async () => {
    const steps = await asked({ uri: `localhost:${redis.plainPort}`, tls: { mode: 'off' } });

    expect(statuses(steps)).toEqual(['reach ok', 'tcp ok', 'tls skipped', 'login failed', 'database skipped']);
    expect(steps[3]?.message).toContain('not sent without TLS that is checked');
  });
});
