import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { launchChromium, WIDTHS, watchedPage } from '@gatehouse/testkit/chromium';
import { type GatewayProcess, startGateway } from '@gatehouse/testkit/gateway-process';
import { makeOsUsers, type OsUsers } from '@gatehouse/testkit/os-users';
import { signedInContext } from '@gatehouse/testkit/signed-in-context';
import { startSshd, type TestSshd } from '@gatehouse/testkit/sshd';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { lookAt } from './look.ts';

let gateway: GatewayProcess;
let sshd: TestSshd;
let users: OsUsers;
let browser: Browser;
let login = '';
let home = '';

beforeAll(async () => {
  users = await makeOsUsers(1);
  login = users.names[0] ?? '';
  home = `/home/${login}`;
  gateway = await startGateway({ GATEHOUSE_SECOND_FACTOR: 'off' });
  sshd = await startSshd();
  browser = await launchChromium();
  sshd.trust((await gateway.command('ca', 'export')).stdout.trim().split('\n'));
  await gateway.command('nodes', 'add', 'web-01', sshd.addr);
});
afterAll(async () => {
  await browser?.close();
  await sshd?.stop();
  await gateway?.stop();
  await users?.remove();
});
// What the test before has left would be in the way.
beforeEach(() => {
  for (const left of readdirSync(home)) if (!left.startsWith('.')) rmSync(join(home, left), { recursive: true });
});

async function openFiles(options: BrowserContextOptions = {}) {
  const context = await browser.newContext({ viewport: WIDTHS.desktop, reducedMotion: 'reduce', ...options });
  onTestFinished(() => context.close());
  await signedInContext(context, gateway, 'carrier', 'editor,access', { logins: [login] });
  const watched = await watchedPage(context, gateway.origin);
  await watched.page.goto(`${gateway.url}/cluster/localhost/files/web-01/${login}`);
  // On a phone a list of cards without any has no height: it is there, and not seen.
  await watched.page.getByRole('grid', { name: `Files in ${home}`, exact: true }).waitFor({ state: 'attached' });
  return { ...watched, context };
}

const row = (page: Page, name: string) => page.getByRole('row').filter({ has: page.locator(`[data-file="${name}"]`) });
const choose = (page: Page, name: string, text: string) =>
  page.locator('[data-choose=files]').setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.from(text) });
const act = async (page: Page, name: string, action: string) => {
  await row(page, name)
    .getByRole('button', { name: `Actions for ${name}` })
    .click();
  await page.getByRole('menuitem', { name: action }).click();
};

test('a file goes up, comes back, gets another name, is edited and deleted', async () => {
  const { page, complaints } = await openFiles();

  await choose(page, 'notes.txt', 'first line\n');
  await row(page, 'notes.txt').waitFor();
  const download = page.waitForEvent('download');
  await act(page, 'notes.txt', 'Download');
  const came = readFileSync(await (await download).path(), 'utf8');
  await act(page, 'notes.txt', 'Rename');
  await page.getByRole('textbox', { name: 'New name of notes.txt' }).fill('renamed.txt');
  await page.keyboard.press('Enter');
  await row(page, 'renamed.txt').waitFor();
  await row(page, 'renamed.txt').click();
  const editor = page.getByRole('textbox', { name: 'Text of renamed.txt' });
  await editor.fill('second line\n');
  await page.keyboard.press('Control+s');
  await page.getByText('Saved', { exact: true }).waitFor();
  const saved = readFileSync(`${home}/renamed.txt`, 'utf8');
  writeFileSync(`${home}/renamed.txt`, 'by somebody else\n');
  await editor.fill('third line\n');
  await page.keyboard.press('Control+s');
  await page.getByText('Somebody else has changed it').waitFor();
  await page.getByRole('button', { name: 'Take theirs' }).click();
  await expect.poll(() => editor.inputValue()).toBe('by somebody else\n');
  await page.keyboard.press('Escape');
  await editor.waitFor({ state: 'detached' });
  await act(page, 'renamed.txt', 'Delete');
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await row(page, 'renamed.txt').waitFor({ state: 'detached' });

  expect([came, saved]).toEqual(['first line\n', 'second line\n']);
  expect(() => statSync(`${home}/renamed.txt`)).toThrow();
  // The save that was refused; browsers tell of every answer that is not fine.
  expect(complaints.filter((complaint) => !complaint.includes('412'))).toEqual([]);
});

test('what is dropped goes up, and so does a folder with all that is in it, which comes back as an archive', async () => {
  const { page, complaints } = await openFiles();
  await page.getByRole('button', { name: 'New folder' }).click();
  await page.getByRole('textbox', { name: 'Name of the new folder' }).fill('inbox');
  await page.keyboard.press('Enter');
  await row(page, 'inbox').click();
  await page.getByRole('grid', { name: `Files in ${home}/inbox` }).waitFor();

  await page.evaluate(() => {
    const data = new DataTransfer();
    data.items.add(new File(['one'], 'one.txt'));
    data.items.add(new File(['two'], 'two.txt'));
    const panel = document.querySelector('[role=grid]');
    panel?.dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
  });
  // Both go up at once: one whose name is not taken yet would not be asked about.
  await row(page, 'one.txt').waitFor();
  await row(page, 'two.txt').waitFor();
  await choose(page, 'one.txt', 'another one');
  await page.getByText('Exists already').waitFor();
  await page.getByRole('button', { name: 'Replace' }).click();
  await page.locator('[data-choose=folder]').setInputFiles(makeFolder());
  await row(page, 'site').waitFor();
  await page.getByText('All uploaded').waitFor();
  await page.goBack();
  await page.getByRole('grid', { name: `Files in ${home}`, exact: true }).waitFor();
  const download = page.waitForEvent('download');
  await act(page, 'inbox', 'Download as archive');

  expect((await download).suggestedFilename()).toBe('inbox.tar.gz');
  expect(readFileSync(`${home}/inbox/one.txt`, 'utf8')).toBe('another one');
  expect(readFileSync(`${home}/inbox/two.txt`, 'utf8')).toBe('two');
  expect(readFileSync(`${home}/inbox/site/pages/index.html`, 'utf8')).toBe('<p>');
  expect(complaints).toEqual([]);
});

/** On the machine of the browser. */
function makeFolder(): string {
  const folder = join(mkdtempSync(join(tmpdir(), 'gatehouse-upload-')), 'site');
  mkdirSync(join(folder, 'pages'), { recursive: true });
  writeFileSync(join(folder, 'pages', 'index.html'), '<p>');
  onTestFinished(() => rmSync(join(folder, '..'), { recursive: true }));
  return folder;
}

test('files lie beside the terminal, and everything can be done without a pointer', async () => {
  const { page, complaints } = await openFiles();
  writeFileSync(`${home}/by-keys.txt`, 'x');
  await page.goto(`${gateway.url}/cluster/localhost/console/node/web-01/${login}`);
  await page.getByRole('status').getByText('Connected').waitFor();
  await page.locator('.xterm-helper-textarea').focus();
  await page.keyboard.press('Alt+Shift+KeyO');
  const beside = page.getByRole('complementary', { name: `Files of ${login}@web-01` });
  await row(page, 'by-keys.txt').waitFor();

  await row(page, 'by-keys.txt').focus();
  await page.keyboard.press('F2');
  await page.keyboard.type('with-keys');
  await page.keyboard.press('Enter');
  await row(page, 'with-keys.txt').waitFor();
  await row(page, 'with-keys.txt').focus();
  await page.keyboard.press('Delete');
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).press('Enter');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await row(page, 'with-keys.txt').waitFor({ state: 'detached' });
  await beside.getByRole('button', { name: 'Close files' }).focus();
  await page.keyboard.press('Alt+Shift+KeyO');
  await beside.waitFor({ state: 'detached' });
  await page.locator('.xterm-helper-textarea:focus').waitFor({ state: 'attached' });

  expect(complaints).toEqual([]);
});

test('on a phone, in both themes, files are cards, and nothing is out of reach', async () => {
  const { page, complaints } = await openFiles({ viewport: WIDTHS.phone });
  const { look, found } = lookAt(page);
  await choose(page, 'a rather long name of a file that does not fit a phone.txt', 'x');
  await row(page, 'a rather long name of a file that does not fit a phone.txt').waitFor();

  await look('files');

  expect(found).toEqual([]);
  expect(complaints).toEqual([]);
});
