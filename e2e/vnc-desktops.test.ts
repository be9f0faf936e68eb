/** A desktop by VNC in a real browser: added, opened at a real TigerVNC, worked in, copied from and to, reloaded, and its recording played. */
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { launchChromium, WIDTHS, watchedPage } from '@gatehouse/testkit/chromium';
import { startXvnc, type TestXvnc } from '@gatehouse/testkit/desktop/xvnc';
import { type GatewayProcess, startGateway } from '@gatehouse/testkit/gateway-process';
import { signedInContext } from '@gatehouse/testkit/signed-in-context';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { applyDocuments } from './access.ts';

const BLUE = [0x2e, 0x5b, 0x88];

let gateway: GatewayProcess;
let browser: Browser;
let xvnc: TestXvnc;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-vnc-typed-'));
  [gateway, browser, xvnc] = await Promise.all([
    startGateway({ GATEHOUSE_SECOND_FACTOR: 'off' }),
    launchChromium(),
    startXvnc(),
  ]);
  const rules = '[{ resources: [windows_desktop], verbs: [list, read] }]';
  await applyDocuments(
    gateway,
    `kind: role
version: v8
metadata: { name: desk }
spec:
  allow: { windows_desktop_labels: { env: dev }, windows_desktop_logins: [vnc], rules: ${rules} }
`,
  );
});
afterAll(async () => {
  await browser?.close();
  await Promise.all([gateway?.stop(), xvnc?.stop()]);
  rmSync(folder, { recursive: true, force: true });
});

async function openAs(roles: string) {
  const context = await browser.newContext({ viewport: WIDTHS.desktop, reducedMotion: 'reduce' });
  onTestFinished(() => context.close());
  await signedInContext(context, gateway, 'person', roles);
  const watched = await watchedPage(context, gateway.origin);
  const at = (path = '') => watched.page.goto(`${gateway.url}/cluster/localhost/desktops${path}`);
  return { ...watched, context, at };
}

const colour = (page: Page): Promise<number[]> =>
  page.evaluate(`(() => {
    const canvas = document.querySelector('canvas');
    const context = canvas && canvas.width > 0 && canvas.getContext('2d');
    return context ? [...context.getImageData(canvas.width - 20, canvas.height - 20, 1, 1).data].slice(0, 3) : [];
  })()`);
const drawn = (page: Page) => expect.poll(() => colour(page), { timeout: 30_000 }).toEqual(BLUE);
const sizeOf = (page: Page) =>
  page.evaluate("(({ width, height }) => [width, height].join(' '))(document.querySelector('canvas'))");
const leave = async (page: Page) => {
  await page.keyboard.press('Control+Alt+Home');
  await page.getByRole('button', { name: 'Disconnect' }).click();
  await page.getByRole('heading', { name: 'Disconnected' }).waitFor();
};
const there = () => ({ env: { ...process.env, DISPLAY: xvnc.display }, encoding: 'utf8' as const });
const typedLines = () => {
  try {
    return readFileSync(join(folder, 'typed'), 'utf8').trim().split('\n');
  } catch {
    return [];
  }
};

test('it is added, opened with a password that was typed, worked in and copied from and to', async () => {
  const { page, complaints, at } = await openAs('editor,desk');
  await at();
  await page.getByRole('button', { name: 'Add desktop' }).click();
  const dialog = page.getByRole('main');
  await dialog.getByRole('button', { name: /^VNC/ }).click();
  await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('screen');
  await dialog.getByRole('textbox', { name: 'Address' }).fill(xvnc.addr);
  await dialog.getByLabel('Labels').fill('env=dev,');
  await dialog.getByRole('button', { name: 'Add desktop' }).click();
  await page.getByRole('heading', { name: 'Logins on screen' }).waitFor();

  await at('/screen/vnc');
  await page.getByLabel('Password', { exact: true }).fill(xvnc.password);
  await page.getByRole('button', { name: 'Connect' }).click();
  await drawn(page);
  // It takes the size of the window.
  await expect.poll(() => sizeOf(page)).toBe('1440 900');
  const script = `while read line; do echo "$line" >>${folder}/typed; done`;
  const terminal = spawn('xterm', ['-geometry', '60x10+0+40', '-e', 'sh', '-c', script], {
    ...there(),
    stdio: 'ignore',
  });
  onTestFinished(() => void terminal.kill());
  await page.locator('canvas').click({ position: { x: 200, y: 120 } });
  const under = () => {
    try {
      return execFileSync('xdotool', ['getmouselocation', '--shell'], there());
    } catch {
      return '';
    }
  };
  await expect.poll(under, { timeout: 15_000 }).toMatch(/X=200\nY=120/);
  await expect
    .poll(
      async () => {
        await page.keyboard.press('KeyH');
        await page.keyboard.press('Shift+KeyI');
        await page.keyboard.press('Enter');
        return typedLines();
      },
      { timeout: 15_000, interval: 500 },
    )
    .toContain('hI');

  execFileSync('sh', ['-c', 'printf "from there: 日本" | xclip -i -selection clipboard >/dev/null 2>&1'], there());
  await page.keyboard.press('Control+Alt+Home');
  await page.getByRole('button', { name: 'Clipboard, folder, sound and people' }).click();
  const panel = page.getByRole('complementary', { name: 'Session' });
  await panel.getByText('from there: 日本').waitFor();
  await panel.getByRole('textbox', { name: 'Text for the desktop' }).fill('from here: Grüße 🙂');
  await panel.getByRole('button', { name: 'Put it on the desktop’s clipboard' }).click();
  const copied = () => {
    try {
      return execFileSync('timeout', ['2', 'xclip', '-o', '-selection', 'clipboard'], there());
    } catch {
      return '';
    }
  };
  await expect.poll(copied, { timeout: 15_000 }).toBe('from here: Grüße 🙂');
  await page.reload();
  await drawn(page);
  await leave(page);
  expect(complaints).toEqual([]);
});

test('its recording plays to the picture that was seen', async () => {
  const { page, complaints, at } = await openAs('auditor,desk');
  await at('/screen/vnc');
  await page.getByLabel('Password', { exact: true }).fill(xvnc.password);
  await page.getByRole('button', { name: 'Connect' }).click();
  await drawn(page);
  const sid = new URL(page.url()).searchParams.get('sid');
  await leave(page);
  await page.goto(`${gateway.url}/cluster/localhost/session/${sid}?recordingType=desktop&durationMs=1000`);
  await drawn(page);
  expect(complaints).toEqual([]);
});
