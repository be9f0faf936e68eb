/** What the console weighs and how soon it can be used: gzipped bytes per page, and time to a usable login page in Chromium. */
import { gzipSync } from 'node:zlib';
import { launchChromium } from '@gatehouse/tools/chromium';
import { startGateway } from '@gatehouse/tools/gateway-process';
import type { Page } from 'playwright-core';

const ROUNDS = 7;
const LIMITS = { login: 110, private: 150 };

/** Gzipped JavaScript and CSS that the page loads, by address. */
function weigh(page: Page): Map<string, number> {
  const weights = new Map<string, number>();
  page.on('response', async (response) => {
    if (!/\.(js|css)$/.test(new URL(response.url()).pathname)) return;
    weights.set(response.url(), gzipSync(await response.body(), { level: 9 }).length);
  });
  return weights;
}

const kilobytes = (weights: Map<string, number>, without?: Map<string, number>) =>
  [...weights].filter(([url]) => !without?.has(url)).reduce((sum, [, bytes]) => sum + bytes, 0) / 1024;

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] as number;
}

const gateway = await startGateway();
const browser = await launchChromium();
try {
  const times: number[] = [];
  let login = new Map<string, number>();
  for (let round = 0; round < ROUNDS; round += 1) {
    const context = await browser.newContext();
    const page = await context.newPage();
    login = weigh(page);
    const started = performance.now();
    await page.goto(`${gateway.url}/login`, { waitUntil: 'commit' });
    // Usable means: the field takes what is typed.
    await page.getByLabel('User name').fill('ann');
    times.push(performance.now() - started);
    await page.waitForLoadState('networkidle');
    await context.close();
  }
  console.log(`login page: ${kilobytes(login).toFixed(1)} KB of JavaScript and CSS, gzipped (limit ${LIMITS.login})`);
  console.log(`login page usable after ${median(times).toFixed(0)} ms (median of ${ROUNDS}, cold cache)`);
} finally {
  await browser.close();
  await gateway.stop();
}
