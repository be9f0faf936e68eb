import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { launchChromium, WIDTHS, watchedPage } from '@gatehouse/testkit/chromium';
import { cleanEnvironment, ended, type GatewayProcess, ROOT, startGateway } from '@gatehouse/testkit/gateway-process';
import { freshName, signedInContext } from '@gatehouse/testkit/signed-in-context';
import { SOON_SECONDS } from '@gatehouse/testkit/soon';
import { startSshd, type TestSshd } from '@gatehouse/testkit/sshd';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { secondsUntil, tabTo } from './access.ts';
import { EACH_WIDTH, lookAt } from './look.ts';

let gateway: GatewayProcess;
let sshd: TestSshd;
let browser: Browser;

beforeAll(async () => {
  gateway = await startGateway({ GATEHOUSE_SECOND_FACTOR: 'off' });
  sshd = await startSshd();
  browser = await launchChromium({ shortPages: true });
});
afterAll(async () => {
  await browser?.close();
  await sshd?.stop();
  await gateway?.stop();
});

async function openAs(options: Parameters<Browser['newContext']>[0] = {}) {
  const context = await browser.newContext({ viewport: WIDTHS.desktop, reducedMotion: 'reduce', ...options });
  onTestFinished(() => context.close());
  await signedInContext(context, gateway, 'person', 'editor,access', { logins: ['root', 'nobody'] });
  const watched = await watchedPage(context, gateway.origin);
  const at = (search = '') => watched.page.goto(`${gateway.url}/cluster/localhost/nodes${search}`);
  return { ...watched, context, at };
}

const row = (page: Page, name: string) => page.getByRole('row', { name: new RegExp(name) });
const names = (page: Page) => page.locator('[data-index] td:first-child').allTextContents();

/** A call that needs no sign-in. */
async function post<T>(path: string, body: object): Promise<T> {
  const headers = { 'content-type': 'application/json' };
  const reply = await fetch(`${gateway.origin}/v1/webapi/${path}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  });
  expect(reply.status).toBe(200);
  return (await reply.json()) as T;
}

test('from nothing to a server: add it, see it join, filter by its label, test the way to it', async () => {
  const { page, complaints, context, at } = await openAs();
  for (const left of ['web-01', 'db-01']) await gateway.command('nodes', 'rm', left);
  await at();
  await page.getByRole('heading', { name: 'Add your first server' }).waitFor();
  await page.getByRole('button', { name: 'Add server' }).click();
  const dialog = page.getByRole('main');
  await dialog.getByRole('radio', { name: /OpenSSH/ }).check();
  await dialog.getByRole('button', { name: 'Go on' }).click();
  await dialog.getByLabel('Labels').fill('env=prod,');
  await dialog.getByRole('button', { name: 'Make the command' }).click();
  await dialog.getByText('Other machines cannot reach this gateway yet.').waitFor();
  const command = await dialog.getByRole('region', { name: 'Command for the new server' }).textContent();
  await dialog.getByText('Waiting for it to join…').waitFor();

  // What the script does at its end.
  const token = /scripts\/([0-9a-f]{32})\//.exec(command ?? '')?.[1] ?? '';
  const { nonce } = await post<{ nonce: string }>('agents/join/challenge', {});
  const audience = new URL(gateway.origin).host;
  const host = { token, name: 'web-01', addr: sshd.addr };
  const text = ['gatehouse enrol proof 1', nonce, ...Object.values(host), audience].map((line) => `${line}\n`).join('');
  const proof = { nonce, audience, proofs: [sshd.sign('enrol@gatehouse', text)] };
  const body = { ...host, hostKeys: [sshd.hostKey()], labels: {}, ...proof };
  const { authorities } = await post<{ authorities: string[] }>('nodes/enrol', body);
  const joined = await secondsUntil(dialog.getByText('web-01 has joined').waitFor());
  expect(joined).toBeLessThan(SOON_SECONDS);
  // What was waited for leads on by itself.
  await dialog.getByRole('heading', { name: 'Logins on web-01' }).waitFor();
  await at();
  await row(page, 'web-01').waitFor();

  const added = gateway.command('nodes', 'add', 'db-01', sshd.addr, '--labels', 'env=dev');
  expect((await added).stderr).toBe('');
  expect(await secondsUntil(row(page, 'db-01').waitFor())).toBeLessThan(SOON_SECONDS);
  await row(page, 'web-01').getByRole('button', { name: 'env: prod' }).click();
  await page.getByText('2 you can reach, 1 shown').waitFor();
  await expect.poll(() => names(page)).toEqual(['web-01']);
  expect(new URL(page.url()).searchParams.get('query')).toBe('labels["env"] == "prod"');
  await page.goBack();
  await page.getByText('2 you can reach', { exact: true }).waitFor();
  await page.goForward();
  await page.getByText('2 you can reach, 1 shown').waitFor();

  // No token makes the gateway dial its own machine: the one that an administrator entered is tried.
  await page.goBack();
  await row(page, 'db-01').locator('td').first().click();
  const panel = page.getByRole('complementary', { name: 'Server db-01' });
  await panel.getByRole('tab', { name: 'Test connection' }).click();
  await panel.getByLabel('Login', { exact: true }).fill('root');
  await panel.getByRole('button', { name: 'Test connection' }).click();
  await panel.getByText('Next:').waitFor();
  expect(await panel.getByRole('img', { name: 'Worked' }).count()).toBe(4);
  sshd.trust(authorities);
  await panel.getByRole('button', { name: 'Test again' }).click();
  await panel.getByText('Everything works.').waitFor();

  await gateway.command('nodes', 'rm', 'db-01');
  await panel.getByText(/db-01 is no longer there/).waitFor();
  await context.close();
  expect(complaints.filter((text) => !/status of 404/.test(text))).toEqual([]);
});

test('a real agent joins with the token of the command, and its server goes when it stops', async () => {
  const { page, context, at } = await openAs();
  await at('?do=add');
  const dialog = page.getByRole('main');
  await dialog.getByRole('button', { name: 'Go on' }).click();
  await dialog.getByRole('button', { name: 'Make the command' }).click();
  const command = await dialog.getByRole('region', { name: 'Command for the new server' }).textContent();
  const token = /scripts\/([0-9a-f]{32})\//.exec(command ?? '')?.[1] ?? '';
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-agent-'));
  // The name of an agent is its alone, also of one that is gone.
  const named = ['--name', freshName(gateway, 'edge')];
  const args = ['agent', '--gateway', gateway.origin, '--data-dir', folder, ...named];
  const agent = spawn(join(ROOT, 'gatehouse'), args, {
    env: { ...cleanEnvironment(), GATEHOUSE_AGENT_TOKEN: token },
    stdio: 'ignore',
  });
  try {
    await dialog.getByRole('heading', { name: / has joined$/ }).waitFor();
    await at();
    await row(page, 'Through its agent').waitFor();
    await ended(agent, 'SIGTERM');
    const left = await secondsUntil(row(page, 'Through its agent').waitFor({ state: 'detached' }));
    expect(left).toBeLessThan(SOON_SECONDS);
  } finally {
    await ended(agent, 'SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }
  await context.close();
});

test('by keyboard alone: search, move, choose a login, connect; the terminal opens in a tab of its own', async () => {
  const { page, context, at } = await openAs();
  await gateway.command('nodes', 'add', 'key-01', sshd.addr, '--labels', 'team=keys');
  await gateway.command('nodes', 'add', 'key-02', sshd.addr, '--labels', 'team=keys');
  await at();
  await row(page, 'key-01').waitFor();

  await page.keyboard.press('/');
  await page.keyboard.type('key-');
  await page.getByText(/, 2 shown/).waitFor();
  await tabTo(page, row(page, 'key-01'));
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('l');
  const login = page.getByRole('combobox', { name: 'Login' });
  await expect.poll(() => login.evaluate((field) => field === document.activeElement)).toBe(true);
  await page.keyboard.type('roo');
  const opening = context.waitForEvent('page');
  await page.keyboard.press('Enter');
  const terminal = await opening;
  expect(new URL(terminal.url()).pathname).toMatch(/^\/web\/cluster\/localhost\/console\/node\/[^/]+\/root$/);
  await terminal.close();
  await page.getByRole('link', { name: 'Connect to key-02 as root' }).waitFor();
  await expect.poll(() => page.evaluate('document.activeElement?.outerHTML')).toMatch(/^<tr[^>]*data-index="1"/);

  await page.keyboard.press('Space');
  await page.getByRole('complementary', { name: 'Server key-02' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('complementary').waitFor({ state: 'detached' });
  await page.keyboard.press('@');
  await page.keyboard.type('nobody@key-01');
  await page.getByRole('option', { name: /key-01/ }).waitFor();
  const quick = context.waitForEvent('page');
  await page.keyboard.press('Enter');
  expect((await quick).url()).toMatch(/\/nobody$/);
  await context.close();
});

test.each(EACH_WIDTH)(
  'every state is accessible, quiet and fits, at $width width in both themes',
  async ({ viewport }) => {
    const { page, complaints, context, at } = await openAs({ viewport });
    for (const name of ['see-01', 'see-02']) {
      await gateway.command(
        'nodes',
        'add',
        name,
        sshd.addr,
        '--labels',
        'env=prod,role=web,region=eu-west-1,team=payments',
      );
    }
    const { look, found } = lookAt(page);

    await at();
    await row(page, 'see-02').waitFor();
    await look('list');
    await row(page, 'see-01').getByRole('button', { name: 'Choose a login for see-01' }).click();
    await page.getByRole('combobox', { name: 'Login' }).waitFor();
    await look('logins');
    await at(`?query=${encodeURIComponent('labels["env"] == "prod" && search("see")')}`);
    await page.getByText(/, 2 shown/).waitFor();
    await look('filtered');
    await at('?search=zzz');
    await page.getByRole('heading', { name: 'No server fits this filter' }).waitFor();
    await look('no match');
    await at(`?query=${encodeURIComponent('labels["env"] = "prod"')}`);
    await page.getByText(/This query/).waitFor();
    await look('faulty query');
    await at();
    await row(page, 'see-01').locator('td').first().click();
    await page.getByRole('complementary').getByText('OpenSSH, without an agent').waitFor();
    await look('details');
    await page.getByRole('tab', { name: 'Test connection' }).click();
    await page.getByRole('complementary').getByLabel('Login', { exact: true }).fill('games');
    await page.getByRole('complementary').getByRole('button', { name: 'Test connection' }).click();
    await page.getByText('Next:').waitFor();
    await look('test');
    await at('?do=add');
    await page.getByRole('button', { name: 'Go on' }).click();
    await page.getByRole('button', { name: 'Make the command' }).click();
    await page.getByText('Waiting for it to join…').waitFor();
    await page.getByText('Give it an address and a certificate').click();
    await page.getByText('Without the script').click();
    await look('command');
    await context.close();

    expect(found).toEqual([]);
    expect(complaints).toEqual([]);
  },
);

test('on a phone a card shows all its lines: nothing of it is cut off', async () => {
  const name = freshName(gateway, 'card');
  await gateway.command('nodes', 'add', name, sshd.addr, '--labels', 'env=prod,team=payments');
  onTestFinished(async () => void (await gateway.command('nodes', 'rm', name)));
  const { page, at } = await openAs({ viewport: WIDTHS.phone });
  await at();
  const card = row(page, name);
  await card.locator('td[data-title="Last used"]').waitFor();

  const [shown, whole] = await card.evaluate((element) => [element.clientHeight, element.scrollHeight]);
  expect(shown).toBeGreaterThanOrEqual(whole!);
});

test.each([1440, 1024, 390])(
  'labels of 90 characters leave room for how many more there are, at %i px',
  async (width) => {
    const name = freshName(gateway, 'labels');
    const labels = Array.from({ length: 9 }, (_, index) => `label-${index}=${'x'.repeat(90)}`);
    await gateway.command('nodes', 'add', name, sshd.addr, '--labels', labels.join(','));
    onTestFinished(async () => void (await gateway.command('nodes', 'rm', name)));
    const { page, at } = await openAs({ viewport: { width, height: 900 } });
    await at();
    const cell = row(page, name).locator('td', { hasText: 'label-0' });
    const more = cell.getByRole('button', { name: /^\d more: / });
    await more.waitFor();

    const chips = await cell.getByRole('button', { name: /^label-/ }).count();
    expect(await more.textContent()).toBe(`+${labels.length - chips}`);
    if (width < 1440) expect(await more.textContent()).toBe('+8');
    const [inside, room] = [await more.boundingBox(), await cell.boundingBox()];
    expect(inside!.x + inside!.width).toBeLessThanOrEqual(room!.x + room!.width);
    expect(await cell.getByRole('button', { name: /^label-0/ }).evaluate((chip) => chip.clientWidth)).toBeLessThan(201);
  },
);

test.each([
  { hasTouch: true, told: false },
  { hasTouch: false, told: true },
])('the key that leads to the filter is told ($told) unless a finger types ($hasTouch)', async ({ hasTouch, told }) => {
  const name = freshName(gateway, 'touched');
  await gateway.command('nodes', 'add', name, sshd.addr);
  onTestFinished(async () => void (await gateway.command('nodes', 'rm', name)));
  const { page, at } = await openAs({ viewport: { width: 1024, height: 768 }, hasTouch, isMobile: hasTouch });
  await at();
  await row(page, name).waitFor();

  const key = page.locator('kbd', { hasText: /^\/$/ });
  expect(await key.count()).toBeGreaterThan(0);
  expect((await key.filter({ visible: true }).count()) > 0).toBe(told);
});

test('on a phone the details are no wider than the window, and a long label is read to its end', async () => {
  const name = freshName(gateway, 'long');
  const label = 'a-label-that-goes-on-and-on-for-more-than-the-width-of-any-phone-there-is';
  await gateway.command('nodes', 'add', name, sshd.addr, '--labels', `env=prod,note=${label}`);
  onTestFinished(async () => void (await gateway.command('nodes', 'rm', name)));
  const { page, at } = await openAs({ viewport: WIDTHS.phone });
  await at();
  const connect = row(page, name).locator('td[data-card=action] > *');
  const { right } = await connect.evaluate((element) => element.getBoundingClientRect());
  await row(page, name).getByText(name).click();
  const labelled = page.getByRole('tabpanel').getByText(label);
  await labelled.waitFor();

  expect(right).toBe(WIDTHS.phone.width - 16);
  const cut = await labelled.evaluate((element) => {
    const body = element.closest('[role=tabpanel]')?.parentElement;
    return [element.scrollWidth - element.clientWidth, (body?.scrollWidth ?? 0) - (body?.clientWidth ?? 0)];
  });
  expect(cut).toEqual([0, 0]);
});
