/** What is typed at a desktop with another keyboard than the machine's, with dead keys and with an input method: by a real Chromium, at a real xrdp. */
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
/** Of the picture: its colours together. */
const LAST_POINT = `(() => {
  const canvas = document.querySelector('canvas');
  const context = canvas && canvas.width > 0 && canvas.getContext('2d');
  if (!context) return 0;
  const [red, green, blue] = context.getImageData(canvas.width - 20, canvas.height - 20, 1, 1).data;
  return red + green + blue;
})()`;

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
});
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
async function openWith(mode: 'keys' | 'characters') {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce' });
  onTestFinished(() => context.close());
  await signedInContext(context, gateway, 'person', 'desk');
  const { page, complaints } = await watchedPage(context, gateway.origin);
  const chosen = JSON.stringify({ desk: { layout: GERMAN, mode } });
  await page.addInitScript(`localStorage.setItem('gatehouse_desktop_keyboards', ${JSON.stringify(chosen)})`);
  await page.goto(`${gateway.url}/cluster/localhost/desktops/desk/${xrdp.user}`);
  // The session of the one before is there still, with its focus: what comes before the first picture is nobody's.
  await expect.poll(() => page.evaluate(LAST_POINT), { timeout: 30_000 }).toBeGreaterThan(0);
  const focused = async () => {
    // The terminal may not be there yet.
    await page.locator('canvas').click({ position: { x: 200, y: 120 } });
    return await xrdp.inSession(['xdotool', 'getwindowfocus', 'getwindowname']).catch(() => '');
  };
  await expect.poll(focused, { timeout: 15_000 }).toBe('sh\n');
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
  const { page, browserSide, end } = await openWith('keys');
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
});

test('what an input method composes is typed when it is done, and once, whatever the keys are sent as', async () => {
  for (const mode of ['keys', 'characters'] as const) {
    const { page, browserSide, end } = await openWith(mode);
    const compose = (text: string) =>
      browserSide.send('Input.imeSetComposition', { text, selectionStart: text.length, selectionEnd: text.length });
    // Shown to whoever composes, and not typed: it may become something else.
    for (const text of ['s', 'st', 'stra', 'strasse']) await compose(text);
    await browserSide.send('Input.insertText', { text: 'straße' });
    // Taken back, nothing of it is typed.
    await compose('nichts');
    await compose('');
    // In one piece, as what is dictated or chosen from a list.
    await browserSide.send('Input.insertText', { text: ` äöü ${mode}` });
    await page.keyboard.press('Enter');
    await expect.poll(typedLines, { timeout: 15_000 }).toContain(`straße äöü ${mode}`);
    await end();
  }
});
