import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { launchChromium, WIDTHS, watchedPage } from '@gatehouse/testkit/chromium';
import { cleanEnvironment, ended, type GatewayProcess, ROOT, startGateway } from '@gatehouse/testkit/gateway-process';
import { freshName, signedInContext } from '@gatehouse/testkit/signed-in-context';
import { SOON_SECONDS } from '@gatehouse/testkit/soon';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { secondsUntil } from './access.ts';
import { EACH_WIDTH, lookAt } from './look.ts';

let gateway: GatewayProcess;
let browser: Browser;

beforeAll(async () => {
  gateway = await startGateway({ GATEHOUSE_SECOND_FACTOR: 'off' });
  browser = await launchChromium({ shortPages: true });
});
afterAll(async () => {
  await browser?.close();
  await gateway?.stop();
});

async function openAs(options: Parameters<Browser['newContext']>[0] = {}) {
  const context = await browser.newContext({ viewport: WIDTHS.desktop, reducedMotion: 'reduce', ...options });
  onTestFinished(() => context.close());
  await signedInContext(context, gateway, 'person', 'editor,access', { logins: ['root', 'nobody'] });
  const watched = await watchedPage(context, gateway.origin);
  const at = (search = '') => watched.page.goto(`${gateway.url}/discover${search}`);
  return { ...watched, context, at };
}

const goOn = (page: Page) => page.getByRole('button', { name: 'Go on', exact: true }).click();
const step = (page: Page) => new URL(page.url()).searchParams.get('step');

/** The token in the command that is shown. */
async function tokenIn(page: Page): Promise<string> {
  const command = await page.getByRole('region', { name: 'Command for the new server' }).textContent();
  return /scripts\/([0-9a-f]{32})\//.exec(command ?? '')?.[1] ?? '';
}

/** What the script starts at its end. The name of an agent is its alone, also of one that is gone. */
function startAgent(token: string, name: string) {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-agent-'));
  const args = ['agent', '--gateway', gateway.origin, '--data-dir', folder, '--name', name];
  const agent = spawn(join(ROOT, 'gatehouse'), args, {
    env: { ...cleanEnvironment(), GATEHOUSE_AGENT_TOKEN: token },
    stdio: 'ignore',
  });
  onTestFinished(async () => {
    await ended(agent, 'SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });
}

test('with nothing enrolled home leads here once, and begins with this machine', async () => {
  const { page, complaints } = await openAs();
  await page.goto(gateway.url);
  await page.getByRole('heading', { name: 'What do you want to reach?' }).waitFor();
  await page.getByRole('button', { name: 'Begin with this machine' }).click();
  await page.getByRole('heading', { name: 'How is it reached?' }).waitFor();
  await page.goto(gateway.url);
  await page.waitForURL('**/nodes');
  expect(complaints).toEqual([]);
});

test('a server, by keyboard from the search on: a reload loses nothing, Back works, and the join leads to a terminal', async () => {
  const { page, complaints, at } = await openAs();
  await at();
  await page.getByRole('heading', { name: 'What do you want to reach?' }).waitFor();
  await page.keyboard.type('ubuntu');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'How is it reached?' }).waitFor();
  await goOn(page);
  await page.getByLabel('Labels').fill('env=prod,');
  await page.reload();
  await page.getByText('env=prod').waitFor();
  await page.goBack();
  await page.getByRole('heading', { name: 'How is it reached?' }).waitFor();
  await page.goForward();
  await page.getByRole('button', { name: 'Make the command' }).click();
  const token = await tokenIn(page);
  expect(token).not.toBe('');
  await page.getByText('Waiting for it to join…').waitFor();

  // A reload forgets the command, and goes on waiting for what joins by it.
  await page.reload();
  await page.getByText('The command is shown once.').waitFor();
  expect(await page.evaluate(() => JSON.stringify({ ...sessionStorage, ...localStorage }))).not.toContain(token);
  const name = freshName(gateway, 'edge');
  startAgent(token, name);
  await page.getByRole('heading', { name: / has joined$/ }).waitFor();
  await page.getByRole('heading', { name: /^Logins on / }).waitFor();
  expect(step(page)).toBe('principals');
  await page.getByText('root', { exact: true }).waitFor();
  await page.reload();
  await page.getByRole('heading', { name: /^Logins on / }).waitFor();
  await goOn(page);
  await page.getByLabel('Login', { exact: true }).fill('root');
  await page.getByRole('button', { name: 'Test connection' }).click();
  await page.getByText('Access', { exact: true }).first().waitFor();
  await goOn(page);
  await page.getByRole('heading', { name: /is ready$/ }).waitFor();
  await page.getByRole('link', { name: /^Connect to / }).waitFor();
  expect(complaints.filter((text) => !/status of 404/.test(text))).toEqual([]);
});

test('a second tab hears of the same machine; how long a join takes to be shown', async () => {
  const { page, context, at } = await openAs();
  await at('?flow=server&step=describe');
  await page.getByRole('button', { name: 'Make the command' }).click();
  const token = await tokenIn(page);
  const second = await context.newPage();
  await second.goto(page.url());
  await second.getByText('Waiting for it to join…').waitFor();
  const name = freshName(gateway, 'twin');
  startAgent(token, name);

  await Promise.all([page, second].map((each) => each.getByText(`${name} joined`).first().waitFor()));
  const shown = await secondsUntil(page.getByRole('heading', { name: /^Logins on / }).waitFor());
  expect(shown).toBeLessThan(SOON_SECONDS);
});

test('a gateway that is killed while somebody waits: the page goes on by itself, and the command is still good', async () => {
  const { page, at } = await openAs();
  await at('?flow=server&step=describe');
  await page.getByRole('button', { name: 'Make the command' }).click();
  const token = await tokenIn(page);
  await page.getByText('Waiting for it to join…').waitFor();

  await gateway.crashAndRestart();
  const name = freshName(gateway, 'after');
  startAgent(token, name);

  await page.getByText(`${name} joined`).first().waitFor();
  await page.getByRole('heading', { name: /^Logins on / }).waitFor();
});

test('two people, one name: the second is told whose it is, and what to do', async () => {
  const name = freshName(gateway, 'same');
  const [first, second] = [await openAs(), await openAs()];
  const tokens: string[] = [];
  for (const { page, at } of [first, second]) {
    await at('?flow=server&step=describe');
    await page.getByRole('button', { name: 'Make the command' }).click();
    tokens.push(await tokenIn(page));
  }
  startAgent(tokens[0]!, name);
  await first.page.getByText(`${name} joined`).first().waitFor();

  startAgent(tokens[1]!, name);

  await second.page.getByText(`belongs to another agent`).first().waitFor();
  await second.page.getByText(`gatehouse agents rm ${name}`).first().waitFor();
  expect(step(second.page)).toBe('run');
});

test('leaving asks once, and what was typed is found under way', async () => {
  const { page, at } = await openAs();
  await at('?flow=server&step=describe');
  await page.getByLabel('Labels').fill('env=left,');
  await page.getByRole('button', { name: 'Choose something else' }).click();
  await page.getByRole('dialog', { name: 'Leave this unfinished?' }).waitFor();
  await page.getByRole('button', { name: 'Leave', exact: true }).click();
  await page.getByRole('button', { name: 'Continue with Linux server' }).click();
  await page.getByText('env=left').waitFor();
});

test('several at once are counted as they come', async () => {
  const { page, at } = await openAs();
  await at();
  await page.getByRole('radio', { name: 'Several at once' }).check({ force: true });
  await page.getByRole('button', { name: /^Linux server/ }).click();
  await goOn(page);
  await page.getByLabel('How many').fill('2');
  await page.getByRole('button', { name: 'Make the command' }).click();
  const token = await tokenIn(page);
  await page.getByText('0 of 2').first().waitFor();
  startAgent(token, freshName(gateway, 'many'));
  await page.getByText('1 of 2').first().waitFor();
  startAgent(token, freshName(gateway, 'many'));
  await page.getByRole('heading', { name: /^Logins on / }).waitFor();
});

test.each(EACH_WIDTH)('at $width width every step is accessible and fits, in both themes', async ({ viewport }) => {
  const { page, at } = await openAs({ viewport });
  const { look, found } = lookAt(page);
  await at();
  await page.getByRole('heading', { name: 'What do you want to reach?' }).waitFor();
  await look('choose');
  await at('?flow=server');
  await page.getByRole('heading', { name: 'How is it reached?' }).waitFor();
  await look('where');
  await goOn(page);
  await page.getByRole('heading', { name: 'What is it?' }).waitFor();
  await look('describe');
  await page.getByRole('button', { name: 'Make the command' }).click();
  await page.getByText('Waiting for it to join…').waitFor();
  await look('run');
  for (const flow of ['app', 'postgres', 'kubernetes', 'desktop']) {
    await at(`?flow=${flow}&step=describe`);
    await page.getByRole('heading', { name: 'What is it?' }).waitFor();
    await look(`describe ${flow}`);
  }
  expect(found).toEqual([]);
});
