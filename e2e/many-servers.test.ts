import { launchChromium, WIDTHS } from '@gatehouse/testkit/chromium';
import { signedInContext } from '@gatehouse/testkit/signed-in-context';
import { SOON_SECONDS } from '@gatehouse/testkit/soon';
import { startSshd, type TestSshd } from '@gatehouse/testkit/sshd';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type SeededGateway, secondsUntil, startSeededGateway } from './access.ts';

const SERVERS = 20_000;
const ROW_PX = 40;

let gateway: SeededGateway;
let sshd: TestSshd;
let browser: Browser;
let page: Page;

beforeAll(async () => {
  gateway = await startSeededGateway(SERVERS);
  sshd = await startSshd();
  browser = await launchChromium();
  const context = await browser.newContext({ viewport: WIDTHS.desktop });
  await signedInContext(context, gateway, 'ann', 'editor,access');
  page = await context.newPage();
});
afterAll(async () => {
  await browser?.close();
  await sshd?.stop();
  await gateway?.stop();
});

/** A row whose server has come. */
const filled = (index: number) => page.locator(`[data-index="${index}"]:not([aria-busy])`);
const scrollTo = (index: number) =>
  page.locator('[role=grid]').evaluate((grid, top) => {
    if (grid.parentElement) grid.parentElement.scrollTop = top;
  }, index * ROW_PX);
const rowsOnPage = () => page.locator('[data-index]').count();

test('the scroll bar leads anywhere at once, and only what is in sight is on the page', async () => {
  await page.goto(`${gateway.url}/cluster/localhost/nodes`);
  await page.getByText(/20,000 you can (reach|see)/).waitFor();
  expect(await page.getByRole('grid').getAttribute('aria-rowcount')).toBe(String(SERVERS + 1));

  for (const index of [10_000, 19_000, 40, 15_000]) {
    await scrollTo(index);
    expect(await secondsUntil(filled(index + 5).waitFor())).toBeLessThan(SOON_SECONDS);
    expect(await rowsOnPage()).toBeLessThan(80);
  }
});

test('the rows are in order across pages, and the keys reach both ends', async () => {
  await scrollTo(9_990);
  await filled(10_010).waitFor();
  const names = await page.locator('[data-index]:not([aria-busy]) td:first-child').allTextContents();
  expect(names).toEqual([...new Set(names)].sort());

  await filled(10_000).focus();
  await page.keyboard.press('End');
  await expect.poll(() => filled(SERVERS - 1).evaluate((row) => row === document.activeElement)).toBe(true);
  await page.keyboard.press('Home');

  await expect.poll(() => filled(0).evaluate((row) => row === document.activeElement)).toBe(true);
});

test('a server that joins above does not move what one is looking at', async () => {
  await gateway.command('nodes', 'rm', 'aaa-first');
  await page.getByText(/20,000 you can (reach|see)/).waitFor();
  await scrollTo(12_000);
  await filled(12_005).waitFor();
  const name = await filled(12_005).locator('td').first().textContent();
  const place = () => page.getByRole('row', { name: new RegExp(name ?? '') }).boundingBox();
  const before = await place();

  const added = await gateway.command('nodes', 'add', 'aaa-first', sshd.addr);
  expect(added.stderr).toBe('');
  expect(await secondsUntil(page.getByText('20,001 you can see').waitFor())).toBeLessThan(SOON_SECONDS);
  await page
    .getByRole('row', { name: new RegExp(name ?? '') })
    .and(page.locator('[data-index="12006"]'))
    .waitFor();

  // The browser scrolls along with the next frame that it draws.
  await expect.poll(async () => (await place())?.y).toBe(before?.y);
});
