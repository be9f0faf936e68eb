import { matchPage, PAGES, pageNames, pagePath } from '@gatehouse/contract/console/pages';
import { launchChromium, type WatchedPage, watchedPage } from '@gatehouse/testkit/chromium';
import { type GatewayProcess, startGateway } from '@gatehouse/testkit/gateway-process';
import { signedInContext } from '@gatehouse/testkit/signed-in-context';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EACH_WIDTH, lookAt } from './look.ts';

let gateway: GatewayProcess;
let browser: Browser;

beforeAll(async () => {
  gateway = await startGateway();
  browser = await launchChromium({ shortPages: true });
});
afterAll(async () => {
  await browser?.close();
  await gateway?.stop();
});

const EXAMPLES: Record<string, string> = {
  tokenId: '0'.repeat(64),
  requestId: '00000000-0000-4000-8000-000000000000',
  fqdn: 'app.example.com',
  clusterId: 'localhost',
  desktopName: 'desk-1',
  username: 'ann',
  serverId: 'server-1',
  login: 'root',
  sid: '00000000-0000-4000-8000-000000000000',
  kind: 'oidc',
  name: 'okta',
  namespace: 'shop',
  pod: 'api-1',
};
const address = (name: (typeof pageNames)[number]) => pagePath(name, EXAMPLES);
const publicPages = pageNames.filter((name) => PAGES[name].access === 'public');
const privatePages = pageNames.filter((name) => PAGES[name].access === 'private');

/** Shifts the page made by itself after its first paint, and what moved; 0.1 is the limit of a good page, ours is a tenth of it. */
const WATCH_SHIFTS = `
  window.__shift = { sum: 0, moved: [] };
  const from = ({ node, previousRect, currentRect }) =>
    [node?.className ?? node?.nodeName, previousRect.y, currentRect.y].join(' ');
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      if (entry.hadRecentInput) continue;
      window.__shift.sum += entry.value;
      window.__shift.moved.push(...entry.sources.map(from));
    }
  }).observe({ type: 'layout-shift', buffered: true });`;

async function shiftOf(page: Page): Promise<{ moved: string[] }> {
  const { sum, moved } = (await page.evaluate('window.__shift')) as { sum: number; moved: string[] };
  return { moved: sum < 0.01 ? [] : moved };
}

async function settle({ page }: WatchedPage): Promise<void> {
  await page.locator('h1').first().waitFor();
  await page.evaluate('document.fonts.ready.then(() => undefined)');
}

async function checkAll(watched: WatchedPage, paths: readonly string[]): Promise<void> {
  const { look, found } = lookAt(watched.page);
  for (const path of paths) {
    await watched.page.goto(gateway.origin + path);
    await settle(watched);
    const shift = await shiftOf(watched.page);
    await look(path);

    expect(found).toEqual([]);
    expect({ path, complaints: expected(watched.complaints) }).toEqual({ path, complaints: [] });
    expect({ path, ...shift }).toEqual({ path, moved: [] });
    watched.complaints.length = 0;
  }
}

/** Links of other people are asked for and refused: the browser writes the 4xx to its console. */
function expected(complaints: string[]): string[] {
  return complaints.filter((text) => !/status of 4\d\d/.test(text));
}

describe.each(EACH_WIDTH)('at $width width, in both themes', ({ width, viewport }) => {
  let context: BrowserContext;
  beforeAll(async () => {
    context = await browser.newContext({ viewport, reducedMotion: 'reduce' });
    await context.addInitScript(WATCH_SHIFTS);
  });
  afterAll(() => context.close());

  test('every public page is accessible, quiet, steady and fits', async () => {
    const watched = await watchedPage(context, gateway.origin);
    await checkAll(watched, publicPages.map(address));
    await watched.page.close();
  });

  test('every private page is accessible, quiet, steady and fits', async () => {
    await signedInContext(context, gateway, width, 'editor,access,auditor');
    const watched = await watchedPage(context, gateway.origin);
    await checkAll(watched, [...privatePages.map(address), '/web/no/such/page']);
    await watched.page.close();
  });
});

describe('status pages', () => {
  let context: BrowserContext;
  beforeAll(async () => {
    context = await browser.newContext();
    await signedInContext(context, gateway, 'status', 'editor');
  });
  afterAll(() => context.close());

  test('an unknown path says so in the words of the specification', async () => {
    const page = await context.newPage();
    await page.goto(`${gateway.url}/nowhere/at/all`);

    await page.getByRole('heading', { name: '404 Not Found' }).waitFor();
    expect(await page.getByText('The requested path could not be found.').count()).toBe(1);
    expect(matchPage('/web/nowhere/at/all')).toBeUndefined();
  });

  test('login results read as the specification has them, on cards 540 px wide', async () => {
    const page = await context.newPage();
    await page.goto(`${gateway.url}/msg/info/login_success`);
    await page.getByRole('heading', { name: 'Login Successful' }).waitFor();
    const text =
      'You have successfully signed into your account. You can close this window and continue using the product.';
    expect(await page.getByText(text).count()).toBe(1);

    for (const path of ['login_failed', 'login', 'login/callback', 'login/auth']) {
      await page.goto(`${gateway.url}/msg/error/${path}`);
      await page.getByRole('heading', { name: 'Login Unsuccessful' }).waitFor();
      const link = page.getByRole('link', { name: 'Please attempt to log in again.' });
      expect(await link.getAttribute('href')).toBe('/web/login');
    }
    const card = page.locator('h1').locator('xpath=ancestor::*[contains(@class, "card")][1]');
    expect((await card.boundingBox())?.width).toBe(540);
  });

  test('titles follow the rule: cluster id and title, or the title alone', async () => {
    const page = await context.newPage();
    await page.goto(`${gateway.url}/cluster/localhost/nodes`);
    await expect.poll(() => page.title()).toBe('localhost • Servers');
    await page.goto(`${gateway.url}/support`);
    await expect.poll(() => page.title()).toBe('Help & Support');
  });
});

test('somebody not signed in is led to login and back to the page and query they wanted', async () => {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(`${gateway.url}/settings?from=link`);
  await page.waitForURL(/\/web\/login\?/);

  const target = new URL(page.url()).searchParams.get('redirect_uri') ?? '';
  expect(new URL(target, gateway.origin).pathname).toBe('/web/settings');
  expect(target).toContain('from=link');
  // Nothing ended: this browser was never signed in.
  expect(await page.getByText('Your session ended').count()).toBe(0);
  await context.close();
});
