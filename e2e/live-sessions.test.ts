/** Several people in one terminal, sessions that wait for a moderator, and the screen that shows all of them live. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { axeFindings, launchChromium, showTheme, WIDTHS, watchedPage } from '@gatehouse/tools/chromium';
import { type GatewayProcess, ROOT, startGateway } from '@gatehouse/tools/gateway-process';
import { signedInContext } from '@gatehouse/tools/signed-in-context';
import { startSshd, type TestSshd } from '@gatehouse/tools/sshd';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { applyDocuments } from './access.ts';

/** The very roles that administrators read about. */
const ROLES = /```yaml\n([\s\S]*?)```/.exec(readFileSync(join(ROOT, 'docs/sessions.md'), 'utf8'))?.[1] ?? '';

let gateway: GatewayProcess;
let sshd: TestSshd;
let browser: Browser;
let serverId = '';

beforeAll(async () => {
  gateway = await startGateway({ GATEHOUSE_SECOND_FACTOR: 'off' });
  sshd = await startSshd();
  browser = await launchChromium();
  sshd.trust((await gateway.command('ca', 'export')).stdout.trim().split('\n'));
  await gateway.command('nodes', 'add', 'web-01', sshd.addr);
  const { stdout } = await gateway.command('nodes', 'ls', '--format', 'json');
  serverId = (JSON.parse(stdout) as { id: string }[])[0]?.id ?? '';
  await applyDocuments(gateway, ROLES);
});
afterAll(async () => {
  await browser?.close();
  await sshd?.stop();
  await gateway?.stop();
});

/** Without WebGL terminals are drawn with elements, which can be read. */
async function person(name: string, roles: string, viewport: { width: number; height: number } = WIDTHS.desktop) {
  const context = await browser.newContext({ viewport, reducedMotion: 'reduce' });
  // With their sessions: a second try begins as the first did.
  onTestFinished(async () => {
    await context.close();
    await gateway.command('users', 'rm', name);
  });
  await context.addInitScript(() => {
    const original = HTMLCanvasElement.prototype.getContext as (this: HTMLCanvasElement, kind: string) => unknown;
    HTMLCanvasElement.prototype.getContext = function (this: HTMLCanvasElement, kind: string, ...rest: []) {
      return kind.startsWith('webgl') ? null : original.call(this, kind, ...rest);
    } as typeof HTMLCanvasElement.prototype.getContext;
  });
  await signedInContext(context, gateway, name, roles);
  await gateway.command('users', 'edit', name, '--logins=root');
  const watched = await watchedPage(context, gateway.origin);
  return watched;
}

const at = (path: string) => `${gateway.url}/cluster/localhost/${path}`;
const text = async (page: Page) => {
  const rows = await page.locator('.xterm-rows > div').allTextContents();
  return rows.join('\n').replaceAll('\u00a0', ' ').trimEnd();
};
const shows = (page: Page, what: RegExp) => expect.poll(() => text(page), { timeout: 20_000 }).toMatch(what);
const run = async (page: Page, command: string) => {
  await page.keyboard.type(command);
  await page.keyboard.press('Enter');
};
const joinAs = async (page: Page, sid: string, mode: string) => {
  await page.goto(at(`console/session/${sid}?mode=${mode}`));
  await page.locator('.xterm-rows').waitFor();
};

async function openShell(page: Page): Promise<string> {
  await page.goto(at(`console/node/${serverId}/root`));
  await page.waitForURL(/\/console\/session\/[0-9a-f-]{36}$/);
  return page.url().split('/').at(-1) ?? '';
}

test('an owner, a peer and an observer share a terminal, and see who is there and who types', async () => {
  const ann = await person('ann', 'access');
  const bob = await person('bob', 'helper', { width: 1000, height: 600 });
  const cid = await person('cid', 'helper', { width: 700, height: 500 });
  const sid = await openShell(ann.page);
  await shows(ann.page, /[#$] ?$/);
  await run(ann.page, `unset HISTFILE; PS1='ready$ '; clear`);
  await shows(ann.page, /^ready\$$/);
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
    .toEqual(['cid, observer', 'bob, peer', 'ann (you), peer']);
  await cid.page.getByText('You watch the session of ann').waitFor();
  await bob.page.locator('.xterm-screen').click();
  await Promise.all([
    ann.page.getByText('bob typing').waitFor(),
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
  await cid.page.getByText('You watch the session of ann').waitFor();
  await bob.page.getByRole('button', { name: /^Close root@web-01/ }).click();
  await expect.poll(() => people.getByRole('listitem').count()).toBe(2);
  await run(ann.page, 'exit');
  await cid.page.getByText('The shell has exited').waitFor();
  // Later the same link says that it is over, and leads to the recording.
  await bob.page.goto(at(`console/session/${sid}`));
  await bob.page.getByText('The shell has exited').waitFor();
  await bob.page.getByRole('link', { name: 'Open recording' }).waitFor();
  expect([...ann.complaints, ...bob.complaints, ...cid.complaints]).toEqual([]);
});

test('a moderated session waits, begins, freezes without its moderator and goes on', async () => {
  const dan = await person('dan', 'access,watched');
  const eve = await person('eve', 'helper');
  const sid = await openShell(dan.page);
  await dan.page.getByRole('heading', { name: 'Waiting for a moderator' }).waitFor();
  await dan.page.getByText('eve').waitFor();
  expect(await axeFindings(dan.page)).toEqual([]);

  await eve.page.goto(at('sessions'));
  const card = eve.page.getByRole('listitem', { name: /^Session of dan on root@web-01/ });
  await card.getByText('Waiting for a moderator').waitFor();
  await card.getByRole('link', { name: 'Moderate' }).click();
  await eve.page.waitForURL(new RegExp(`/console/session/${sid}\\?mode=moderator$`));
  await eve.page.getByText('You moderate this session of dan').waitFor();
  await shows(dan.page, /[#$] ?$/);
  await run(dan.page, 'echo seen-$((40+2))');
  await shows(eve.page, /seen-42/);

  await eve.page.goto(at('sessions'));
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
  await dan.page.getByText('It was ended by eve: seen enough.').waitFor();
  expect([...dan.complaints, ...eve.complaints]).toEqual([]);
});

test('open sessions come, are seen and go by themselves, on a phone and on a desk', async () => {
  const fay = await person('fay', 'helper');
  const gus = await person('gus', 'access');
  await fay.page.goto(at('sessions'));
  await fay.page.getByRole('heading', { name: 'Nobody is connected right now' }).waitFor();
  await openShell(gus.page);
  await shows(gus.page, /[#$] ?$/);
  const card = fay.page.getByRole('listitem', { name: /^Session of gus on root@web-01/ });
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
  // A menu that has only just come takes no keys yet.
  const reached = async () => {
    await fay.page.keyboard.press('ArrowUp');
    return await end.evaluate((item) => item === document.activeElement);
  };
  await expect.poll(reached, { timeout: 5_000 }).toBe(true);
  await fay.page.keyboard.press('Enter');
  const reason = fay.page.getByRole('textbox', { name: /^Reason/ });
  const isReady = () => reason.evaluate((field) => field === document.activeElement);
  await expect.poll(isReady, { timeout: 10_000 }).toBe(true);
  await fay.page.keyboard.type('time to go');
  await fay.page.keyboard.press('Enter');

  await gus.page.getByText('It was ended by fay: time to go.').waitFor();
  await fay.page.getByRole('heading', { name: 'Nobody is connected right now' }).waitFor();
  expect([...fay.complaints, ...gus.complaints]).toEqual([]);
});
