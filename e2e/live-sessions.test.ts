/** Several people in one terminal, sessions that wait for a moderator, and the screen that shows all of them live. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { axeFindings, showTheme, WIDTHS } from '@gatehouse/testkit/chromium';
import { ROOT } from '@gatehouse/testkit/gateway-process';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { makeReady, prompt, run, type ShellWorld, shows, startShellWorld, text } from './shell-world.ts';

/** The very roles that administrators read about. */
const ROLES = /```yaml\n([\s\S]*?)```/.exec(readFileSync(join(ROOT, 'docs/sessions.md'), 'utf8'))?.[1] ?? '';

let world: ShellWorld;

beforeAll(async () => {
  world = await startShellWorld({ documents: ROLES });
});
afterAll(() => world?.close());

async function person(name: string, roles: string, viewport: { width: number; height: number } = WIDTHS.desktop) {
  const someone = await world.person(name, roles, { viewport });
  // With their sessions: the next test looks for nobody else.
  onTestFinished(() => someone.leave());
  return someone;
}

const joinAs = async (page: Page, sid: string, mode: string) => {
  await page.goto(world.at(`console/session/${sid}?mode=${mode}`));
  await page.locator('.xterm-rows').waitFor();
};

test('an owner, a peer and an observer share a terminal, and see who is there and who types', async () => {
  const ann = await person('ann', 'access');
  const bob = await person('bob', 'helper', { width: 1000, height: 600 });
  const cid = await person('cid', 'helper', { width: 700, height: 500 });
  const sid = await world.openShell(ann.page);
  await makeReady(ann.page);
  const alone = await ann.page.locator('.xterm-rows > div').count();
  await joinAs(cid.page, sid, 'observer');
  await shows(cid.page, /ready\$/);
  expect(await ann.page.locator('.xterm-rows > div').count()).toBe(alone);
  await joinAs(bob.page, sid, 'peer');
  await shows(bob.page, /ready\$/);
  // The smallest who types decides the size.
  await expect.poll(() => ann.page.locator('.xterm-rows > div').count()).toBeLessThan(alone);
  const size = await ann.page.locator('.xterm-rows > div').count();
  await expect.poll(() => cid.page.locator('.xterm-rows > div').count()).toBe(size);

  const people = ann.page.getByRole('list', { name: 'People in this session' });
  await expect
    .poll(() => people.getByRole('listitem').allTextContents())
    .toEqual([`${cid.name}, observer`, `${bob.name}, peer`, `${ann.name} (you), peer`]);
  await cid.page.getByText(`You watch the session of ${ann.name}`).waitFor();
  await bob.page.locator('.xterm-screen').click();
  await Promise.all([
    ann.page.getByText(`${bob.name} typing`).waitFor(),
    bob.page.keyboard.type('echo from-bob', { delay: 50 }),
  ]);
  await shows(ann.page, /from-bob/);
  await cid.page.locator('.xterm-screen').click();
  await cid.page.keyboard.type('NEVER');
  await ann.page.keyboard.press('Enter');
  await shows(cid.page, /\nfrom-bob/);
  expect(await text(ann.page)).not.toContain('NEVER');
  for (const { page } of [ann, cid]) expect(await axeFindings(page)).toEqual([]);

  // A reload finds its way back as what one was; who closes a joined tab ends nothing.
  await cid.page.reload();
  await cid.page.getByText(`You watch the session of ${ann.name}`).waitFor();
  await bob.page.getByRole('button', { name: /^Close root@web-01/ }).click();
  await expect.poll(() => people.getByRole('listitem').count()).toBe(2);
  await run(ann.page, 'exit');
  await cid.page.getByText('The shell has exited').waitFor();
  // Later the same link says that it is over, and leads to the recording.
  await bob.page.goto(world.at(`console/session/${sid}`));
  await bob.page.getByText('The shell has exited').waitFor();
  await bob.page.getByRole('link', { name: 'Open recording' }).waitFor();
  expect([...ann.complaints, ...bob.complaints, ...cid.complaints]).toEqual([]);
});

test('a moderated session waits, begins, freezes without its moderator and goes on', async () => {
  const dan = await person('dan', 'access,watched');
  const eve = await person('eve', 'helper');
  const sid = await world.openShell(dan.page);
  await dan.page.getByRole('heading', { name: 'Waiting for a moderator' }).waitFor();
  await dan.page.getByText(eve.name).waitFor();
  expect(await axeFindings(dan.page)).toEqual([]);

  await eve.page.goto(world.at('sessions'));
  const card = eve.page.getByRole('listitem', { name: new RegExp(`^Session of ${dan.name} on root@web-01`) });
  await card.getByText('Waiting for a moderator').waitFor();
  await card.getByRole('link', { name: 'Moderate' }).click();
  await eve.page.waitForURL(new RegExp(`/console/session/${sid}\\?mode=moderator$`));
  await eve.page.getByText(`You moderate this session of ${dan.name}`).waitFor();
  await prompt(dan.page);
  await run(dan.page, 'echo seen-$((40+2))');
  await shows(eve.page, /seen-42/);

  await eve.page.goto(world.at('sessions'));
  await dan.page.getByRole('heading', { name: 'Paused until a moderator is back' }).waitFor();
  await dan.page.keyboard.type('echo unseen\n');
  await joinAs(eve.page, sid, 'moderator');
  await dan.page.getByRole('heading', { name: 'Paused until a moderator is back' }).waitFor({ state: 'detached' });
  await dan.page.locator('.xterm-screen').click();
  await run(dan.page, 'echo again-$((50+5))');
  await shows(eve.page, /again-55/);
  expect(await text(eve.page)).not.toContain('unseen');

  await eve.page.getByRole('button', { name: 'End session' }).click();
  await eve.page.getByRole('textbox', { name: /^Reason/ }).fill('seen enough');
  await eve.page.getByRole('dialog').getByRole('button', { name: 'End session' }).click();
  await dan.page.getByText(`It was ended by ${eve.name}: seen enough.`).waitFor();
  expect([...dan.complaints, ...eve.complaints]).toEqual([]);
});

test('open sessions come, are seen and go by themselves, on a phone and on a desk', async () => {
  const fay = await person('fay', 'helper');
  const gus = await person('gus', 'access');
  await fay.page.goto(world.at('sessions'));
  await fay.page.getByRole('heading', { name: 'Nobody is connected right now' }).waitFor();
  await world.openShell(gus.page);
  await prompt(gus.page);
  const card = fay.page.getByRole('listitem', { name: new RegExp(`^Session of ${gus.name} on root@web-01`) });
  await card.waitFor();
  await card.locator('canvas').waitFor();
  const drawn = () => card.locator('canvas').evaluate((canvas) => (canvas as HTMLCanvasElement).toDataURL().length);
  const before = await drawn();
  await run(gus.page, `for i in 1 2 3 4 5 6; do echo 'much more is on the screen of this session now'; done`);
  // More lines, and letters of another size with them.
  await expect.poll(drawn, { timeout: 6_000 }).not.toBe(before);
  for (const [theme, size] of [
    ['light', WIDTHS.phone],
    ['dark', WIDTHS.desktop],
  ] as const) {
    await showTheme(fay.page, theme);
    await fay.page.setViewportSize(size);
    expect(await axeFindings(fay.page)).toEqual([]);
    expect(await fay.page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth)).toBe(true);
  }
  // By keyboard alone.
  await card.getByRole('button', { name: /^What to do with/ }).focus();
  await fay.page.keyboard.press('Enter');
  const end = fay.page.getByRole('menuitem', { name: /^End session/ });
  await end.waitFor();
  // A menu that has only just come takes no keys yet, and moves a moment after one: this key leads to the last however often.
  const reached = async () => {
    await fay.page.keyboard.press('End');
    return await end.evaluate((item) => item === document.activeElement);
  };
  await expect.poll(reached, { timeout: 5_000 }).toBe(true);
  await fay.page.keyboard.press('Enter');
  const reason = fay.page.getByRole('textbox', { name: /^Reason/ });
  const isReady = () => reason.evaluate((field) => field === document.activeElement);
  await expect.poll(isReady, { timeout: 10_000 }).toBe(true);
  await fay.page.keyboard.type('time to go');
  await fay.page.keyboard.press('Enter');

  await gus.page.getByText(`It was ended by ${fay.name}: time to go.`).waitFor();
  await fay.page.getByRole('heading', { name: 'Nobody is connected right now' }).waitFor();
  expect([...fay.complaints, ...gus.complaints]).toEqual([]);
});
