import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { axeFindings, launchChromium, showTheme, THEMES, WIDTHS, watchedPage } from '@gatehouse/testkit/chromium';
import { cleanEnvironment, ended, type GatewayProcess, ROOT, startGateway } from '@gatehouse/testkit/gateway-process';
import { type Nginx, startNginx } from '@gatehouse/testkit/nginx';
import { freshName, signedInContext } from '@gatehouse/testkit/signed-in-context';
import { SOON_SECONDS } from '@gatehouse/testkit/soon';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { secondsUntil, tabTo, takesKeys } from './access.ts';
import { enterPassword } from './identity.ts';
import { type LivelyApp, startLivelyApp } from './lively-app.ts';
import { passes } from './passing.ts';

let gateway: GatewayProcess;
let browser: Browser;
let nginx: Nginx;
let lively: LivelyApp;

beforeAll(async () => {
  [gateway, browser, nginx, lively] = await Promise.all([
    startGateway({ GATEHOUSE_SECOND_FACTOR: 'off' }),
    launchChromium({ shortPages: true }),
    startNginx({ files: { 'index.html': 'Static site' } }),
    startLivelyApp(),
  ]);
});
afterAll(async () => {
  await browser?.close();
  await Promise.all([gateway?.stop(), nginx?.stop(), lively?.stop()]);
});

async function openAs(roles: string, options: Parameters<Browser['newContext']>[0] = {}) {
  const context = await browser.newContext({ viewport: WIDTHS.desktop, reducedMotion: 'reduce', ...options });
  onTestFinished(() => context.close());
  const name = await signedInContext(context, gateway, 'person', roles);
  const watched = await watchedPage(context, gateway.origin);
  const at = (search = '') => watched.page.goto(`${gateway.url}/cluster/localhost/apps${search}`);
  return { ...watched, context, name, at };
}

/** Anew, should a test before have left it. */
async function add(name: string, ...args: string[]): Promise<void> {
  await gateway.command('apps', 'rm', name);
  const { code, stderr } = await gateway.command('apps', 'add', name, ...args);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
}

/** Where the gateway serves an application while it is tried out. */
const hostOf = (name: string) => `${name}.localhost:${new URL(gateway.origin).port}`;

async function launched(context: BrowserContext, click: Promise<void>): Promise<Page> {
  const [tab] = await Promise.all([context.waitForEvent('page'), click]);
  return tab;
}

test('from nothing to an open application: add it, see every hop tried, launch it', async () => {
  const { page, complaints, context, at } = await openAs('editor,access');
  await gateway.command('apps', 'rm', 'site');
  await at();
  await page.getByRole('heading', { name: 'Add your first application' }).waitFor();
  await page.getByRole('button', { name: 'Add application' }).click();
  const dialog = page.getByRole('main');
  await dialog.getByRole('button', { name: 'Go on' }).click();
  const address = dialog.getByRole('textbox', { name: 'Address', exact: true });
  await address.fill('http://127.0.0.1:1');
  await dialog.getByRole('button', { name: 'Test it' }).click();
  await dialog.getByText('Next:').waitFor();
  await address.fill(`127.0.0.1:${nginx.port}`);
  await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('site');
  await dialog.getByLabel('Labels').fill('env=prod,');
  await dialog.getByRole('button', { name: 'Test it' }).click();
  await expect.poll(() => dialog.getByRole('img', { name: 'Worked' }).count()).toBe(3);
  await dialog.getByRole('button', { name: 'Add application' }).click();
  await dialog.getByRole('heading', { name: 'Test site' }).waitFor();
  await dialog.getByRole('button', { name: 'Test connection' }).click();
  await expect.poll(() => dialog.getByRole('img', { name: 'Worked' }).count()).toBe(4);
  await dialog.getByRole('button', { name: 'Go on' }).click();
  await dialog.getByRole('heading', { name: 'site is ready' }).waitFor();

  const tab = await launched(context, dialog.getByRole('link', { name: 'Launch site' }).click());
  await tab.getByText('Static site').waitFor();

  expect(tab.url()).toBe(`http://${hostOf('site')}/`);
  const cookies = (await context.cookies()).filter(({ name }) => name.includes('grv_app_session'));
  expect(cookies.map(({ domain }) => domain)).toEqual(['site.localhost', 'site.localhost']);
  expect(cookies.every(({ httpOnly }) => httpOnly)).toBe(true);
  expect(await tab.evaluate(() => [document.cookie, window.opener])).toEqual(['', null]);
  await at('?open=site');
  const panel = page.getByRole('complementary', { name: 'Application site' });
  await panel.getByText('The gateway itself').waitFor();
  await panel.getByRole('button', { name: 'Remove application' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove application' }).click();
  await page.getByText('site was removed.').waitFor();
  await tab.reload();
  await tab.getByRole('heading', { name: 'Access Denied' }).waitFor();
  await context.close();
  // The panel asked for what had just been removed.
  expect(complaints.filter((text) => !/status of 404/.test(text))).toEqual([]);
});

test('websockets, events, redirects and cookies of its own work; signing out ends all of it', async () => {
  await add('lively', lively.origin, '--labels', 'env=prod');
  const { page, context, name, at } = await openAs('editor,access');
  await at();
  const tab = await launched(context, page.getByRole('link', { name: 'Launch lively' }).click());
  await tab.getByText('heard ping').waitFor();
  await tab.getByText('event 2').waitFor();

  await tab.goto(`http://${hostOf('lively')}/old`);
  expect(tab.url()).toBe(`http://${hostOf('lively')}/page?from=old`);
  const last = lively.seen.findLast(({ url }) => url.startsWith('/page'));
  expect(last?.headers.cookie).toBe('own=1');
  expect(last?.headers['gatehouse-jwt-assertion']).toMatch(/^ey/);
  expect(last?.headers['x-forwarded-host']).toBe(hostOf('lively'));

  await tab.getByText('heard ping').waitFor();
  await page.getByRole('button', { name: `Account of ${name}` }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  expect(await secondsUntil(tab.getByText('closed').waitFor())).toBeLessThan(SOON_SECONDS);
  await expect.poll(() => lively.sockets.size).toBe(0);
  await page.waitForURL(/\/web\/login/);

  // What was open before is asked for again, with its query, and found after signing in.
  const deep = `http://${hostOf('lively')}/deep/page?q=a%20b&x=%2F#part`;
  await tab.goto(deep);
  await enterPassword(tab, name);
  await tab.getByText('heard ping').waitFor();
  expect(tab.url().split('#')[0]).toBe(deep.split('#')[0]);
  expect(lively.seen.findLast(({ url }) => url.startsWith('/deep'))?.url).toBe('/deep/page?q=a%20b&x=%2F');
  await context.close();
});

test('an agent near the application offers it with the token of the command', async () => {
  const { page, context, at } = await openAs('editor,access');
  const name = freshName(gateway, 'books');
  await at('?do=add');
  const dialog = page.getByRole('main');
  await dialog.getByRole('radio', { name: /With a new agent/ }).check();
  await dialog.getByRole('button', { name: 'Go on' }).click();
  const uri = `http://localhost:${nginx.port}`;
  await dialog.getByRole('textbox', { name: 'Address', exact: true }).fill(uri);
  await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill(name);
  await dialog.getByRole('button', { name: 'Make the command' }).click();
  const command = await dialog.getByRole('region', { name: 'Command for the new application' }).textContent();
  expect(command).toContain(`/install-app.sh?name=${name}&uri=${encodeURIComponent(uri)}`);

  // What the script writes and starts at its end.
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-agent-'));
  const file = join(folder, 'agent.yaml');
  const lines = [
    `gateway: ${gateway.origin}`,
    `name: near-${name}`,
    `dataDir: ${folder}/data`,
    'shell: false',
    'apps:',
  ];
  writeFileSync(file, [...lines, `  - name: ${name}`, `    uri: ${uri}`, ''].join('\n'));
  const token = /scripts\/([0-9a-f]{32})\//.exec(command ?? '')?.[1] ?? '';
  const told = passes(page, `${name} has joined`);
  const agent = spawn(join(ROOT, 'gatehouse'), ['agent', '--config', file], {
    env: { ...cleanEnvironment(), GATEHOUSE_AGENT_TOKEN: token },
    stdio: 'ignore',
  });
  try {
    await told;
    await dialog.getByRole('heading', { name: `Test ${name}` }).waitFor();
    await dialog.getByRole('button', { name: 'Go on' }).click();
    const tab = await launched(context, dialog.getByRole('link', { name: `Launch ${name}` }).click());
    await tab.getByText('Static site').waitFor();
    expect(new URL(tab.url()).host).toBe(hostOf(name));
  } finally {
    await ended(agent, 'SIGTERM');
    rmSync(folder, { recursive: true, force: true });
  }
  await context.close();
});

test('whoever may not open it sees why, and nothing reaches the application', async () => {
  await add('secret', lively.origin, '--labels', 'env=secret');
  const { page, context } = await openAs('auditor');
  const before = lively.seen.length;

  await page.goto(`http://${hostOf('secret')}/report?x=1`);

  await page.getByRole('heading', { name: 'Access Denied' }).waitFor();
  expect(new URL(page.url()).origin).toBe(gateway.origin);
  expect(await page.getByText(/quote this id/).count()).toBe(1);
  expect(await axeFindings(page)).toEqual([]);
  expect(lively.seen.length).toBe(before);
  await context.close();
});

test('by keyboard alone, and on a phone, in both themes', async () => {
  await gateway.command('apps', 'rm', 'secret');
  await add('database', 'tcp://127.0.0.1:5432', '--description', 'Orders');
  const { page, complaints, context, at } = await openAs('editor,access');
  await at();
  await page.getByRole('link', { name: 'Launch lively' }).waitFor();
  const focused = () => page.evaluate(() => document.activeElement?.textContent);
  for (let card = 0; card < 4 && (await focused()) !== 'lively'; card += 1) await page.keyboard.press('j');
  expect(await focused()).toBe('lively');
  await tabTo(page, page.getByRole('link', { name: 'Launch lively' }));
  const tab = await launched(context, page.keyboard.press('Enter'));
  await tab.getByText('heard ping').waitFor();
  await tab.close();
  await tabTo(page, page.getByRole('button', { name: 'Connect to database' }), 'Shift+Tab');
  await page.keyboard.press('Enter');
  await page.getByText('gatehouse proxy app database').waitFor();
  await takesKeys(page.getByRole('dialog'));
  await page.keyboard.press('Escape');
  await expect.poll(focused).toBe('Connect');

  await page.setViewportSize(WIDTHS.phone);
  for (const theme of THEMES) {
    await showTheme(page, theme);
    for (const search of ['?open=lively']) {
      await at(search);
      await page.getByText('lively').first().waitFor();
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(WIDTHS.phone.width);
      expect(await axeFindings(page)).toEqual([]);
    }
  }
  await context.close();
  expect(complaints).toEqual([]);
});
