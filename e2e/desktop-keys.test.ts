/** What is typed at a desktop with another keyboard than that of the machine, with AltGr and with dead keys: by a real Chromium, at a real xrdp. */
import { X509Certificate } from 'node:crypto';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { launchChromium, watchedPage } from '@gatehouse/testkit/chromium';
import { startXrdp, type TestXrdp } from '@gatehouse/testkit/desktop/xrdp';
import { type GatewayProcess, startGateway } from '@gatehouse/testkit/gateway-process';
import { signedInContext } from '@gatehouse/testkit/signed-in-context';
import type { Browser, CDPSession } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { applyDocuments } from './access.ts';

const GERMAN = 0x0407;

let gateway: GatewayProcess;
let browser: Browser;
let xrdp: TestXrdp;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-keys-'));
  chmodSync(folder, 0o777);
  const read = `while read line; do echo "$line" >>${folder}/typed; done`;
  const typed = `LC_ALL=C.UTF-8 xterm -u8 -geometry 60x10+0+40 -e sh -c '${read}' &`;
  [gateway, browser, xrdp] = await Promise.all([
    startGateway({ GATEHOUSE_SECOND_FACTOR: 'off' }),
    launchChromium(),
    startXrdp({ begin: [typed] }),
  ]);
  await applyDocuments(
    gateway,
    `kind: role
version: v8
metadata: { name: desk }
spec:
  allow: { windows_desktop_labels: { env: dev }, windows_desktop_logins: [${xrdp.user}] }
`,
  );
  const file = join(folder, 'password');
  writeFileSync(file, xrdp.password, { mode: 0o600 });
  const fingerprint = new X509Certificate(xrdp.certificate).fingerprint256;
  for (const words of [
    ['add', 'desk', xrdp.addr, '--labels', 'env=dev', '--fingerprint', fingerprint],
    ['password', 'desk', xrdp.user, '--password-file', file],
  ])
    expect(await gateway.command('desktops', ...words)).toMatchObject({ code: 0 });
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await Promise.all([gateway?.stop(), xrdp?.stop()]);
  rmSync(folder, { recursive: true, force: true });
});

const typedLines = () => {
  try {
    return readFileSync(join(folder, 'typed'), 'utf8').trim().split('\n');
  } catch {
    return [];
  }
};

/** A person with a German keyboard, whose terminal there has the focus. */
async function openWithGerman() {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce' });
  onTestFinished(() => context.close());
  await signedInContext(context, gateway, 'person', 'desk');
  const { page, complaints } = await watchedPage(context, gateway.origin);
  const chosen = JSON.stringify({ desk: { layout: GERMAN, mode: 'keys' } });
  await page.addInitScript(`localStorage.setItem('gatehouse_desktop_keyboards', ${JSON.stringify(chosen)})`);
  await page.goto(`${gateway.url}/cluster/localhost/desktops/desk/${xrdp.user}`);
  const focused = () => xrdp.inSession(['xdotool', 'getwindowfocus', 'getwindowname']).catch(() => '');
  await expect
    .poll(
      async () => {
        await page
          .locator('canvas')
          .click({ position: { x: 200, y: 120 } })
          .catch(() => {});
        return await focused();
      },
      { timeout: 30_000 },
    )
    .toBe('sh\n');
  const browserSide = await context.newCDPSession(page);
  const end = async () => {
    await page.keyboard.press('Control+Alt+Home');
    await page.getByRole('button', { name: 'Disconnect' }).click();
    await page.getByRole('heading', { name: 'Disconnected' }).waitFor();
    expect(complaints).toEqual([]);
  };
  return { page, browserSide, end };
}

/** As a keyboard of its layout tells of it: where it lies, and what it writes. */
async function stroke(session: CDPSession, code: string, key: string, modifiers = 0): Promise<void> {
  for (const type of ['rawKeyDown', 'keyUp'] as const)
    await session.send('Input.dispatchKeyEvent', { type, code, key, modifiers });
}

test('keys go by where they lie: what AltGr and dead keys write is for the layout that was chosen', async () => {
  const { page, browserSide, end } = await openWithGerman();
  // What lies on Y there is Z; AltGr is Ctrl and Alt to browsers.
  await stroke(browserSide, 'KeyY', 'z');
  await browserSide.send('Input.dispatchKeyEvent', { type: 'rawKeyDown', code: 'AltRight', key: 'AltGraph' });
  await stroke(browserSide, 'KeyQ', '@', 3);
  await stroke(browserSide, 'KeyE', '€', 3);
  await browserSide.send('Input.dispatchKeyEvent', { type: 'keyUp', code: 'AltRight', key: 'AltGraph' });
  await stroke(browserSide, 'Equal', 'Dead');
  await stroke(browserSide, 'KeyE', 'é');
  await page.keyboard.press('Enter');
  await expect.poll(typedLines, { timeout: 15_000 }).toContain('z@€é');
  await end();
}, 120_000);
