/** Who comes late to a session sees its screen, cell by cell, and all of it; terminals have from the beginning the width they keep. */
import type { Page, WebSocket } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { type PersonOptions, prompt, run, type ShellWorld, shows, startShellWorld } from './shell-world.ts';

const HELPER = `
kind: role
version: v6
metadata: { name: helper }
spec:
  allow:
    join_sessions: [{ name: help, kinds: [ssh], roles: [access], modes: [observer] }]
    rules: [{ resources: [ssh_session], verbs: [list, read] }]
`;

let world: ShellWorld;

beforeAll(async () => {
  world = await startShellWorld({ documents: HELPER });
});
afterAll(() => world?.close());

async function person(name: string, roles: string, options: PersonOptions = {}) {
  const someone = await world.person(name, roles, options);
  onTestFinished(() => someone.leave());
  return someone;
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
    // No file: of one that another test writes or has open, vim would tell first.
    'vim -n -u NONE -N -c "set number cursorline hlsearch | syntax on" +150 <(seq 1 300)',
    /150/,
  ],
  ['less', 'clear; seq 1 500 | less', /^1$/m],
])(
  'who comes late to %s sees what its owner sees, in a smaller window, after a reload and another size',
  async (_, command, shown) => {
    const ann = await person('ann', 'access');
    const sid = await world.openShell(ann.page);
    await prompt(ann.page);
    // More than what is held without a recording, so that nobody could play it from the tail.
    await run(ann.page, 'seq 1 60000; clear; echo all-$((59+1))k');
    await shows(ann.page, /^all-60k/m);
    await run(ann.page, command);
    await expect
      .poll(async () => (await cells(ann.page)).join('\n').replaceAll(/[^\S\n]|\||xterm-[\w-]+/g, ''), {
        timeout: 20_000,
      })
      .toMatch(shown);

    const bob = await person('bob', 'helper', { viewport: { width: 900, height: 520 } });
    await bob.page.goto(world.at(`console/session/${sid}?mode=observer`));
    await bob.page.getByText(`You watch the session of ${ann.name}`).waitFor();
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
    await bob.page.getByText(`You watch the session of ${ann.name}`).waitFor();
    await same();
    const first = await size(ann.page);
    await ann.page.setViewportSize({ width: 1100, height: 640 });
    await expect.poll(() => size(ann.page)).not.toBe(first);
    await same();
    // The owner's own reload finds the same screen.
    await ann.page.reload();
    await same();
    expect([...ann.complaints, ...bob.complaints]).toEqual([]);
  },
);

/** Whatever measures the terminal again has had its turn: fonts are there, and what was typed came back and is drawn. */
async function typedAndDrawn(page: Page, socket: WebSocket): Promise<void> {
  await page.evaluate('document.fonts.ready.then(() => undefined)');
  for (const key of 'seen') {
    const back = socket.waitForEvent('framereceived');
    await page.keyboard.press(key);
    await back;
    await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))');
  }
}

test.each([1, 2])('a terminal opens with the columns it keeps, at a device scale of %s', async (scale) => {
  const { page, complaints } = await person('cid', 'access', { webgl: true, deviceScaleFactor: scale });
  const opening = page.waitForEvent('websocket', (socket) => socket.url().endsWith('/terminal'));
  await world.openShell(page);
  const socket = await opening;
  await page.getByRole('status').getByText('Connected').waitFor();
  const opened = await size(page);
  await typedAndDrawn(page, socket);
  expect(await size(page)).toBe(opened);
  await page.keyboard.press('Control+Shift+F');
  await page.getByRole('textbox', { name: /find/i }).waitFor();
  await page.keyboard.press('Escape');
  await typedAndDrawn(page, socket);
  expect(await size(page)).toBe(opened);
  expect(complaints).toEqual([]);
});
