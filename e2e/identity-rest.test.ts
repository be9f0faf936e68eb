/** A sign-in that rests: what counts as somebody being there, and what is left of it when nobody is. */
import { STORAGE_KEYS } from '@gatehouse/contract/console/local-storage';
import { launchChromium, WIDTHS } from '@gatehouse/testkit/chromium';
import { type GatewayProcess, startGateway } from '@gatehouse/testkit/gateway-process';
import { signedInContext } from '@gatehouse/testkit/signed-in-context';
import { startSshd, type TestSshd } from '@gatehouse/testkit/sshd';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { enterPassword, isInside } from './identity.ts';
import { type LivelyApp, startLivelyApp } from './lively-app.ts';

let gateway: GatewayProcess;
let browser: Browser;
let sshd: TestSshd;
let lively: LivelyApp;
let context: BrowserContext;
let name = '';

const MINUTE_MS = 60_000;

beforeAll(async () => {
  [gateway, browser, sshd, lively] = await Promise.all([
    startGateway({ GATEHOUSE_SECOND_FACTOR: 'off', GATEHOUSE_AUTH_INACTIVITY_MINUTES: '5' }),
    launchChromium({ shortPages: true }),
    startSshd(),
    startLivelyApp(),
  ]);
  sshd.trust((await gateway.command('ca', 'export')).stdout.trim().split('\n'));
  await gateway.command('nodes', 'add', 'web-01', sshd.addr);
  await gateway.command('apps', 'add', 'lively', lively.origin);
});
afterAll(async () => {
  await browser?.close();
  await Promise.all([gateway?.stop(), sshd?.stop(), lively?.stop()]);
});
beforeEach(async () => {
  context = await browser.newContext({ viewport: WIDTHS.desktop, reducedMotion: 'reduce' });
  // The page's clock alone is ours; what is typed is typed.
  await context.clock.install();
  name = await signedInContext(context, gateway, 'rester', 'access', { logins: ['root'] });
});
afterEach(() => context.close());

async function openTab(path: string): Promise<Page> {
  const page = await context.newPage();
  await page.goto(gateway.url + path);
  await isInside(page, name);
  return page;
}

/** How long ago, by the page's own clock, somebody was last seen. */
const restedMs = (page: Page) =>
  page.evaluate((key) => Date.now() - Number(localStorage.getItem(key)), STORAGE_KEYS.lastActive);

test('typing in a terminal is activity', async () => {
  const { stdout } = await gateway.command('nodes', 'ls', '--format', 'json');
  const [server] = JSON.parse(stdout) as { id: string }[];
  const page = await openTab(`/cluster/localhost/console/node/${server?.id}/root`);
  await page.getByRole('status').getByText('Connected').waitFor();
  // Well before the gateway is asked whether it has seen somebody: it would say so.
  await context.clock.fastForward(3 * MINUTE_MS);
  expect(await restedMs(page)).toBeGreaterThan(2 * MINUTE_MS);

  await page.keyboard.type('ls -l');

  expect(await restedMs(page)).toBeLessThan(MINUTE_MS);
  await context.clock.fastForward(2 * MINUTE_MS);
  await page.keyboard.type('a');
  await page.getByRole('status').getByText('Connected').waitFor();
  expect(page.url()).toContain('/console/');
});

test('work in an application keeps the console beside it', async () => {
  const page = await openTab('/cluster/localhost/apps');
  const [app] = await Promise.all([
    context.waitForEvent('page'),
    page.getByRole('link', { name: 'Launch lively' }).click(),
  ]);
  await app.getByText('heard ping').waitFor();
  // As if the console had not been touched for an hour.
  await page.evaluate(
    ([key, rested]) => localStorage.setItem(key as string, String(Date.now() - Number(rested))),
    [STORAGE_KEYS.lastActive, 60 * MINUTE_MS],
  );
  await app.reload();
  await app.getByText('heard ping').waitFor();

  await context.clock.fastForward(31_000);

  await expect.poll(() => restedMs(page)).toBeLessThan(2 * MINUTE_MS);
  await isInside(page, name);
});

/** The bearer has run out, as after a nap: by the page's clock, and at the gateway, which knows it no more. */
async function lapse(page: Page): Promise<void> {
  await page.evaluate((key) => {
    const token = JSON.parse(localStorage.getItem(key) ?? '{}');
    const lapsed = { ...token, accessToken: 'f'.repeat(64), created: token.created - 11 * 60_000 };
    localStorage.setItem(key, JSON.stringify(lapsed));
  }, STORAGE_KEYS.token);
}

async function signedInBrowsers(): Promise<number> {
  const other = await browser.newContext({ viewport: WIDTHS.desktop, reducedMotion: 'reduce' });
  const page = await other.newPage();
  await page.goto(`${gateway.url}/account`);
  await enterPassword(page, name);
  await page.getByText('This browser', { exact: true }).waitFor();
  const rows = await page.getByRole('table', { name: 'Signed-in browsers' }).getByRole('row').count();
  await other.close();
  // Without the head of the table and the browser that looks.
  return rows - 2;
}

test('a browser whose sign-in has expired is signed out at the gateway too', async () => {
  const page = await openTab('/settings');
  await lapse(page);
  await context.clock.fastForward(16_000);
  await page.getByRole('heading', { name: 'Sign in to Gatehouse' }).waitFor();

  await page.goto(gateway.url);

  await page.getByRole('heading', { name: 'Sign in to Gatehouse' }).waitFor();
  expect(await context.cookies().then((all) => all.map((each) => each.name))).toEqual(['grv_csrf']);
  expect(await signedInBrowsers()).toBe(0);
});

test('a gateway that was away when the sign-in expired lets nobody in by the cookie that stayed', async () => {
  const page = await openTab('/settings');
  await lapse(page);
  await page.route('**/v1/webapi/**', (route) => route.abort('connectionrefused'));
  await context.clock.fastForward(16_000);
  await page.waitForURL(/\/web\/login/);
  await page.unroute('**/v1/webapi/**');

  await page.goto(gateway.url);

  await page.getByRole('heading', { name: 'Sign in to Gatehouse' }).waitFor();
  expect(await signedInBrowsers()).toBe(0);
  await enterPassword(page, name);
  await isInside(page, name);
});
