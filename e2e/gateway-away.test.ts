import type { GatewayProcess } from '@gatehouse/testkit/gateway-process';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type ConsoleWorld, startConsoleWorld } from './console-world.ts';

let world: ConsoleWorld;
let gateway: GatewayProcess;
let isAway = false;

beforeAll(async () => {
  world = await startConsoleWorld();
  gateway = world.gateway;
});
afterAll(() => world?.close());

afterEach(async () => {
  if (isAway) await comeBack();
});

async function goAway(): Promise<void> {
  isAway = true;
  await gateway.crash();
}

async function comeBack(): Promise<void> {
  await gateway.startAgain();
  isAway = false;
}

const NAVIGATION = ['Applications', 'Active Sessions', 'Users', 'Roles', 'Session Recordings', 'Audit Log'];
const BANNER = 'The gateway does not answer';

interface Opened {
  page: Page;
  close: () => Promise<void>;
}

/** The list of servers; who counts their bytes gets nothing ahead. */
async function openServers({ savesData }: { savesData: boolean }): Promise<Opened> {
  const context = await world.signedIn('away', 'access,editor,auditor', {
    viewport: { width: 1440, height: 900 },
    fetchesAhead: !savesData,
  });
  const page = await context.newPage();
  // Whatever was fetched: there are more parts of the console than a page keeps in mind by itself.
  await page.addInitScript(() => performance.setResourceTimingBufferSize(10_000));
  await page.goto(`${gateway.url}/cluster/localhost/nodes`);
  await page.getByRole('heading', { name: 'Servers', level: 1 }).waitFor();
  await page.evaluate(() => {
    (window as unknown as { kept: boolean }).kept = true;
  });
  return { page, close: () => context.close() };
}

const isSamePage = (page: Page) => page.evaluate(() => (window as unknown as { kept?: boolean }).kept === true);
const go = (page: Page, name: string) => page.getByRole('navigation').getByRole('link', { name }).first().click();

test('a gateway that dies leaves the page; every screen clicked meanwhile is there once it is back', async () => {
  const { page, close } = await openServers({ savesData: true });
  await goAway();
  for (const name of NAVIGATION) {
    await go(page, name);
    await page.getByText(BANNER).first().waitFor();
    expect(await isSamePage(page)).toBe(true);
  }
  await comeBack();
  await page.getByText(BANNER).first().waitFor({ state: 'detached', timeout: 30_000 });
  await page.getByRole('heading', { name: 'Audit Log', level: 1 }).waitFor();
  for (const name of NAVIGATION) {
    await go(page, name);
    await page.getByRole('heading', { name: new RegExp(name.replace(/^Session /, '')), level: 1 }).waitFor();
  }
  expect(await isSamePage(page)).toBe(true);
  // Styles came with the second try as well.
  const areStylesThere = () =>
    page.evaluate(() =>
      [...document.querySelectorAll('link[rel=stylesheet]')].every((link) => (link as HTMLLinkElement).sheet),
    );
  await expect.poll(areStylesThere).toBe(true);
  await close();
});

test('the code of the other screens is there before anybody asks, and is shown while the gateway is away', async () => {
  const { page, close } = await openServers({ savesData: false });
  await page.waitForFunction(
    () => performance.getEntriesByType('resource').some(({ name }) => /\/settings-screen-[^/]*\.js$/.test(name)),
    undefined,
    { timeout: 60_000 },
  );
  await page.waitForFunction(() => performance.getEntriesByType('resource').some(({ name }) => /player/.test(name)));
  await goAway();
  await go(page, 'Users');
  await page.getByRole('heading', { name: /Users/, level: 1 }).waitFor();
  await page.getByText(BANNER).first().waitFor();
  expect(await isSamePage(page)).toBe(true);
  await comeBack();
  await page.getByText(BANNER).first().waitFor({ state: 'detached', timeout: 30_000 });
  await close();
});

test('a new build reloads the page once, and a build that stays another does not reload it for ever', async () => {
  const { page, close } = await openServers({ savesData: true });
  let loads = 0;
  await page.route('**/web/users*', async (route) => {
    if (route.request().resourceType() === 'document') loads += 1;
    await route.continue();
  });
  await page.route(/\/assets\/users[^/]*\.(js|css)$/, (route) => route.fulfill({ status: 404 }));
  await page.route('**/v1/webapi/ping', async (route) => {
    const reply = await route.fetch();
    const body = await reply.json();
    await route.fulfill({ response: reply, json: { ...body, gatehouse: { consoleBuild: 'the-next-one' } } });
  });
  await go(page, 'Users');
  await page.getByText('A part of the console did not arrive').waitFor();
  expect(loads).toBe(1);

  await page.unroute(/\/assets\/users[^/]*\.(js|css)$/);
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('heading', { name: /Users/, level: 1 }).waitFor();
  expect(loads).toBe(1);
  await close();
});
