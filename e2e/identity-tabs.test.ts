import { STORAGE_KEYS } from '@gatehouse/contract/console/local-storage';
import { launchChromium } from '@gatehouse/testkit/chromium';
import { type GatewayProcess, startGateway } from '@gatehouse/testkit/gateway-process';
import { inviteUser, PASSWORD, signedInContext } from '@gatehouse/testkit/signed-in-context';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { isInside, signOut } from './identity.ts';

let gateway: GatewayProcess;
let browser: Browser;
let context: BrowserContext;
let name = '';

beforeAll(async () => {
  gateway = await startGateway({ GATEHOUSE_SECOND_FACTOR: 'off' });
  browser = await launchChromium({ shortPages: true });
});
afterAll(async () => {
  await browser?.close();
  await gateway?.stop();
});
beforeEach(async () => {
  context = await browser.newContext({ reducedMotion: 'reduce' });
  await context.clock.install();
  name = await signedInContext(context, gateway, 'tab-user', 'access');
});
afterEach(() => context.close());

async function openTab(path = '/settings'): Promise<Page> {
  const page = await context.newPage();
  await page.goto(gateway.url + path);
  await isInside(page, name);
  return page;
}

test('signing out in one tab signs the other out and says so', async () => {
  const [first, second] = [await openTab(), await openTab('/support')];

  await signOut(first, name);
  await second.getByText('You signed out in another tab.').waitFor();

  expect(new URL(first.url()).search).toBe('');
  const stored = await second.evaluate((key) => localStorage.getItem(key), STORAGE_KEYS.token);
  expect(stored).toBe(null);
});

test('after signing out the old cookie and token are worth nothing', async () => {
  const page = await openTab();
  const token = await page.evaluate(
    (key) => JSON.parse(localStorage.getItem(key) ?? '{}').accessToken,
    STORAGE_KEYS.token,
  );
  const cookie = (await context.cookies()).map((each) => `${each.name}=${each.value}`).join('; ');

  await signOut(page, name);
  const answer = await fetch(`${gateway.origin}/v1/webapi/user/status`, {
    headers: { cookie, authorization: `Bearer ${token}` },
  });

  expect(answer.status).toBe(403);
});

test('of two tabs one renews, and both go on with what it got', async () => {
  const renewals: string[] = [];
  context.on('request', (request) => {
    if (request.url().endsWith('/sessions/web/renew')) renewals.push(request.url());
  });
  const [first, second] = [await openTab(), await openTab('/support')];
  const readToken = (page: Page) => page.evaluate((key) => localStorage.getItem(key), STORAGE_KEYS.token);
  // As if the token were eight of its ten minutes old: whichever tab looks first renews it.
  const old = await first.evaluate((key) => {
    const token = JSON.parse(localStorage.getItem(key) ?? '{}');
    localStorage.setItem(key, JSON.stringify({ ...token, created: token.created - 8 * 60_000 }));
    return token.accessToken as string;
  }, STORAGE_KEYS.token);

  await expect.poll(() => renewals.length, { timeout: 20_000 }).toBe(1);
  await expect.poll(async () => (await readToken(second))?.includes(old)).toBe(false);
  await context.clock.fastForward(16_000);
  await second.getByRole('link', { name: 'Gatehouse' }).first().click();
  await isInside(second, name);

  expect(renewals).toHaveLength(1);
  expect(await readToken(first)).toBe(await readToken(second));
});

test('a browser that is ended from another one is told why, and another sign-in goes on', async () => {
  const page = await openTab();
  const elsewhere = await browser.newContext({ reducedMotion: 'reduce' });
  const other = await elsewhere.newPage();
  await other.goto(`${gateway.url}/account`);
  await other.getByLabel('User name').fill(name);
  await other.getByRole('textbox', { name: 'Password' }).fill(PASSWORD);
  await other.getByRole('button', { name: 'Sign in', exact: true }).click();
  await other.getByRole('button', { name: 'End all others' }).click();
  await other.getByRole('dialog').getByRole('button', { name: 'End', exact: true }).click();

  await page.getByText('You ended it from another place.').waitFor();
  await other.getByText('The sign-in has ended.').waitFor();

  // Behind a dialog that is about to close there is nothing to be found.
  await expect.poll(() => other.getByRole('row').count()).toBeGreaterThan(1);
  expect(await other.getByRole('button', { name: 'End all others' }).count()).toBe(0);
  await elsewhere.close();
});

test('an alert that is posted appears without a reload', async () => {
  const page = await openTab();

  onTestFinished(async () => void (await gateway.command('alerts', 'rm', 'disks')));

  await gateway.command('alerts', 'add', 'The disks are full.', '--name', 'disks');

  await page.getByRole('button', { name: '1 alert' }).waitFor();
});

test('a link of somebody else opened in the same browser takes over cleanly', async () => {
  const page = await openTab();
  const { name: other, link } = await inviteUser(gateway, 'other');
  const guest = await context.newPage();
  await guest.goto(link);
  await guest.getByRole('button', { name: 'Get started' }).click();
  await guest.getByLabel('New password', { exact: true }).fill(PASSWORD);
  await guest.getByLabel('New password again', { exact: true }).fill(PASSWORD);
  await guest.getByRole('button', { name: 'Finish' }).click();

  await isInside(guest, other);
  await page.reload();
  await isInside(page, other);
});
