import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { launchChromium, WIDTHS, watchedPage } from '@gatehouse/testkit/chromium';
import { type GatewayProcess, ROOT, startGateway } from '@gatehouse/testkit/gateway-process';
import { freshName, signedInContext } from '@gatehouse/testkit/signed-in-context';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { tabTo } from './access.ts';
import { EACH_WIDTH, lookAt } from './look.ts';

const EVENTS = 6_000;

let gateway: GatewayProcess;
let browser: Browser;
let dataDir: string;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'gatehouse-audit-'));
  // Events must be in the store before the gateway holds it.
  await promisify(execFile)(process.execPath, [join(ROOT, 'tools/seed-events.ts'), dataDir, String(EVENTS)]);
  gateway = await startGateway({ GATEHOUSE_DATA_DIR: dataDir, GATEHOUSE_SECOND_FACTOR: 'off' });
  browser = await launchChromium({ shortPages: true });
});
afterAll(async () => {
  await browser?.close();
  await gateway?.stop();
  if (dataDir) await rm(dataDir, { recursive: true, force: true });
});

async function openLog(query = '', options: BrowserContextOptions = {}) {
  const context = await browser.newContext({ viewport: WIDTHS.desktop, reducedMotion: 'reduce', ...options });
  onTestFinished(() => context.close());
  await signedInContext(context, gateway, 'reader', 'auditor');
  const { page, complaints } = await watchedPage(context, gateway.origin);
  await page.goto(`${gateway.url}/cluster/localhost/audit${query}`);
  await page.locator('[data-index="0"]').waitFor();
  // Rows come before the counts, and keys that a chart without bars is given are lost.
  await count(page).waitFor({ state: 'attached' });
  return { context, page, complaints };
}

const rows = (page: Page) => page.locator('[data-index]');
/** How many events the search found; while a part of the time is listed, of how many. */
const count = (page: Page) => page.getByRole('status').filter({ hasText: /events$/ });
const found = async (page: Page) => Number(((await count(page).textContent()) ?? '').replace(/^.* of |\D/g, ''));

test('somebody finds an event by words, a facet and a part of the time, reads it, and goes back the same way', async () => {
  const { context, page, complaints } = await openLog();
  expect(await found(page)).toBeGreaterThanOrEqual(EVENTS);

  await page.keyboard.press('/');
  // In one piece: whoever types slowly is shown what fits the first letters as well, and how many those are.
  await page.keyboard.insertText('grafana');
  await page
    .getByRole('row', { name: /added the application grafana/ })
    .first()
    .waitFor();
  await expect.poll(() => found(page)).toBeLessThan(EVENTS / 2);
  const user = page.getByRole('region', { name: 'User' }).getByRole('button', { name: /^kenji/ });
  const everybodys = await found(page);
  await user.click();
  await page.getByRole('button', { name: 'Remove user: kenji' }).waitFor();
  await expect.poll(() => rows(page).filter({ hasNotText: 'kenji' }).count()).toBe(0);
  // The rows come by themselves, and how many there are a moment later.
  await expect.poll(() => found(page)).toBeLessThan(everybodys);
  const before = await found(page);

  const chart = page.getByRole('slider', { name: 'Events over time' });
  const box = (await chart.boundingBox())!;
  await page.mouse.move(box.x + box.width * 0.5, box.y + 30);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.99, box.y + 30, { steps: 6 });
  await page.mouse.up();
  await count(page).getByText(' of ').waitFor();

  await rows(page).first().click();
  const panel = page.getByRole('complementary', { name: 'Event details' });
  await panel.getByText('Raw event').waitFor();
  expect(await panel.textContent()).toContain('"app_name": "grafana"');
  const link = page.url();
  await page.goBack();
  await panel.waitFor({ state: 'detached' });
  await page.goBack();
  await expect.poll(() => found(page)).toBe(before);
  await page.goto(link);
  await panel.getByText('grafana').first().waitFor();
  await panel.getByRole('button', { name: 'by kenji' }).click();
  await expect.poll(() => found(page)).toBeGreaterThan(before);
  await context.close();

  expect(complaints).toEqual([]);
});

test('what happens appears by itself while the log is followed', async () => {
  const { context, page, complaints } = await openLog('?live=on');
  await page.getByRole('switch', { name: 'Live', exact: true }).waitFor();

  const [newcomer, latecomer] = [freshName(gateway, 'newcomer'), freshName(gateway, 'latecomer')];
  await gateway.command('users', 'add', newcomer, '--roles=access');
  await page.getByRole('row', { name: new RegExp(`created the user ${newcomer}\\b`) }).waitFor();
  expect(await rows(page).first().textContent()).toContain(newcomer);
  await page.getByRole('switch', { name: 'Live', exact: true }).click();
  await gateway.command('users', 'add', latecomer, '--roles=access');
  await page.getByRole('button', { name: 'Refresh', exact: true }).click();
  await page.getByRole('row', { name: new RegExp(`created the user ${latecomer}\\b`) }).waitFor();
  await context.close();

  expect(complaints).toEqual([]);
});

test('thousands of events are scrolled through to the last, and few of them are on the page', async () => {
  const { context, page } = await openLog();
  const slow = page.evaluate(longFrames, 6_000);
  await rows(page).first().focus();
  const end = page.getByText(/^All [\d,]+ events/);
  const lastRow = async () => Number(await rows(page).last().getAttribute('data-index'));
  for (let turn = 0; turn < 20 && !(await end.isVisible()); turn += 1) {
    const before = await lastRow();
    await page.keyboard.press('End');
    await expect.poll(async () => (await end.isVisible()) || (await lastRow()) > before).toBe(true);
  }
  await end.waitFor();
  await page.mouse.move(800, 600);
  for (let turn = 0; turn < 30; turn += 1) await page.mouse.wheel(0, -4_000);

  expect(await rows(page).count()).toBeLessThan(80);
  expect(Number(((await end.textContent()) ?? '').replace(/\D/g, ''))).toBeGreaterThanOrEqual(EVENTS);
  // A page that stands still does so whenever more events come, which is many times; a busy machine takes a frame now and then.
  expect((await slow).toSorted((a, b) => b - a)[2] ?? 0).toBeLessThan(700);
  await context.close();

  /** Runs in the page: how long each frame took that took too long. */
  function longFrames(forMs: number): Promise<number[]> {
    return new Promise((resolve) => {
      const began = performance.now();
      const long: number[] = [];
      let last = began;
      const look = (now: number) => {
        if (now - last > 50) long.push(Math.round(now - last));
        last = now;
        if (now - began < forMs) requestAnimationFrame(look);
        else resolve(long);
      };
      requestAnimationFrame(look);
    });
  }
});

test('what is shown is exported as JSON lines and as a table', async () => {
  const { context, page, complaints } = await openLog('?user=kenji');
  const all = await found(page);
  const save = async (format: RegExp) => {
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export' }).click();
    await page.getByRole('menuitem', { name: format }).click();
    const file = await download;
    return { name: file.suggestedFilename(), text: readFileSync(await file.path(), 'utf8') };
  };

  const lines = await save(/JSON lines/);
  const events = lines.text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { user: string });
  const table = await save(/CSV/);
  await context.close();

  expect(lines.name).toMatch(/^audit-localhost-\d{8}T\d{6}Z-\d{8}T\d{6}Z\.jsonl$/);
  expect(events).toHaveLength(all);
  expect(new Set(events.map(({ user }) => user))).toEqual(new Set(['kenji']));
  expect(table.text.startsWith('\ufefftime,severity,code,')).toBe(true);
  expect(table.text.trim().split('\r\n')).toHaveLength(all + 1);
  expect(complaints).toEqual([]);
});

test('the range is verified against the signed checkpoints', async () => {
  const { context, page, complaints } = await openLog();
  await page.getByRole('button', { name: 'Verify' }).click();
  await page.getByText('Nothing was changed.').waitFor();
  // The key is asked for when the verdict is there.
  const dialog = page.getByRole('dialog').filter({ hasText: '-----BEGIN PUBLIC KEY-----' });
  await dialog.waitFor();
  const told = await dialog.textContent();
  await context.close();

  expect(Number(/([\d,]+) events fit/.exec(told ?? '')?.[1]?.replaceAll(',', ''))).toBeGreaterThanOrEqual(EVENTS);
  expect(complaints).toEqual([]);
});

test('all of it works by keyboard alone', async () => {
  const { context, page } = await openLog();
  await tabTo(page, page.getByRole('slider', { name: 'Events over time' }));
  await page.keyboard.press('End');
  await page.keyboard.press('Shift+ArrowLeft');
  await page.keyboard.press('Shift+ArrowLeft');
  await page.keyboard.press('Enter');
  await count(page).getByText(' of ').waitFor();
  await page.keyboard.press('Escape');
  await page.getByText('time:').waitFor({ state: 'detached' });
  await tabTo(page, page.getByRole('region', { name: 'Severity' }).getByRole('button', { name: /^Warning/ }));
  await page.keyboard.press('Space');
  await page.getByRole('button', { name: 'Remove severity: Warning' }).waitFor();
  await tabTo(page, rows(page).first());
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await page.getByRole('complementary', { name: 'Event details' }).getByText('Raw event').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('complementary', { name: 'Event details' }).waitFor({ state: 'detached' });
  await expect.poll(() => page.evaluate('document.activeElement.dataset.index')).toBe('1');
  await context.close();
});

test.each(EACH_WIDTH)('the log is accessible, quiet and fits, at $width width in both themes', async ({ viewport }) => {
  const { context, page, complaints } = await openLog('', { viewport });
  const { look, found: findings } = lookAt(page);
  await look('log');
  await page.getByRole('button', { name: /^Time:/ }).click();
  await page.getByLabel('From').waitFor();
  await look('range');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Verify' }).click();
  await page.getByText('Nothing was changed.').waitFor();
  await look('verified');
  await page.keyboard.press('Escape');
  const filters = page.getByRole('button', { name: 'Filters', exact: true });
  if (await filters.isVisible()) {
    await filters.click();
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Warning/ })
      .waitFor();
    await look('filters');
    await page.keyboard.press('Escape');
  }
  await rows(page)
    .nth(2)
    .click({ position: { x: 120, y: 12 } });
  await page.getByText('Raw event').first().waitFor();
  await look('event');
  await page.goto(`${gateway.url}/cluster/localhost/audit?search=zzzz`);
  await page.getByRole('heading', { name: 'No event fits' }).waitFor();
  await look('no match');
  await context.close();

  expect(findings).toEqual([]);
  expect(complaints).toEqual([]);
});

test.each([
  { width: 720, height: 450 },
  { width: 640, height: 360 },
])('at twice the size, which leaves $width by $height, there is room for rows', async (viewport) => {
  const { page } = await openLog('', { viewport, deviceScaleFactor: 2 });

  const inSight = () =>
    rows(page).evaluateAll(
      (all) =>
        all.filter((row) => {
          const { x, y, height } = row.getBoundingClientRect();
          return y >= 0 && y + height <= innerHeight && row.contains(document.elementFromPoint(x + 60, y + height / 2));
        }).length,
    );
  await rows(page).nth(8).scrollIntoViewIfNeeded();
  await expect.poll(inSight).toBeGreaterThanOrEqual(3);
});
