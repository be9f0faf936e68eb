/** Kinds enrolled to the last step against the real thing, one after the other by the same person: what their names and tests say is what they meet. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PASSWORD as MARIADB_PASSWORD, startSecureMariadb } from '@gatehouse/gateway/testing/db/secure-mariadb';
import { PASSWORD as POSTGRES_PASSWORD, startSecurePostgres } from '@gatehouse/gateway/testing/db/secure-postgres';
import { PASSWORD as REDIS_PASSWORD, startSecureRedis } from '@gatehouse/gateway/testing/db/secure-redis';
import { launchChromium, WIDTHS, watchedPage } from '@gatehouse/testkit/chromium';
import { startXvnc } from '@gatehouse/testkit/desktop/xvnc';
import { cleanEnvironment, ended, type GatewayProcess, ROOT, startGateway } from '@gatehouse/testkit/gateway-process';
import { makeOsUsers } from '@gatehouse/testkit/os-users';
import { signedInContext } from '@gatehouse/testkit/signed-in-context';
import { startSshd } from '@gatehouse/testkit/sshd';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';

let gateway: GatewayProcess;
let browser: Browser;
let page: Page;
let main: Locator;

beforeAll(async () => {
  [gateway, browser] = await Promise.all([
    startGateway({ GATEHOUSE_SECOND_FACTOR: 'off' }),
    launchChromium({ shortPages: true }),
  ]);
  const context = await browser.newContext({ viewport: WIDTHS.desktop, reducedMotion: 'reduce' });
  await signedInContext(context, gateway, 'person', 'editor,access');
  ({ page } = await watchedPage(context, gateway.origin));
  main = page.getByRole('main');
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

const field = (name: string | RegExp) => main.getByRole('textbox', { name, exact: true });
const press = (name: string) => main.getByRole('button', { name, exact: true }).click();
const heading = (name: string) => page.getByRole('heading', { name }).waitFor();

async function open(flow: string): Promise<void> {
  await page.goto(`${gateway.url}/discover?flow=${flow}&step=describe`);
  await heading('What is it?');
}

/** Waits until it counts: two changes of one user at once would be told of each other. */
async function addName(label: string, name: string): Promise<void> {
  const input = page.getByLabel(label, { exact: true });
  await input.fill(name);
  await input.press('Enter');
  await input.waitFor({ state: 'detached' });
}

/** What an install script starts at its end, with what it writes into the agent's file. */
function startAgent(token: string, name: string, config: string): void {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-agent-'));
  const file = join(folder, 'agent.yaml');
  writeFileSync(file, config);
  const args = ['agent', '--gateway', gateway.origin, '--data-dir', folder, '--name', name, '--config', file];
  const agent = spawn(join(ROOT, 'gatehouse'), args, {
    env: { ...cleanEnvironment(), GATEHOUSE_AGENT_TOKEN: token },
    stdio: 'ignore',
  });
  onTestFinished(async () => {
    await ended(agent, 'SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });
}

/** As somebody where that is asked, and on to the last step. Gives the hops that the picture names. */
async function testedToTheEnd(name: string, choose: () => Promise<unknown> = async () => {}): Promise<string> {
  await heading(`Test ${name}`);
  await choose();
  await press('Test connection');
  await page.getByText('Everything works.').waitFor();
  const hops = await page.getByRole('img', { name: /every hop works/ }).getAttribute('aria-label');
  await press('Go on');
  await heading(`${name} is ready`);
  return hops ?? '';
}

async function describeDatabase(name: string, address: string, ca: string, user: string, password: string) {
  await field('Address').fill(address);
  await field('Name').fill(name);
  await main.getByText('Authority and name of its certificate').click();
  await field(/^Authority of its certificate/).fill(ca);
  await field(/^User of the database/).fill(user);
  await main.locator('input[type=password]').fill(password);
  await press('Add database');
  await heading(`Users on ${name}`);
}

test('MariaDB: user and database are added, tested, and what was enrolled opens', async () => {
  const mariadb = await started(startSecureMariadb());
  await open('mysql');
  await describeDatabase('shop', `127.0.0.1:${mariadb.port}`, mariadb.ca, 'by_native', MARIADB_PASSWORD);
  expect(await page.getByLabel('Add a database user').inputValue()).toBe('by_native');
  await addName('Add a database user', 'by_native');
  await addName('Add a database', 'shop');
  await press('Go on');
  await testedToTheEnd('shop');
  await main
    .getByRole('link', { name: /^Connect|^Open/ })
    .first()
    .waitFor();
});

test('Redis, by somebody who is another user already: the one that was typed is asked about, added and tested', async () => {
  const redis = await started(startSecureRedis());
  await open('redis');
  await describeDatabase('cache', `127.0.0.1:${redis.port}`, redis.ca, 'app', REDIS_PASSWORD);
  await heading('Not yet yours there: app, 0');
  await addName('Add a database user', 'app');
  await addName('Add a database', '0');
  await page.getByRole('heading', { name: /^Not yet yours/ }).waitFor({ state: 'detached' });
  await press('Go on');
  await testedToTheEnd('cache', () => page.getByLabel('As user', { exact: true }).selectOption('app'));
});

test('a new agent for databases: it joins, and a database that it looks after is tested through it', async () => {
  const postgres = await started(startSecurePostgres());
  await page.goto(`${gateway.url}/discover?flow=postgres`);
  await main.getByRole('radio', { name: /new agent/ }).check();
  await main.getByLabel('Labels').fill('net=near,');
  await press('Go on');
  const command = await page.getByRole('region', { name: /^Command for/ }).textContent();
  const token = /scripts\/([0-9a-f]{32})\/install-database\.sh/.exec(command ?? '')?.[1] ?? '';
  startAgent(token, 'near-1', `databaseMatch: [{ net: near }]\nallow: ['localhost:${postgres.port}']\n`);

  await heading('What is it?');
  await main.getByText('net=near').waitFor();
  await main.getByText('Default database, names and limits').click();
  await field(/^Default database/).fill(postgres.database);
  await describeDatabase('near-orders', `localhost:${postgres.port}`, postgres.ca, 'by_scram', POSTGRES_PASSWORD);
  await addName('Add a database user', 'by_scram');
  await addName('Add a database', postgres.database);
  await press('Go on');
  // The default database stands first.
  const hops = await testedToTheEnd('near-orders', () =>
    page.getByLabel('As user', { exact: true }).selectOption('by_scram'),
  );
  expect(hops).toContain('near-1');
});

test('a server with OpenSSH by its address: what it must trust is said, and then a login works', async () => {
  const [sshd, users] = await Promise.all([started(startSshd()), makeOsUsers(1)]);
  onTestFinished(() => users.remove());
  const [login = ''] = users.names;
  await page.goto(`${gateway.url}/discover?flow=openssh`);
  await main.getByRole('radio', { name: /By its address/ }).check();
  await press('Go on');
  await field('Address').fill(sshd.addr);
  await field('Name').fill('plain-1');
  await press('Test it');
  await press('It is this one');
  await press('Add server');
  const lines = await page
    .getByRole('region', { name: /gatehouse_user_ca/ })
    .first()
    .textContent();
  sshd.trust([lines ?? '']);
  await press('Go on');

  await heading('Logins on plain-1');
  await addName('Add a login', login);
  await press('Go on');
  await testedToTheEnd('plain-1', () => page.getByLabel('Login', { exact: true }).fill(login));
  await page.getByRole('link', { name: /^Connect to / }).waitFor();
});

test('a TCP service, which takes no name, and a desktop by VNC', async () => {
  const [redis, xvnc] = await Promise.all([started(startSecureRedis()), started(startXvnc('X509Vnc'))]);
  await open('tcp');
  await field('Address').fill(`127.0.0.1:${redis.port}`);
  await field('Name').fill('any-port');
  await press('Add application');
  await testedToTheEnd('any-port');

  await open('vnc');
  await field('Address').fill(xvnc.addr);
  await field('Name').fill('screen');
  await press('Test it');
  await press('It is this one');
  await press('Add desktop');
  await heading('Logins on screen');
  await addName('Add a Windows login', 'vnc');
  await press('Go on');
  await testedToTheEnd('screen');
});
