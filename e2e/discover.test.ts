/** Enrolling servers by agents in the browser: every step by keyboard, what is told while somebody waits, and what outlives reloads, other tabs and a gateway that is killed. */
import { WIDTHS } from '@gatehouse/testkit/chromium';
import { freshName } from '@gatehouse/testkit/signed-in-context';
import { SOON_SECONDS } from '@gatehouse/testkit/soon';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { secondsUntil } from './access.ts';
import { type DiscoverWorld, startDiscoverWorld } from './discover-world.ts';
import { EACH_WIDTH, lookAt } from './look.ts';
import { passes } from './passing.ts';

let world: DiscoverWorld;
beforeAll(async () => {
  world = await startDiscoverWorld();
});
afterAll(() => world?.close());

const openAs = (viewport: { width: number; height: number } = WIDTHS.desktop) =>
  world.person({ viewport, logins: ['root', 'nobody'] });
const COMMAND = 'Command for the new server';

test('with nothing enrolled home leads here once, and begins with this machine', async () => {
  const { page, complaints } = await openAs();
  await page.goto(world.gateway.url);
  await page.getByRole('heading', { name: 'What do you want to reach?' }).waitFor();
  await page.getByRole('button', { name: 'Begin with this machine' }).click();
  await page.getByRole('heading', { name: 'How is it reached?' }).waitFor();
  await page.goto(world.gateway.url);
  await page.waitForURL('**/nodes');
  expect(complaints).toEqual([]);
});

test('a server, by keyboard from the search on: a reload loses nothing, Back works, and the join leads to a terminal', async () => {
  const { page, complaints, at, press, step, tokenIn } = await openAs();
  await at();
  await page.getByRole('heading', { name: 'What do you want to reach?' }).waitFor();
  await page.keyboard.type('ubuntu');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'How is it reached?' }).waitFor();
  await press('Go on');
  await page.getByLabel('Labels').fill('env=prod,');
  await page.reload();
  await page.getByText('env=prod').waitFor();
  await page.goBack();
  await page.getByRole('heading', { name: 'How is it reached?' }).waitFor();
  await page.goForward();
  await page.getByRole('button', { name: 'Make the command' }).click();
  const token = await tokenIn(COMMAND);
  expect(token).not.toBe('');
  await page.getByText('Waiting for it to join…').waitFor();

  // A reload forgets the command, and goes on waiting for what joins by it.
  await page.reload();
  await page.getByText('The command is shown once.').waitFor();
  expect(await page.evaluate(() => JSON.stringify({ ...sessionStorage, ...localStorage }))).not.toContain(token);
  const name = freshName(world.gateway, 'edge');
  const told = passes(page, `${name} has joined`);
  world.startAgent(token, name);
  await told;
  await page.getByRole('heading', { name: /^Logins on / }).waitFor();
  expect(step()).toBe('principals');
  await page.getByText('root', { exact: true }).waitFor();
  await page.reload();
  await page.getByRole('heading', { name: /^Logins on / }).waitFor();
  await press('Go on');
  await page.getByLabel('Login', { exact: true }).fill('root');
  await page.getByRole('button', { name: 'Test connection' }).click();
  await page.getByText('Access', { exact: true }).first().waitFor();
  await press('Go on');
  await page.getByRole('heading', { name: /is ready$/ }).waitFor();
  await page.getByRole('link', { name: /^Connect to / }).waitFor();
  expect(complaints.filter((text) => !/status of 404/.test(text))).toEqual([]);
});

test('a second tab hears of the same machine; how long a join takes to be shown', async () => {
  const { page, context, at, tokenIn } = await openAs();
  await at('?flow=server&step=describe');
  await page.getByRole('button', { name: 'Make the command' }).click();
  const token = await tokenIn(COMMAND);
  const second = await context.newPage();
  await second.goto(page.url());
  await second.getByText('Waiting for it to join…').waitFor();
  const name = freshName(world.gateway, 'twin');
  const told = [page, second].map((each) => passes(each, `${name} joined`));
  world.startAgent(token, name);

  await Promise.all(told);
  const shown = await secondsUntil(page.getByRole('heading', { name: /^Logins on / }).waitFor());
  expect(shown).toBeLessThan(SOON_SECONDS);
});

test('a gateway that is killed while somebody waits: the page goes on by itself, and the command is still good', async () => {
  const { page, at, tokenIn } = await openAs();
  await at('?flow=server&step=describe');
  await page.getByRole('button', { name: 'Make the command' }).click();
  const token = await tokenIn(COMMAND);
  await page.getByText('Waiting for it to join…').waitFor();

  await world.gateway.crashAndRestart();
  const name = freshName(world.gateway, 'after');
  const told = passes(page, `${name} joined`);
  world.startAgent(token, name);

  await told;
  await page.getByRole('heading', { name: /^Logins on / }).waitFor();
});

test('two people, one name: the second is told whose it is, and what to do', async () => {
  const name = freshName(world.gateway, 'same');
  const [first, second] = [await openAs(), await openAs()];
  const tokens: string[] = [];
  for (const { page, at, tokenIn } of [first, second]) {
    await at('?flow=server&step=describe');
    await page.getByRole('button', { name: 'Make the command' }).click();
    tokens.push(await tokenIn(COMMAND));
  }
  const told = passes(first.page, `${name} joined`);
  world.startAgent(tokens[0]!, name);
  await told;

  world.startAgent(tokens[1]!, name);

  await second.page.getByText(`belongs to another agent`).first().waitFor();
  await second.page.getByText(`gatehouse agents rm ${name}`).first().waitFor();
  expect(second.step()).toBe('run');
});

test('a machine that joined without all it offers: what was not taken is said, with what to type', async () => {
  const { page, at, heading, tokenIn } = await openAs();
  await at('?flow=server&step=describe');
  await page.getByRole('button', { name: 'Make the command' }).click();
  const name = freshName(world.gateway, 'more');
  const file = 'apps:\n  - name: wiki\n    uri: "http://127.0.0.1:1"\n';
  world.startAgent(await tokenIn(COMMAND), name, file);

  await heading(/^Logins on /);
  // Who comes back wants to look.
  await page.goBack();
  await page.getByText(`${name} joined, but wiki was not taken`).waitFor();
  await page.getByText('gatehouse tokens add --type=node,app --apps wiki').first().waitFor();
});

test('another cluster and a sign-in provider are added on screens of their own', async () => {
  const { page, at } = await openAs();
  for (const [card, path] of [
    ['Another Gatehouse cluster', '**/web/clusters'],
    ['Sign-in provider', '**/web/sso'],
  ] as const) {
    await at();
    await page.getByRole('button', { name: new RegExp(`^${card}`) }).click();
    await page.waitForURL(path);
    await page.getByRole('main').getByRole('heading').first().waitFor();
  }
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
  const { page, at, press, tokenIn } = await openAs();
  await at();
  await page.getByRole('radio', { name: 'Several at once' }).check({ force: true });
  await page.getByRole('button', { name: /^Linux server/ }).click();
  await press('Go on');
  await page.getByLabel('How many').fill('2');
  await page.getByRole('button', { name: 'Make the command' }).click();
  const token = await tokenIn(COMMAND);
  await page.getByText('0 of 2').first().waitFor();
  world.startAgent(token, freshName(world.gateway, 'many'));
  await page.getByText('1 of 2').first().waitFor();
  world.startAgent(token, freshName(world.gateway, 'many'));
  await page.getByRole('heading', { name: /^Logins on / }).waitFor();
});

test.each(EACH_WIDTH)('at $width width every step is accessible and fits, in both themes', async ({ viewport }) => {
  const { page, at, press } = await openAs(viewport);
  const { look, found } = lookAt(page);
  await at();
  await page.getByRole('heading', { name: 'What do you want to reach?' }).waitFor();
  await look('choose');
  await at('?flow=server');
  await page.getByRole('heading', { name: 'How is it reached?' }).waitFor();
  await look('where');
  await press('Go on');
  await page.getByRole('heading', { name: 'What is it?' }).waitFor();
  await look('describe');
  await page.getByRole('button', { name: 'Make the command' }).click();
  await page.getByText('Waiting for it to join…').waitFor();
  await look('run');
  await page
    .getByRole('timer')
    .getByText(/^Works for another \d:\d\d:\d\d$/)
    .waitFor();
  // A phone has no room for keys, and a keyboard all the same.
  await page.getByRole('button', { name: 'Read the script first' }).focus();
  await page.keyboard.press('Enter');
  const script = page.getByRole('region', { name: 'Script that the command runs' });
  expect(await script.textContent()).toMatch(/^#!\/bin\/sh[\s\S]*\nmain "\$@"\n$/);
  await look('script');
  await page.keyboard.press('Escape');
  await script.waitFor({ state: 'detached' });
  // Whoever reads is no machine that came.
  await page.waitForResponse(/\/progress$/);
  expect(await page.getByText('fetched the script').count()).toBe(0);
  for (const flow of ['app', 'postgres', 'kubernetes', 'desktop']) {
    await at(`?flow=${flow}&step=describe`);
    await page.getByRole('heading', { name: 'What is it?' }).waitFor();
    await look(`describe ${flow}`);
  }
  expect(found).toEqual([]);
});
