/** Things that are about to be added, tested in the browser against the real ones: each way as it works, and what is typically wrong with it. */
import { PASSWORD as MARIADB_PASSWORD, startSecureMariadb } from '@gatehouse/gateway/testing/db/secure-mariadb';
import { PASSWORD as POSTGRES_PASSWORD, startSecurePostgres } from '@gatehouse/gateway/testing/db/secure-postgres';
import { PASSWORD as REDIS_PASSWORD, startSecureRedis } from '@gatehouse/gateway/testing/db/secure-redis';
import { launchChromium, WIDTHS, watchedPage } from '@gatehouse/testkit/chromium';
import { startXrdp } from '@gatehouse/testkit/desktop/xrdp';
import { type GatewayProcess, startGateway } from '@gatehouse/testkit/gateway-process';
import { startKubeCluster } from '@gatehouse/testkit/kube/kube-cluster';
import { startNginx } from '@gatehouse/testkit/nginx';
import { startPostgres } from '@gatehouse/testkit/postgres';
import { signedInContext } from '@gatehouse/testkit/signed-in-context';
import { startSshd } from '@gatehouse/testkit/sshd';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { EACH_WIDTH, lookAt } from './look.ts';

let gateway: GatewayProcess;
let browser: Browser;
let page: Page;

beforeAll(async () => {
  gateway = await startGateway({ GATEHOUSE_SECOND_FACTOR: 'off' });
  browser = await launchChromium({ shortPages: true });
  const context = await browser.newContext({ viewport: WIDTHS.desktop, reducedMotion: 'reduce' });
  await signedInContext(context, gateway, 'person', 'editor,access');
  ({ page } = await watchedPage(context, gateway.origin));
});
afterAll(async () => {
  await browser?.close();
  await gateway?.stop();
});

/** One that is stopped when the test is over. */
async function started<T extends { stop(): Promise<unknown> }>(start: Promise<T>): Promise<T> {
  const real = await start;
  onTestFinished(async () => void (await real.stop()));
  return real;
}

async function describe(flow: string): Promise<Locator> {
  await page.goto(`${gateway.url}/discover?flow=${flow}&step=describe`);
  await page.getByRole('heading', { name: 'What is it?' }).waitFor();
  return page.getByRole('main');
}

const field = (main: Locator, name: string | RegExp) => main.getByRole('textbox', { name, exact: true });
async function believe(main: Locator, ca: string): Promise<void> {
  await main.getByText('Authority and name of its certificate').click();
  await field(main, /^Authority of its certificate/).fill(ca);
}

const way = () => page.getByRole('region', { name: 'The way there' });

/** Presses the button, and says which steps worked, which failed, and what the picture says. */
async function tested(): Promise<{ ok: number; text: string; stops: boolean }> {
  await way()
    .getByRole('button', { name: /^Test (it|again)$/ })
    .click();
  const picture = way().getByRole('img', { name: /every hop works|and stops at/ });
  await picture.waitFor();
  const ok = await way()
    .getByRole('img', { name: /^(Worked|Works, but look at it)$/ })
    .count();
  const stops = /stops at/.test((await picture.getAttribute('aria-label')) ?? '');
  return { ok, stops, text: (await way().textContent()) ?? '' };
}

test('nginx: nothing listens at first, then every hop works', async () => {
  const nginx = await started(startNginx({ files: { 'index.html': 'hi' } }));
  const main = await describe('app');

  await field(main, 'Address').fill('http://127.0.0.1:1');
  expect(await tested()).toMatchObject({ ok: 1, stops: true, text: expect.stringContaining('refuses the connection') });
  await field(main, 'Address').fill(`http://127.0.0.1:${nginx.port}`);
  expect(await tested()).toMatchObject({ ok: 3, stops: false, text: expect.stringContaining('It answers with 200') });
});

test('PostgreSQL: one without TLS says what to set, one with TLS is signed in to', async () => {
  const [plain, secure] = await Promise.all([started(startPostgres()), started(startSecurePostgres())]);
  const main = await describe('postgres');

  await field(main, 'Address').fill(`127.0.0.1:${plain.port}`);
  const refused = await tested();
  expect([refused.ok, refused.stops]).toEqual([2, true]);
  expect(refused.text).toMatch(/Next:.*ssl ?= ?on/i);
  await field(main, 'Address').fill(`localhost:${secure.port}`);
  await believe(main, secure.ca);
  await field(main, /^User of the database/).fill('by_scram');
  await main.getByText('Default database, names and limits').click();
  await field(main, /^Default database/).fill(secure.database);
  await main.locator('input[type=password]').fill(POSTGRES_PASSWORD);
  expect(await tested()).toMatchObject({ ok: 7, stops: false });
});

test('MariaDB and Redis: a wrong password is told from the right one', async () => {
  const [mariadb, redis] = await Promise.all([started(startSecureMariadb()), started(startSecureRedis())]);
  const rows = [
    { flow: 'mysql', real: mariadb, user: 'by_native', password: MARIADB_PASSWORD },
    { flow: 'redis', real: redis, user: 'app', password: REDIS_PASSWORD },
  ];
  for (const { flow, real, user, password } of rows) {
    const main = await describe(flow);
    await field(main, 'Address').fill(`127.0.0.1:${real.port}`);
    await believe(main, real.ca);
    await field(main, /^User of the database/).fill(user);
    await main.locator('input[type=password]').fill('not-the-password');
    expect(await tested()).toMatchObject({ ok: 4, stops: true });
    await main.locator('input[type=password]').fill(password);
    expect(await tested()).toMatchObject({ ok: 7, stops: false });
  }
});

test('Kubernetes: an account that may act as nobody is told the role to apply', async () => {
  const cluster = await started(startKubeCluster());
  const main = await describe('kubernetes');

  const config = main.getByRole('textbox', { name: /paste a kubeconfig/ });
  await config.fill(cluster.kubeconfig({ token: cluster.token({ user: 'gateway', groups: [] }) }));
  const powerless = await tested();
  expect([powerless.ok, powerless.stops]).toEqual([4, true]);
  expect(powerless.text).toContain('kind: ClusterRole');
  await config.fill(cluster.kubeconfig({ token: cluster.adminToken }));
  expect(await tested()).toMatchObject({ ok: 5, stops: false });
});

test('xrdp: the certificate that it shows is taken by a button, and then it is the one; sshd is no desktop', async () => {
  const [xrdp, sshd] = await Promise.all([started(startXrdp()), started(startSshd())]);
  const desktop = await describe('desktop');
  await field(desktop, 'Address').fill(xrdp.addr);
  expect(await tested()).toMatchObject({ ok: 4, stops: false });
  await way().getByRole('button', { name: 'It is this one' }).click();
  expect(await field(desktop, 'SHA-256 fingerprint').inputValue()).toMatch(/^sha256:[0-9a-f]{64}$/);
  expect(await tested()).toMatchObject({
    ok: 4,
    stops: false,
    text: expect.stringContaining('is the one it is to be'),
  });
  await field(desktop, 'Address').fill(sshd.addr);
  expect(await tested()).toMatchObject({ ok: 2, stops: true });
});

test.each(EACH_WIDTH)(
  'at $width width what a test says is accessible and fits, in both themes',
  async ({ viewport }) => {
    await page.setViewportSize(viewport);
    const { look, found } = lookAt(page);
    const main = await describe('app');
    await field(main, 'Address').fill('http://127.0.0.1:1');
    await tested();
    await look('stops');
    expect(found).toEqual([]);
  },
);
