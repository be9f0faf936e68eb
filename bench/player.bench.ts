/**
 * How soon the player shows something in Chromium, and what it keeps in memory, with a recording of eight hours and 200 MB
 * beside one of a minute. `node bench/player.bench.ts [MEGABYTES]`
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ordinaryWork } from '@gatehouse/gateway/testing/recordings/playback/ordinary-work';
import { launchChromium } from '@gatehouse/testkit/chromium';
import { startGateway } from '@gatehouse/testkit/gateway-process';
import { signedInContext } from '@gatehouse/testkit/signed-in-context';
import type { Page } from 'playwright-core';
import { fillFolder } from './recorded-sessions.ts';

const MEGABYTES = Number(process.argv[2] ?? 200);
const HOURS = 8;
const LONG_MS = HOURS * 3_600_000;
const ROUNDS = 20;
/** Milliseconds, and what the page may hold more after playing for a while than before. */
const LIMITS = { first: 300, seek: 200, growthMegabytes: 30 };
const PLAYED_MS = 30_000;
const INDEXED_MS = 300_000;

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-player-'));
let failed = false;
try {
  const made = (number: number, durationMs: number, bytes: number) => ({
    number,
    user: 'ann',
    durationMs,
    agoMs: durationMs + number * 60_000,
    happenings: ordinaryWork({ seed: number, durationMs, bytes }),
  });
  const { sids } = await fillFolder(folder, {}, [made(1, 60_000, 200_000), made(2, LONG_MS, MEGABYTES * 1e6)]);
  const gateway = await startGateway({ GATEHOUSE_DATA_DIR: folder, GATEHOUSE_SECOND_FACTOR: 'off' });
  const browser = await launchChromium();
  try {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
    await signedInContext(context, gateway, 'bench', 'editor,access,auditor', { fetchesAhead: true });
    const page = await context.newPage();
    const [short = '', long = ''] = sids;
    await indexed(page, `${gateway.url}/cluster/localhost/session/${long}?t=0`);
    for (const [name, sid] of [
      ['1 min', short],
      [`${HOURS} h`, long],
    ] as const) {
      await measure(page, name, `${gateway.url}/cluster/localhost`, sid);
    }
    await grow(page, `${gateway.url}/cluster/localhost/session/${long}?t=3600`);
  } finally {
    await browser.close();
    await gateway.stop();
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
if (failed) process.exitCode = 1;

/** A recording that was just put there is read first, as one that was just made is. */
async function indexed(page: Page, url: string): Promise<void> {
  const began = performance.now();
  for (;;) {
    const [details] = await Promise.all([
      page.waitForResponse((response) => /\/recordings\/[0-9a-f-]{36}$/.test(new URL(response.url()).pathname)),
      page.goto(url),
    ]);
    const { indexedMs, durationMs } = (await details.json()) as { indexedMs: number; durationMs: number };
    if (indexedMs >= durationMs) break;
    if (performance.now() - began > INDEXED_MS) throw new Error('the recording was not indexed in time');
    await page.waitForTimeout(2_000);
  }
}

async function measure(page: Page, name: string, base: string, sid: string): Promise<void> {
  const opened: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    await page.goto(`${base}/recordings`);
    const link = `a[href*="${sid}"]`;
    await page.locator(link).hover();
    await page.waitForTimeout(700);
    opened.push(await untilShown(page, link));
  }
  judge(`${name}: from Play to the first picture, median`, median(opened), LIMITS.first);
  await page.goto(`${base}/session/${sid}?t=1`);
  await untilShown(page);
  const used = await processorTime(page);
  const seeks: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) seeks.push(await seek(page, ((round * 37) % 100) / 100));
  const perSeek = ((await used()) / ROUNDS).toFixed(0);
  judge(`${name}: seek to another picture, p95`, p95(seeks), LIMITS.seek);
  print(`${name}: seek, median ${median(seeks).toFixed(0)} ms, of which ${perSeek} ms of processor time in the page`);
}

/** From a press on a link, if one is given. */
function untilShown(page: Page, link = ''): Promise<number> {
  return page.evaluate(
    (pressed) =>
      new Promise<number>((resolve) => {
        const began = performance.now();
        if (pressed) document.querySelector<HTMLElement>(pressed)?.click();
        const look = () => {
          const place = document.querySelector('[data-player] [data-scale]');
          const isShown = place?.getAttribute('aria-busy') === 'false' && !place.hasAttribute('data-hidden');
          if (isShown) resolve(performance.now() - began);
          else requestAnimationFrame(look);
        };
        look();
      }),
    link,
  );
}

function seek(page: Page, share: number): Promise<number> {
  return page.evaluate(
    (given) =>
      new Promise<number>((resolve) => {
        const slider = document.querySelector<HTMLElement>('[role=slider]');
        const place = document.querySelector('[data-player] [data-scale]');
        if (!slider || !place) throw new Error('no player');
        const { left, top, width } = slider.getBoundingClientRect();
        const at = { clientX: left + width * given, clientY: top + 10, button: 0, pointerId: 1, bubbles: true };
        const began = performance.now();
        slider.setPointerCapture = () => {};
        slider.dispatchEvent(new PointerEvent('pointerdown', at));
        let wasBusy = false;
        const look = () => {
          wasBusy ||= place.getAttribute('aria-busy') === 'true';
          const isOld = performance.now() - began > 500;
          if ((wasBusy || isOld) && place.getAttribute('aria-busy') === 'false') resolve(performance.now() - began);
          else requestAnimationFrame(look);
        };
        requestAnimationFrame(look);
      }),
    share,
  );
}

/** Milliseconds of the page's main thread since now: what it costs whatever else the machine does. */
async function processorTime(page: Page): Promise<() => Promise<number>> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const read = async () => {
    const { metrics } = await session.send('Performance.getMetrics');
    return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0) * 1_000;
  };
  const began = await read();
  return async () => (await read()) - began;
}

/** As fast as it plays, for a while: what was played must not stay. */
async function grow(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await untilShown(page);
  const session = await page.context().newCDPSession(page);
  const heap = async () => {
    await session.send('HeapProfiler.collectGarbage');
    const { usedSize } = await session.send('Runtime.getHeapUsage');
    return usedSize / 1e6;
  };
  await page.getByRole('radio', { name: '16×' }).check();
  await page.keyboard.press('k');
  await page.waitForTimeout(3_000);
  const position = () => page.locator('[data-position]').textContent();
  const [before, from] = [await heap(), await position()];
  await page.waitForTimeout(PLAYED_MS);
  const [after, to] = [await heap(), await position()];
  print(`played from ${from} to ${to} at 16×: the page held ${before.toFixed(1)} MB, then ${after.toFixed(1)} MB`);
  judge('the page holds more by, MB', after - before, LIMITS.growthMegabytes);
}

function judge(what: string, value: number, limit: number): void {
  const isGood = value <= limit;
  if (!isGood) failed = true;
  print(`${isGood ? '✓' : '✗'} ${what}: ${value.toFixed(0)} (at most ${limit})`);
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

function p95(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.95)] ?? 0;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
