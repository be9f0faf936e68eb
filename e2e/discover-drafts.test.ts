/** Things that are about to be added, tested in the browser against the real ones: each way as it works, and what is typically wrong with it. */
import { PASSWORD as MARIADB_PASSWORD, startSecureMariadb } from '@gatehouse/gateway/testing/db/secure-mariadb';
import { PASSWORD as POSTGRES_PASSWORD, startSecurePostgres } from '@gatehouse/gateway/testing/db/secure-postgres';
import { PASSWORD as REDIS_PASSWORD, startSecureRedis } from '@gatehouse/gateway/testing/db/secure-redis';
import { startXrdp, XRDP_TURN_MS } from '@gatehouse/testkit/desktop/xrdp';
import { startKubeCluster } from '@gatehouse/testkit/kube/kube-cluster';
import { startNginx } from '@gatehouse/testkit/nginx';
import { startPostgres } from '@gatehouse/testkit/postgres';
import { startSshd } from '@gatehouse/testkit/sshd';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type DiscoverWorld, type Person, startDiscoverWorld, started } from './discover-world.ts';
import { EACH_WIDTH, lookAt } from './look.ts';

let world: DiscoverWorld;
let one: Person;
beforeAll(async () => {
  world = await startDiscoverWorld();
  one = await world.person();
});
afterAll(() => world?.close());

test('nginx: nothing listens at first, then every hop works', async () => {
  const nginx = await started(startNginx({ files: { 'index.html': 'hi' } }));
  await one.describe('app');

  await one.field('Address').fill('http://127.0.0.1:1');
  expect(await one.tryDraft()).toMatchObject({
    ok: 1,
    stops: true,
    text: expect.stringContaining('refuses the connection'),
  });
  await one.field('Address').fill(`http://127.0.0.1:${nginx.port}`);
  expect(await one.tryDraft()).toMatchObject({
    ok: 3,
    stops: false,
    text: expect.stringContaining('It answers with 200'),
  });
});

test('PostgreSQL: one without TLS says what to set, one with TLS is signed in to', async () => {
  const [plain, secure] = await Promise.all([started(startPostgres()), started(startSecurePostgres())]);
  await one.describe('postgres');

  await one.field('Address').fill(`127.0.0.1:${plain.port}`);
  const refused = await one.tryDraft();
  expect([refused.ok, refused.stops]).toEqual([2, true]);
  expect(refused.text).toMatch(/Next:.*ssl ?= ?on/i);
  await one.field('Address').fill(`localhost:${secure.port}`);
  await one.believe(secure.ca);
  await one.field(/^User of the database/).fill('by_scram');
  await one.field(/^Default database/).fill(secure.database);
  await one.main.locator('input[type=password]').fill(POSTGRES_PASSWORD);
  expect(await one.tryDraft()).toMatchObject({ ok: 7, stops: false });
});

test('MariaDB and Redis: a wrong password is told from the right one', async () => {
  const [mariadb, redis] = await Promise.all([started(startSecureMariadb()), started(startSecureRedis())]);
  const rows = [
    { flow: 'mysql', real: mariadb, user: 'by_native', password: MARIADB_PASSWORD },
    { flow: 'redis', real: redis, user: 'app', password: REDIS_PASSWORD },
  ];
  for (const { flow, real, user, password } of rows) {
    await one.describe(flow);
    await one.field('Address').fill(`127.0.0.1:${real.port}`);
    await one.believe(real.ca);
    await one.field(/^User of the database/).fill(user);
    await one.main.locator('input[type=password]').fill('not-the-password');
    expect(await one.tryDraft()).toMatchObject({ ok: 4, stops: true });
    await one.main.locator('input[type=password]').fill(password);
    expect(await one.tryDraft()).toMatchObject({ ok: 7, stops: false });
  }
});

test('Kubernetes: an account that may act as nobody is told the role to apply', async () => {
  const cluster = await started(startKubeCluster());
  await one.describe('kubernetes');

  const config = one.main.getByRole('textbox', { name: /paste a kubeconfig/ });
  await config.fill(cluster.kubeconfig({ token: cluster.token({ user: 'gateway', groups: [] }) }));
  const powerless = await one.tryDraft();
  expect([powerless.ok, powerless.stops]).toEqual([4, true]);
  expect(powerless.text).toContain('kind: ClusterRole');
  await config.fill(cluster.kubeconfig({ token: cluster.adminToken }));
  expect(await one.tryDraft()).toMatchObject({ ok: 5, stops: false });
});

test('xrdp: the certificate that it shows is taken by a button, and then it is the one; sshd is no desktop', {
  timeout: XRDP_TURN_MS,
}, async () => {
  const [xrdp, sshd] = await Promise.all([started(startXrdp()), started(startSshd())]);
  await one.describe('desktop');
  await one.field('Address').fill(xrdp.addr);
  expect(await one.tryDraft()).toMatchObject({ ok: 4, stops: false });
  await one.press('It is this one');
  expect(await one.field('SHA-256 fingerprint').inputValue()).toMatch(/^sha256:[0-9a-f]{64}$/);
  expect(await one.tryDraft()).toMatchObject({
    ok: 4,
    stops: false,
    text: expect.stringContaining('is the one it is to be'),
  });
  await one.field('Address').fill(sshd.addr);
  expect(await one.tryDraft()).toMatchObject({ ok: 2, stops: true });
});

test.each(EACH_WIDTH)(
  'at $width width what a test says is accessible and fits, in both themes',
  async ({ viewport }) => {
    await one.page.setViewportSize(viewport);
    const { look, found } = lookAt(one.page);
    await one.describe('app');
    await one.field('Address').fill('http://127.0.0.1:1');
    await one.tryDraft();
    await look('stops');
    expect(found).toEqual([]);
  },
);
