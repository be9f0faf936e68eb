/** Desktops in a real browser: added, opened at a real xrdp, worked in, copied from and to, joined, reloaded and taken away. */
import { X509Certificate } from 'node:crypto';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { launchChromium, WIDTHS, watchedPage } from '@gatehouse/testkit/chromium';
import { startXrdp, type TestXrdp, whyNoDrives } from '@gatehouse/testkit/desktop/xrdp';
import { type GatewayProcess, startGateway } from '@gatehouse/testkit/gateway-process';
import { signedInContext } from '@gatehouse/testkit/signed-in-context';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { applyDocuments } from './access.ts';
import { lookAt } from './look.ts';

/** What its window manager paints. */
const BLUE = [0x2e, 0x5b, 0x88];

const noDrives = whyNoDrives();
if (noDrives !== undefined) console.warn(`No folder is shared with a desktop: ${noDrives}.`);

let gateway: GatewayProcess;
let browser: Browser;
let xrdp: TestXrdp;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-typed-'));
  chmodSync(folder, 0o777);
  const typed = `xterm -geometry 60x10+0+40 -e sh -c 'while read line; do echo "$line" >>${folder}/typed; done' &`;
  [gateway, browser, xrdp] = await Promise.all([
    startGateway({ GATEHOUSE_SECOND_FACTOR: 'off' }),
    launchChromium(),
    startXrdp({ begin: [typed] }),
  ]);
  const rules = '[{ resources: [windows_desktop], verbs: [list, read] }]';
  const role = (name: string, more: string) => `kind: role
version: v8
metadata: { name: ${name} }
spec:
  allow: { windows_desktop_labels: { env: dev }, windows_desktop_logins: [${xrdp.user}], rules: ${rules}${more} }
---
`;
  const join_ = ", join_sessions: [{ name: j, roles: ['*'], kinds: [desktop], modes: [observer] }]";
  await applyDocuments(gateway, role('desk', '') + role('desk-watch', join_));
});
afterAll(async () => {
  await browser?.close();
  await Promise.all([gateway?.stop(), xrdp?.stop()]);
  rmSync(folder, { recursive: true, force: true });
});

async function openAs(roles: string, viewport: { width: number; height: number } = WIDTHS.desktop) {
  const context = await browser.newContext({ viewport, reducedMotion: 'reduce' });
  onTestFinished(() => context.close());
  await signedInContext(context, gateway, 'person', roles);
  const watched = await watchedPage(context, gateway.origin);
  const at = (path = '') => watched.page.goto(`${gateway.url}/cluster/localhost/desktops${path}`);
  return { ...watched, context, at };
}

const colourAt = (page: Page, x: number, y: number): Promise<number[]> =>
  page.evaluate(`(() => {
    const canvas = document.querySelector('canvas');
    const context = canvas && canvas.width > 0 && canvas.getContext('2d');
    return context ? [...context.getImageData(canvas.width - ${x}, canvas.height - ${y}, 1, 1).data].slice(0, 3) : [];
  })()`);
const isDrawn = async (page: Page) => {
  const colour = await colourAt(page, 20, 20);
  return colour.length === 3 && colour.every((value, at) => Math.abs(value - (BLUE[at] as number)) <= 12);
};
const drawn = (page: Page) => expect.poll(() => isDrawn(page), { timeout: 30_000 }).toBe(true);
const sizeOf = (page: Page) =>
  page.evaluate("(({ width, height }) => [width, height].join(' '))(document.querySelector('canvas'))");
const typedLines = () => {
  try {
    return readFileSync(join(folder, 'typed'), 'utf8').trim().split('\n');
  } catch {
    return [];
  }
};

test('a desktop is added with its certificate and a password, and is opened by a click', async () => {
  const { page, complaints, context, at } = await openAs('editor,desk');
  const { look, found } = lookAt(page);
  await at();
  await page.getByRole('heading', { name: 'Add your first desktop' }).waitFor();
  await look('empty');
  await page.getByRole('button', { name: 'Add desktop' }).click();
  const dialog = page.getByRole('main');
  await dialog.getByRole('button', { name: /^Windows, by address/ }).click();
  await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('desk');
  await dialog.getByRole('textbox', { name: 'Address' }).fill(xrdp.addr);
  await dialog
    .getByRole('textbox', { name: 'SHA-256 fingerprint' })
    .fill(new X509Certificate(xrdp.certificate).fingerprint256);
  await dialog.getByLabel('Labels').fill('env=dev,');
  await look('add');
  await dialog.getByRole('button', { name: 'Add desktop' }).click();
  await dialog.getByRole('heading', { name: 'Logins on desk' }).waitFor();
  await at('?open=desk');
  const panel = page.getByRole('complementary', { name: 'Desktop desk' });
  await panel.getByRole('textbox', { name: 'Login' }).fill(xrdp.user);
  await panel.getByLabel('Password', { exact: true }).fill(xrdp.password);
  await panel.getByRole('button', { name: 'Store password' }).click();
  await panel.getByRole('button', { name: `Forget the password of ${xrdp.user}` }).waitFor();
  // What is new lights up for a while.
  await page.reload();
  await panel.getByRole('button', { name: `Forget the password of ${xrdp.user}` }).waitFor();
  await look('panel');

  const [desktop] = await Promise.all([
    context.waitForEvent('page'),
    panel.getByRole('link', { name: `Connect to desk as ${xrdp.user}` }).click(),
  ]);
  await drawn(desktop);
  expect(await desktop.title()).toBe(`localhost • ${xrdp.user}@desk`);
  await desktop.keyboard.press('Control+Alt+Home');
  await desktop.getByRole('button', { name: 'Disconnect' }).click();
  await desktop.getByRole('heading', { name: 'Disconnected' }).waitFor();
  expect(found).toEqual([]);
  expect(complaints).toEqual([]);
});

test.each(Object.entries(WIDTHS))(
  'on a screen of %s, the list of open sessions shows what is on the desktop',
  async (_, viewport) => {
    const owner = await openAs('desk');
    await owner.at(`/desk/${xrdp.user}`);
    await drawn(owner.page);
    const { page, complaints } = await openAs('desk-watch', viewport);
    const { look, found } = lookAt(page);
    await page.goto(`${gateway.url}/cluster/localhost/sessions`);
    const picture = page.getByRole('listitem').locator('img');
    await picture.waitFor({ timeout: 30_000 });
    // It is there before it is decoded.
    await expect.poll(() => page.evaluate("document.querySelector('li img')?.naturalWidth")).toBe(640);
    await look('a desktop');
    expect([found, complaints]).toEqual([[], []]);
    await owner.page.keyboard.press('Control+Alt+Home');
    await owner.page.getByRole('button', { name: 'Disconnect' }).click();
    await picture.waitFor({ state: 'detached' });
  },
  120_000,
);

test('what is typed, pressed and copied reaches the desktop, and what is copied there comes back', async () => {
  const { page, complaints, at } = await openAs('desk');
  await at(`/desk/${xrdp.user}`);
  await drawn(page);
  const canvas = page.locator('canvas');
  await canvas.click({ position: { x: 200, y: 120 } });
  // Keys that come before its window manager has given the focus are nobody's.
  const focused = () => xrdp.inSession(['xdotool', 'getwindowfocus', 'getwindowname']).catch(() => '');
  await expect.poll(focused, { timeout: 15_000 }).toBe('sh\n');
  await page.keyboard.press('KeyH');
  await page.keyboard.down('ShiftLeft');
  await page.keyboard.press('KeyI');
  await page.keyboard.up('ShiftLeft');
  await page.keyboard.press('Enter');
  await expect.poll(typedLines, { timeout: 15_000 }).toContain('hI');

  writeFileSync(join(folder, 'copied'), 'from there', { mode: 0o644 });
  await xrdp.inSession(['sh', '-c', `xclip -selection clipboard ${folder}/copied >/dev/null 2>&1`]);
  await page.keyboard.press('Control+Alt+Home');
  await page.getByRole('button', { name: 'Clipboard, folder, sound and people' }).click();
  const panel = page.getByRole('complementary', { name: 'Session' });
  await panel.getByText('from there').waitFor();
  // While the desktop takes other sizes, one after another, neither a text nor the answer to it may get lost.
  await page.setViewportSize({ width: 1300, height: 800 });
  await page.waitForTimeout(700);
  await page.setViewportSize(WIDTHS.desktop);
  await panel.getByRole('textbox', { name: 'Text for the desktop' }).fill('from here');
  await panel.getByRole('button', { name: 'Put it on the desktop’s clipboard' }).click();
  await expect
    .poll(() => xrdp.inSession(['timeout', '2', 'xclip', '-o', '-selection', 'clipboard']).catch(() => ''), {
      timeout: 15_000,
    })
    .toBe('from here');
  const { look, found } = lookAt(page);
  await look('panel open');
  // The bar hides while nobody is at it, and comes to who is.
  const keys = page.getByRole('button', { name: /^Keys(?!,)/ });
  await keys.focus();
  await keys.click();
  await look('keys');
  expect(found).toEqual([]);
  expect(complaints).toEqual([]);
});

test('a window that is made larger makes the desktop larger, and a reload is in the same session', async () => {
  const { page, complaints, at } = await openAs('desk');
  await at(`/desk/${xrdp.user}`);
  await drawn(page);
  await expect.poll(() => sizeOf(page)).toBe('1440 900');
  await page.setViewportSize({ width: 1300, height: 800 });
  await expect.poll(() => sizeOf(page), { timeout: 20_000 }).toBe('1300 800');
  await drawn(page);
  const sid = new URL(page.url()).searchParams.get('sid');
  expect(sid).toMatch(/^[0-9a-f-]{36}$/);
  await page.reload();
  await drawn(page);
  expect(new URL(page.url()).searchParams.get('sid')).toBe(sid);
  expect(complaints).toEqual([]);
});

test.skipIf(noDrives)(
  'a file that is dropped on the page is on a drive of the desktop, and what is put into Download there is downloaded',
  async () => {
    const { page, complaints, at } = await openAs('desk');
    await at(`/desk/${xrdp.user}`);
    await drawn(page);
    const dropped = await page.evaluateHandle(`(() => {
      const data = new DataTransfer();
      data.items.add(new File(['from the page'], 'hello.txt'));
      return data;
    })()`);
    const stage = page.getByRole('main', { name: 'Remote desktop' });
    await stage.dispatchEvent('dragenter', { dataTransfer: dropped });
    await page.getByText('Drop to put it on the drive Gatehouse of the desktop').waitFor();
    await stage.dispatchEvent('drop', { dataTransfer: dropped });
    const panel = page.getByRole('complementary', { name: 'Session' });
    await panel.getByText('Gatehouse is a drive of the desktop').waitFor();
    await panel.getByRole('list', { name: 'Files to the desktop' }).getByText('On the drive').waitFor();
    const drive = '$HOME/thinclient_drives/GATEHOU';
    const inShell = (line: string) => xrdp.inSession(['sh', '-c', line]).catch(String);
    await expect.poll(() => inShell(`cat ${drive}/hello.txt`), { timeout: 15_000 }).toBe('from the page');
    await inShell(`head -c 300000 /dev/zero | tr '\\0' x >${drive}/Download/report.txt`);
    const { look, found } = lookAt(page);
    const save = panel.getByRole('button', { name: 'Download report.txt' });
    await save.waitFor();
    await look('transfer folder');
    const [download] = await Promise.all([page.waitForEvent('download'), save.click()]);
    expect(download.suggestedFilename()).toBe('report.txt');
    expect(readFileSync(await download.path(), 'utf8')).toBe('x'.repeat(300_000));

    // Another page of the same session has it too; a click ends it for both.
    await page.reload();
    await drawn(page);
    const ready = page.getByRole('button', { name: 'One file to download' });
    await ready.focus();
    await ready.click();
    await save.waitFor();
    await panel.getByRole('button', { name: 'Close and delete' }).click();
    await panel.getByRole('button', { name: 'Open the transfer folder' }).waitFor();
    await expect.poll(() => inShell(`cat ${drive}/hello.txt`), { timeout: 15_000 }).not.toBe('from the page');
    expect(found).toEqual([]);
    expect(complaints).toEqual([]);
  },
  120_000,
);

test.skipIf(noDrives)(
  'a folder of this machine is a drive of the desktop, until one click ends it',
  async () => {
    const { page, complaints, at } = await openAs('desk');
    // A folder of the browser's own stands for one that somebody picks: no test can use that dialog.
    await page.addInitScript(`window.showDirectoryPicker = async () => {
    const docs = await (await navigator.storage.getDirectory()).getDirectoryHandle('Docs', { create: true });
    const file = await (await docs.getFileHandle('hello.txt', { create: true })).createWritable();
    await file.write('from the page');
    await file.close();
    return docs;
  }`);
    await at(`/desk/${xrdp.user}`);
    await drawn(page);
    await page.keyboard.press('Control+Alt+Home');
    await page.getByRole('button', { name: 'Clipboard, folder, sound and people' }).click();
    const panel = page.getByRole('complementary', { name: 'Session' });
    await panel.getByRole('button', { name: 'Share a folder' }).click();
    await panel.getByText('Docs is a drive of the desktop').waitFor();
    const drive = '$HOME/thinclient_drives/DOCS';
    const inShell = (line: string) => xrdp.inSession(['sh', '-c', line]).catch(String);
    await expect.poll(() => inShell(`cat ${drive}/hello.txt`), { timeout: 15_000 }).toBe('from the page');
    await inShell(`head -c 200000 /dev/zero | tr '\\0' x >${drive}/written.txt`);
    const written = () =>
      page.evaluate(`(async () => {
      const docs = await (await navigator.storage.getDirectory()).getDirectoryHandle('Docs');
      return (await (await docs.getFileHandle('written.txt')).getFile()).size;
    })()`);
    await expect.poll(written, { timeout: 15_000 }).toBe(200_000);
    const { look, found } = lookAt(page);
    await look('folder shared');
    // The bar hides while nobody is at it; what is left of it still shows that a folder is shared.
    const stop = page.getByRole('button', { name: 'Stop sharing Docs' });
    await stop.focus();
    await stop.click();
    await panel.getByRole('button', { name: 'Share a folder' }).waitFor();
    await expect.poll(() => inShell(`cat ${drive}/hello.txt`), { timeout: 15_000 }).not.toBe('from the page');
    expect(found).toEqual([]);
    expect(complaints).toEqual([]);
  },
  120_000,
);

test('others watch it on a phone, and nobody is there any longer when the session was ended', async () => {
  const owner = await openAs('desk');
  await owner.at(`/desk/${xrdp.user}`);
  await drawn(owner.page);
  const watcher = await openAs('desk-watch', WIDTHS.phone);
  const { look, found } = lookAt(watcher.page);
  await watcher.at(`/desk/${xrdp.user}`);
  await watcher.page.getByRole('heading', { name: 'Somebody is on desk' }).waitFor();
  await look('somebody');
  await watcher.page.getByRole('button', { name: 'Watch' }).click();
  await drawn(watcher.page);
  // It sees a part of it, and in the corner where that lies.
  const map = watcher.page.locator('[data-map]');
  await map.waitFor();
  const seen = () => watcher.page.evaluate("document.querySelector('[data-map] i').style.left");
  await expect.poll(seen).toBe('0%');
  await watcher.page.evaluate("document.querySelector('main').scrollTo(10000, 0)");
  await expect.poll(seen).not.toBe('0%');
  await look('watching');
  await watcher.page.goto(`${gateway.url}/cluster/localhost/sessions`);
  await watcher.page.getByRole('link', { name: 'Watch' }).click();
  // A link of the console leads there, and the page is loaded whole so that it may draw.
  await drawn(watcher.page);
  // Not by the tab: the mouse above it brings the bar before the click does.
  await owner.page.keyboard.press('Control+Alt+Home');
  await owner.page.getByRole('button', { name: 'Disconnect' }).click();
  await owner.page.getByRole('heading', { name: 'Disconnected' }).waitFor();
  await watcher.page.getByRole('heading', { name: 'Disconnected' }).waitFor();
  await look('ended');
  expect(found).toEqual([]);
  expect([...owner.complaints, ...watcher.complaints]).toEqual([]);
});
