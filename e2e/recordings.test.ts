import { WIDTHS, watchedPage } from '@gatehouse/testkit/chromium';
import type { GatewayProcess } from '@gatehouse/testkit/gateway-process';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { EACH_WIDTH, lookAt } from './look.ts';
import { makeReady, run, type ShellWorld, shows, startShellWorld, text } from './shell-world.ts';

let world: ShellWorld;
let gateway: GatewayProcess;
let context: BrowserContext;
/** Of the session that the first test records. */
let sid = '';

beforeAll(async () => {
  world = await startShellWorld();
  ({ gateway } = world);
  ({ context } = await world.person('maya', 'editor,access,auditor'));
});
afterAll(() => world?.close());

const seconds = async (page: Page) => {
  const shown = (await page.locator('[data-position]').textContent()) ?? '';
  return shown.split(':').reduce((sum, part) => sum * 60 + Number(part), 0);
};
const list = () => world.at('recordings');
/** A link to the session of the first test. */
const link = (page: Page, name: string | RegExp) =>
  page.getByRole('link', { name }).and(page.locator(`[href*="${sid}"]`));
const player = (query = '') => world.at(`session/${sid}${query}`);

test('a terminal is recorded while it runs, followed live from another page, and then found and played', async () => {
  const terminal = await watchedPage(context, gateway.origin);
  sid = await world.openShell(terminal.page);
  await makeReady(terminal.page);
  await run(terminal.page, 'echo needle-$((40+2))');
  await shows(terminal.page, /needle-42/);

  const watching = await watchedPage(context, gateway.origin);
  await watching.page.goto(list());
  await link(watching.page, 'Watch root@web-01 live').click();
  await shows(watching.page, /needle-42/);
  await terminal.page.bringToFront();
  await run(terminal.page, 'echo later-$((1+1))');
  await shows(watching.page, /later-2/);
  // What a program may do to a terminal, it may not do to whoever watches it later.
  await run(terminal.page, `printf '\\033]0;pwned\\007\\033]52;c;cHduZWQ=\\007'; exit`);
  await watching.page.getByRole('button', { name: 'Play again' }).waitFor();
  expect(await watching.page.title()).toBe(`localhost • Play ${sid}`);

  await watching.page.getByRole('link', { name: 'All recordings' }).click();
  await link(watching.page, 'Play root@web-01').click();
  // It may have played to its end before anybody looks.
  await watching.page.getByRole('button', { name: /^(Pause|Play again)$/ }).waitFor();
  await expect.poll(() => seconds(watching.page)).toBeGreaterThan(0);
  await watching.page.getByText('Recording intact').first().waitFor();
  expect([...terminal.complaints, ...watching.complaints]).toEqual([]);
  await terminal.page.close();
  await watching.page.close();
});

test('keys seek, step and find; the address is a link to the second that is seen', async () => {
  const { page, complaints } = await watchedPage(context, gateway.origin);
  await page.goto(player('?t=0'));
  await page.getByRole('button', { name: 'Play', exact: true }).waitFor();

  await page.keyboard.press('End');
  await shows(page, /later-2/);
  const end = await seconds(page);
  await page.keyboard.press('Home');
  await expect.poll(() => text(page)).not.toMatch(/later-2/);
  await page.keyboard.press('Shift+ArrowRight');
  await expect.poll(() => seconds(page)).toBe(Math.min(end, 30));
  await page.keyboard.press('Home');
  for (let step = 0; step < 4; step += 1) await page.keyboard.press('.');
  await expect.poll(() => seconds(page)).toBeLessThanOrEqual(end);

  await page.keyboard.press('Home');
  const second = () => Math.floor(Number(new URL(page.url()).searchParams.get('t')));
  // Whatever second the steps have ended in, the address tells of the hit from here on.
  await expect.poll(second).toBe(0);
  await page.keyboard.press('/');
  await page.keyboard.type('later-2');
  await page
    .getByText(/^1 hit$/)
    .first()
    .waitFor();
  await page.keyboard.press('Enter');
  await shows(page, /later-2/);
  const at = await seconds(page);
  expect(at).toBeGreaterThan(0);
  await expect.poll(second).toBe(at);
  const address = page.url();

  const other = await watchedPage(context, gateway.origin);
  await other.page.goto(address);
  await shows(other.page, /later-2/);
  expect(await seconds(other.page)).toBe(at);
  await other.page.getByRole('slider', { name: 'Position' }).click({ position: { x: 1, y: 20 } });
  await expect.poll(() => text(other.page)).not.toMatch(/later-2/);
  expect([...complaints, ...other.complaints]).toEqual([]);
  await page.close();
  await other.page.close();
});

test('what was on a screen is found among all recordings and opens at its second', async () => {
  const { page, complaints } = await watchedPage(context, gateway.origin);
  await page.goto(list());
  await page.getByRole('radio', { name: 'On the screen' }).check();
  await page.keyboard.press('/');
  await page.keyboard.type('needle-42');
  // The index follows a session within seconds of its end.
  const hit = link(page, /^Play from .*: needle-42/);
  await expect
    .poll(
      async () => {
        if (!(await hit.isVisible())) await page.getByRole('button', { name: 'Refresh' }).click();
        return hit.isVisible();
      },
      { timeout: 20_000, interval: 500 },
    )
    .toBe(true);
  expect(new URL(page.url()).search).toBe('?in=screen&search=needle-42');
  await hit.click();

  await shows(page, /needle-42/);
  expect(new URL(page.url()).pathname).toContain(sid);
  expect(complaints).toEqual([]);
  await page.close();
});

test.each(EACH_WIDTH)('the list and the player are whole in both themes, at $width width', async ({ viewport }) => {
  const { page, complaints } = await watchedPage(context, gateway.origin);
  const { look, found } = lookAt(page);
  await page.setViewportSize(viewport);
  await page.goto(list());
  await link(page, 'Play root@web-01').waitFor();
  await look('list');
  await page.goto(player('?t=0'));
  await page.getByRole('slider', { name: 'Position' }).press('End');
  await shows(page, /later-2/);
  await look('player');
  expect(found).toEqual([]);
  // On a desk they are always there.
  if (viewport.width === WIDTHS.phone.width) {
    await page.getByRole('button', { name: 'Show details' }).click();
    await page.getByRole('tab', { name: /Moments/ }).waitFor();
    await page.getByRole('button', { name: 'Hide details' }).click();
  }
  expect(complaints).toEqual([]);
  await page.close();
});

test.each([1440, 1024])('the bar of the player is one line at %i px, also where much is saved', async (width) => {
  const { page, complaints } = await watchedPage(context, gateway.origin);
  await page.setViewportSize({ width, height: 900 });
  // Nobody waits two minutes for a recording of nothing.
  await page.route(`**/recordings/${sid}`, async (route) => {
    const reply = await route.fetch();
    const details = (await reply.json()) as object;
    await route.fulfill({ response: reply, json: { ...details, durationMs: 148_800, activity: Array(60).fill(0) } });
  });
  await page.goto(player('?t=0'));
  const bar = page.getByRole('toolbar', { name: 'Playback' });
  await bar.getByText('saves about 2 min 28 sec').waitFor({ state: 'attached' });

  for (const panel of ['Show details', 'Hide details']) {
    const button = page.getByRole('button', { name: panel });
    if (await button.isVisible()) await button.click();
    const [height, tallest, over] = await bar.evaluate((toolbar) => [
      toolbar.clientHeight - Number.parseFloat(getComputedStyle(toolbar).paddingTop),
      Math.max(...Array.from(toolbar.children, (child) => child.getBoundingClientRect().height)),
      toolbar.scrollWidth - toolbar.clientWidth,
    ]);
    expect([panel, height, over]).toEqual([panel, tallest, 0]);
  }
  expect(complaints).toEqual([]);
  await page.close();
});
