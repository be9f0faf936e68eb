/** Who comes late to a session sees its screen, cell by cell, and all of it; terminals have from the beginning the width they keep. */
import { launchChromium, WIDTHS, watchedPage } from '@gatehouse/tools/chromium';
import { type GatewayProcess, startGateway } from '@gatehouse/tools/gateway-process';
import { signedInContext } from '@gatehouse/tools/signed-in-context';
import { startSshd, type TestSshd } from '@gatehouse/tools/sshd';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { applyDocuments } from './access.ts';

const HELPER = `
kind: role
version: v6
metadata: { name: helper }
spec:
  allow:
    join_sessions: [{ name: help, kinds: [ssh], roles: [access], modes: [observer] }]
    rules: [{ resources: [ssh_session], verbs: [list, read] }]
`;

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
  await applyDocuments(gateway, HELPER);
});
afterAll(async () => {
  await browser?.close();
  await sshd?.stop();
  await gateway?.stop();
});

interface PersonOptions {
  viewport?: { width: number; height: number };
  /** Terminals are drawn with elements then, which can be read. */
  webgl?: boolean;
  scale?: number;
}

async function person(
  name: string,
  roles: string,
  { viewport = WIDTHS.desktop, webgl = false, scale = 1 }: PersonOptions = {},
) {
  const context = await browser.newContext({ viewport, reducedMotion: 'reduce', deviceScaleFactor: scale });
  onTestFinished(async () => {
    await context.close();
    await gateway.command('users', 'rm', name);
  });
  if (!webgl)
    await context.addInitScript(() => {
      const original = HTMLCanvasElement.prototype.getContext as (this: HTMLCanvasElement, kind: string) => unknown;
      HTMLCanvasElement.prototype.getContext = function (this: HTMLCanvasElement, kind: string, ...rest: []) {
        return kind.startsWith('webgl') ? null : original.call(this, kind, ...rest);
      } as typeof HTMLCanvasElement.prototype.getContext;
    });
  await signedInContext(context, gateway, name, roles);
  await gateway.command('users', 'edit', name, '--logins=root');
  return watchedPage(context, gateway.origin);
}

const at = (path: string) => `${gateway.url}/cluster/localhost/${path}`;
const run = async (page: Page, command: string) => {
  await page.keyboard.type(command);
  await page.keyboard.press('Enter');
};

async function openShell(page: Page): Promise<string> {
  await page.goto(at(`console/node/${serverId}/root`));
  await page.waitForURL(/\/console\/session\/[0-9a-f-]{36}$/);
  await expect.poll(() => page.locator('.xterm-rows').textContent()).toMatch(/[#$]/);
  return page.url().split('/').at(-1) ?? '';
}

/** Every cell with its look; where the cursor stands is left out, as it is drawn otherwise without the focus. */
const cells = (page: Page) =>
  page.locator('.xterm-rows > div').evaluateAll((rows) =>
    rows.map((row) =>
      [...row.querySelectorAll('span')]
        .flatMap((span) => {
          const look = [...span.classList]
            .filter((name) => !name.startsWith('xterm-cursor'))
            .sort()
            .join(' ');
          return [...(span.textContent ?? '')].map((letter) => `${letter === '\u00a0' ? ' ' : letter}${look}`);
        })
        .join('|')
        .replace(/[ |]+$/, ''),
    ),
  );

/** No part of a row lies outside of the place of its terminal. */
const isWhole = (page: Page) =>
  page.locator('[data-terminal]').evaluate((home) => {
    const place = home.getBoundingClientRect();
    const screen = home.querySelector('.xterm-screen')?.getBoundingClientRect();
    return screen !== undefined && screen.bottom <= place.bottom + 1 && screen.right <= place.right + 1;
  });

const size = async (page: Page) =>
  (
    await page
      .getByText(/^\d+\s*×\s*\d+$/)
      .first()
      .textContent()
  )?.replaceAll(/\s/g, '');

test.each([
  ['top', 'clear; top -d 100', /PID/],
  [
    'vim',
    'seq 1 300 > /tmp/watch.txt; vim -u NONE -N -c "set number cursorline hlsearch | syntax on" +150 /tmp/watch.txt',
    /150/,
  ],
  ['less', 'clear; seq 1 500 | less', /^1$/m],
])(
  'who comes late to %s sees what its owner sees, in a smaller window, after a reload and another size',
  async (_, command, shown) => {
    const ann = await person('ann', 'access');
    const sid = await openShell(ann.page);
    // More than what is held without a recording, so that nobody could play it from the tail.
    await run(ann.page, 'seq 1 60000; clear');
    await expect.poll(() => ann.page.locator('.xterm-rows').textContent(), { timeout: 20_000 }).not.toContain('5999');
    await run(ann.page, command);
    await expect
      .poll(async () => (await cells(ann.page)).join('\n').replaceAll(/[^\S\n]|\||xterm-[\w-]+/g, ''), {
        timeout: 20_000,
      })
      .toMatch(shown);

    const bob = await person('bob', 'helper', { viewport: { width: 900, height: 520 } });
    await bob.page.goto(at(`console/session/${sid}?mode=observer`));
    await bob.page.getByText('You watch the session of ann').waitFor();
    const same = async () => {
      const seen = async (page: Page) => ({ size: await size(page), cells: await cells(page) });
      const differ = async () => {
        const [theirs, ours] = [await seen(bob.page), await seen(ann.page)];
        return JSON.stringify(theirs) === JSON.stringify(ours) ? undefined : { theirs, ours };
      };
      await expect.poll(differ, { timeout: 20_000 }).toBeUndefined();
      await expect.poll(() => isWhole(bob.page)).toBe(true);
    };
    await same();
    await bob.page.reload();
    await bob.page.getByText('You watch the session of ann').waitFor();
    await same();
    const first = await size(ann.page);
    await ann.page.setViewportSize({ width: 1100, height: 640 });
    await expect.poll(() => size(ann.page)).not.toBe(first);
    // The program has drawn it anew.
    await ann.page.waitForTimeout(500);
    await same();
    // The owner's own reload finds the same screen.
    const before = await cells(bob.page);
    await ann.page.reload();
    await expect.poll(() => cells(ann.page), { timeout: 20_000 }).toEqual(before);
    expect([...ann.complaints, ...bob.complaints]).toEqual([]);
  },
);

test.each([1, 2])('a terminal opens with the columns it keeps, at a device scale of %s', async (scale) => {
  const { page, complaints } = await person('cid', 'access', { webgl: true, scale });
  await page.goto(at(`console/node/${serverId}/root`));
  await page.waitForURL(/\/console\/session\/[0-9a-f-]{36}$/);
  await page.getByRole('status').getByText('Connected').waitFor();
  const opened = await size(page);
  await page.waitForTimeout(800);
  expect(await size(page)).toBe(opened);
  await page.keyboard.press('Control+Shift+F');
  await page.getByRole('textbox', { name: /find/i }).waitFor();
  await page.keyboard.press('Escape');
  await page.waitForTimeout(500);
  expect(await size(page)).toBe(opened);
  expect(complaints).toEqual([]);
});
