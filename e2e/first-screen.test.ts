import type { GatewayProcess } from '@gatehouse/testkit/gateway-process';
import type { BrowserContext } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ConsoleWorld, startConsoleWorld } from './console-world.ts';

let world: ConsoleWorld;
let gateway: GatewayProcess;

beforeAll(async () => {
  world = await startConsoleWorld();
  gateway = world.gateway;
});
afterAll(() => world?.close());

const signedIn = (fetchesAhead = true) => world.signedIn('first', 'access', { fetchesAhead });

interface Fetched {
  path: string;
  start: number;
  end: number;
}

/** What the page fetched until its heading stood there, or what else it is waited for with, from an empty cache. */
async function fetchedBy(context: BrowserContext, path: string, whole = 'h1'): Promise<Fetched[]> {
  const page = await context.newPage();
  await page.goto(gateway.url + path);
  await page.locator(whole).first().waitFor();
  return page.evaluate(() =>
    (performance.getEntriesByType('resource') as PerformanceResourceTiming[]).map((entry) => ({
      path: new URL(entry.name).pathname,
      start: entry.startTime,
      end: entry.responseEnd,
    })),
  );
}

const isCode = ({ path }: Fetched) => /\.(js|css)$/.test(path);
const named = (fetched: Fetched[], name: string) => fetched.find(({ path }) => path.includes(`/assets/${name}-`));

test('the first private screen comes in few requests, all of the shell with the page itself', async () => {
  // What a page fetches for other screens, once it has time to spare, is not counted.
  const context = await signedIn(false);
  // The list of a new gateway is empty; it says so beside the heading or after it, as its answer comes.
  const fetched = await fetchedBy(context, '', 'h2');
  await context.close();

  // HTTP/1.1 has six at a time, and each that waits for another is a round trip more.
  expect(fetched.filter(isCode).length).toBeLessThan(20);
  const entry = named(fetched, 'index');
  for (const name of ['shell', 'calls', 'base']) expect(named(fetched, name)?.start).toBeLessThan(entry?.end ?? 0);
});

test('who is signed in is asked for before the code of the first screen', async () => {
  const context = await signedIn();
  const fetched = await fetchedBy(context, '');
  await context.close();

  const asked = fetched.findIndex(({ path }) => path.endsWith('/context'));
  const screen = fetched.findIndex(({ path }) => /(\/servers|-screen)-[^/]*\.js$/.test(path));
  expect(asked).toBeGreaterThan(0);
  expect(screen).toBeGreaterThan(asked);
  expect(fetched.filter(({ path }) => path.endsWith('/context'))).toHaveLength(1);
});

test('the login page comes in few requests, none for private pages', async () => {
  const context = await world.browser.newContext();
  const fetched = await fetchedBy(context, '/login');
  await context.close();

  expect(fetched.filter(isCode).length).toBeLessThan(12);
  for (const name of ['shell', 'calls']) expect(named(fetched, name)).toBeUndefined();
});

test.each(['/msg/info/login_success', `/invite/${'0'.repeat(64)}`])(
  '%s fetches nothing of the private pages, even for somebody signed in',
  async (path) => {
    const context = await signedIn();
    const fetched = await fetchedBy(context, path);
    await context.close();

    expect(named(fetched, 'shell')).toBeUndefined();
  },
);

test('a private address that nobody is signed in for fetches nothing of the private pages with the page itself', async () => {
  const response = await fetch(`${gateway.url}/support`);

  expect(await response.text()).not.toContain('/assets/shell-');
});
