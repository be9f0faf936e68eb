/** What the console weighs and how soon it can be used: gzipped bytes per page, and time to a usable login page and first private screen in Chromium. */
import { gzipSync } from 'node:zlib';
import { launchChromium } from '@gatehouse/testkit/chromium';
import { startGateway } from '@gatehouse/testkit/gateway-process';
import { signedInContext } from '@gatehouse/testkit/signed-in-context';
import type { Page } from 'playwright-core';

const ROUNDS = 7;
const LIMITS = { login: 110, private: 150, ms: 1000 };
/** A new window fetches pages of the browser's own, which are not what is measured. */
const WINDOW_OPENS_MS = 500;

/** Addresses of the JavaScript and CSS that the page loads. */
function assetsOf(page: Page): Set<string> {
  const assets = new Set<string>();
  page.on('request', (request) => {
    if (/\.(js|css)$/.test(new URL(request.url()).pathname)) assets.add(request.url());
  });
  return assets;
}

/** What they weigh gzipped, leaving out what another page has loaded already. */
async function kilobytes(assets: Set<string>, without = new Set<string>()): Promise<number> {
  const bodies = await Promise.all(
    [...assets.difference(without)].map(async (url) => Buffer.from(await (await fetch(url)).arrayBuffer())),
  );
  return bodies.reduce((sum, body) => sum + gzipSync(body, { level: 9 }).length, 0) / 1024;
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] as number;
}

async function usable(page: Page, url: string, isUsable: () => Promise<unknown>): Promise<number> {
  await page.waitForTimeout(WINDOW_OPENS_MS);
  const started = performance.now();
  await page.goto(url, { waitUntil: 'commit' });
  await isUsable();
  const took = performance.now() - started;
  await page.waitForLoadState('networkidle');
  return took;
}

const gateway = await startGateway();
const browser = await launchChromium();
try {
  const times = { login: [] as number[], private: [] as number[] };
  let login = new Set<string>();
  let first = new Set<string>();
  for (let round = 0; round < ROUNDS; round += 1) {
    const context = await browser.newContext();
    const page = await context.newPage();
    login = assetsOf(page);
    // Usable means: the field takes what is typed.
    times.login.push(await usable(page, `${gateway.url}/login`, () => page.getByLabel('User name').fill('ann')));
    await context.close();

    const signedIn = await browser.newContext();
    await signedInContext(signedIn, gateway, `bench-${round}`, 'access', { fetchesAhead: true });
    const home = await signedIn.newPage();
    first = assetsOf(home);
    times.private.push(await usable(home, gateway.url, () => home.locator('h1').first().waitFor()));
    await signedIn.close();
  }
  const loginKb = await kilobytes(login);
  const moreKb = await kilobytes(first, login);
  console.log(`login page: ${loginKb.toFixed(1)} KB of JavaScript and CSS, gzipped (limit ${LIMITS.login})`);
  console.log(`first private screen: ${moreKb.toFixed(1)} KB more (limit ${LIMITS.private})`);
  const [loginMs, privateMs] = [median(times.login), median(times.private)];
  console.log(
    `login page usable after ${loginMs.toFixed(0)} ms, first private screen after ${privateMs.toFixed(0)} ms`,
  );
  console.log(`(medians of ${ROUNDS}, cold browser cache; the limit is ${LIMITS.ms} ms)`);
  const isOver = loginKb > LIMITS.login || moreKb > LIMITS.private || Math.max(loginMs, privateMs) > LIMITS.ms;
  process.exitCode = isOver ? 1 : 0;
} finally {
  await browser.close();
  await gateway.stop();
}
