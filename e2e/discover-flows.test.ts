/** Things of each kind enrolled to their end in the browser against the real ones, by somebody who has no name on them yet. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { PASSWORD as POSTGRES_PASSWORD, startSecurePostgres } from '@gatehouse/gateway/testing/db/secure-postgres';
import { launchChromium, WIDTHS, watchedPage } from '@gatehouse/testkit/chromium';
import { type GatewayProcess, startGateway } from '@gatehouse/testkit/gateway-process';
import { startKubeCluster } from '@gatehouse/testkit/kube/kube-cluster';
import { createKubectl } from '@gatehouse/testkit/kube/kubectl';
import { startNginx } from '@gatehouse/testkit/nginx';
import { freshName, signedInContext } from '@gatehouse/testkit/signed-in-context';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
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

async function started<T extends { stop(): Promise<unknown> }>(start: Promise<T>): Promise<T> {
  const real = await start;
  onTestFinished(async () => void (await real.stop()));
  return real;
}

async function describe(flow: string, viewport: { width: number; height: number } = WIDTHS.desktop) {
  const context = await browser.newContext({ viewport, reducedMotion: 'reduce' });
  onTestFinished(() => context.close());
  const user = await signedInContext(context, gateway, 'person', 'editor,access');
  const { page, complaints } = await watchedPage(context, gateway.origin);
  await page.goto(`${gateway.url}/discover?flow=${flow}&step=describe`);
  await page.getByRole('heading', { name: 'What is it?' }).waitFor();
  return { page, main: page.getByRole('main'), user, complaints };
}

const field = (main: Locator, name: string | RegExp) => main.getByRole('textbox', { name, exact: true });
const goOn = (page: Page) => page.getByRole('button', { name: 'Go on', exact: true }).click();

/** Adds what the field proposes, or this. */
async function addName(page: Page, label: string, name?: string): Promise<void> {
  const input = page.getByLabel(label, { exact: true });
  await input.waitFor();
  if (name !== undefined) await input.fill(name);
  await input.press('Enter');
  await input.waitFor({ state: 'detached' });
}

/** Tests it as oneself, and goes on to the end. */
async function testedToTheEnd(page: Page, name: string): Promise<void> {
  await page.getByRole('heading', { name: `Test ${name}` }).waitFor();
  await page.getByRole('button', { name: 'Test connection' }).click();
  await page.getByText('Everything works.').waitFor();
  await goOn(page);
  await page.getByRole('heading', { name: `${name} is ready` }).waitFor();
}

test.each(EACH_WIDTH)(
  'PostgreSQL at $width width: user and database are asked for together, and each step is accessible',
  async ({ viewport }) => {
    const postgres = await started(startSecurePostgres());
    const { page, main, complaints } = await describe('postgres', viewport);
    const { look, found } = lookAt(page);
    const name = freshName(gateway, 'orders');
    await field(main, 'Address').fill(`localhost:${postgres.port}`);
    await field(main, 'Name').fill(name);
    await main.getByText('Authority and name of its certificate').click();
    await field(main, /^Authority of its certificate/).fill(postgres.ca);
    await field(main, /^User of the database/).fill('by_scram');
    await main.locator('input[type=password]').fill(POSTGRES_PASSWORD);
    await page.getByRole('button', { name: 'Add database' }).click();

    await page.getByRole('heading', { name: `Users on ${name}` }).waitFor();
    expect(await page.getByLabel('Add a database user').inputValue()).toBe('by_scram');
    await page.getByLabel('Add a database', { exact: true }).waitFor();
    await look('principals');
    await addName(page, 'Add a database user');
    await addName(page, 'Add a database', postgres.database);
    await goOn(page);
    await page.getByRole('heading', { name: `Test ${name}` }).waitFor();
    await page.getByRole('button', { name: 'Test connection' }).click();
    await page.getByText('Everything works.').waitFor();
    await look('test');
    await goOn(page);
    await page.getByRole('heading', { name: `${name} is ready` }).waitFor();
    await look('done');
    expect(found).toEqual([]);
    expect(complaints).toEqual([]);
  },
);

test('an application behind nginx', async () => {
  const nginx = await started(startNginx({ files: { 'index.html': 'hi' } }));
  const { page, main } = await describe('app');
  await field(main, 'Address').fill(`http://127.0.0.1:${nginx.port}`);
  await field(main, 'Name').fill('hello');
  await page.getByRole('button', { name: 'Add application' }).click();

  await testedToTheEnd(page, 'hello');
  await page.getByRole('link', { name: /Launch/ }).waitFor();
});

test('a Kubernetes cluster by its kubeconfig', async () => {
  const cluster = await started(startKubeCluster());
  const { page, main } = await describe('kubernetes');
  const config = cluster.kubeconfig({ token: cluster.adminToken });
  await main.getByRole('textbox', { name: /paste a kubeconfig/ }).fill(config);
  await field(main, 'Name').fill('lab');
  await page.getByRole('button', { name: 'Add Kubernetes cluster' }).click();

  await addName(page, 'Add a Kubernetes group', 'system:masters');
  await goOn(page);
  await testedToTheEnd(page, 'lab');
});

test('a Kubernetes cluster by agents in it: one command puts them there, and the page hears that it was fetched', async () => {
  const cluster = await started(startKubeCluster());
  const kubectl = createKubectl('1.32', cluster.kubeconfig({ token: cluster.adminToken }));
  onTestFinished(() => kubectl.remove());
  const { page, main } = await describe('kubernetes');
  await page.getByRole('button', { name: 'Way' }).click();
  await page.getByRole('radio', { name: /By agents in it/ }).check();
  await goOn(page);
  await field(main, 'Name').fill('prod');
  await page.getByRole('button', { name: 'Make the command' }).click();
  await page.getByText('Name at least one group').waitFor();
  await field(main, /^Groups/).fill("view, team'a");
  await page.getByRole('button', { name: 'Make the command' }).click();

  const command = await page.getByRole('region', { name: 'Command for the new cluster' }).textContent();
  const [fetched, applied] = command?.split(' | ') ?? [];
  expect(applied).toBe('kubectl apply -f -');
  const { stdout } = await promisify(execFile)('sh', ['-c', fetched ?? '']);
  expect(stdout).toContain("team'a");
  expect(await kubectl.must(['apply', '-f', '-'], stdout)).toContain('statefulset.apps/gatehouse-agent created');
  await page.getByText(/^A machine at .* fetched the script$/).waitFor();
});
