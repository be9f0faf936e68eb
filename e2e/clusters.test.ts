import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { drawWithElements, launchChromium, type WatchedPage, WIDTHS, watchedPage } from '@gatehouse/testkit/chromium';
import { type GatewayProcess, startGateway } from '@gatehouse/testkit/gateway-process';
import { signedInContext } from '@gatehouse/testkit/signed-in-context';
import { startSshd, type TestSshd } from '@gatehouse/testkit/sshd';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { applyDocuments } from './access.ts';
import { lookAt } from './look.ts';
import { makeReady, run, shows } from './shell-world.ts';

/** What visitors are in the leaf: a role of its own, with its own name on servers. */
const VISITOR = `
kind: role
version: v6
metadata: { name: visitor }
spec:
  allow:
    logins: [root]
    node_labels: { '*': '*' }
    rules: [{ resources: [session, ssh_session, node], verbs: [list, read] }]
`;
/** One that the leaf knows nothing of. */
const STRANGER = `
kind: role
version: v6
metadata: { name: stranger }
spec:
  allow: { logins: [root], node_labels: { '*': '*' } }
`;

let root: GatewayProcess;
let leaf: GatewayProcess;
let sshd: TestSshd;
let browser: Browser;
let folder = '';

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-clusters-'));
  const settings = { GATEHOUSE_SECOND_FACTOR: 'off' };
  root = await startGateway({ ...settings, GATEHOUSE_CLUSTER_NAME: 'hq' });
  leaf = await startGateway({ ...settings, GATEHOUSE_CLUSTER_NAME: 'east' });
  sshd = await startSshd();
  browser = await launchChromium();
  sshd.trust((await leaf.command('ca', 'export')).stdout.trim().split('\n'));
  await leaf.command('nodes', 'add', 'web-01', sshd.addr);
  await applyDocuments(leaf, VISITOR);
  await applyDocuments(root, STRANGER);
});
afterAll(async () => {
  await browser?.close();
  await sshd?.stop();
  await leaf?.stop();
  await root?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Somebody signed in at one of them, in a browser of their own: both are called localhost, and would share their cookies. */
async function personAt(gateway: GatewayProcess, name: string, roles: string): Promise<WatchedPage> {
  const context = await browser.newContext({ viewport: WIDTHS.desktop, reducedMotion: 'reduce' });
  onTestFinished(() => context.close());
  await drawWithElements(context);
  await signedInContext(context, gateway, name, roles, { logins: ['root'] });
  return watchedPage(context, gateway.origin);
}

async function switchTo(page: Page, cluster: string): Promise<void> {
  // Home leads on, and a screen that comes takes the focus: a menu that is open by then closes.
  await page.waitForURL((url) => !/^\/web\/?$/.test(url.pathname));
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  await page.getByRole('button', { name: /Switch cluster/ }).click();
  await page.getByRole('menuitemradio', { name: new RegExp(cluster) }).click();
}

test('a leaf joins by the screens of both, and the map says what the root’s people are there', async () => {
  const atRoot = await personAt(root, 'ines', 'editor');
  const atLeaf = await personAt(leaf, 'omar', 'editor');
  const { look, found } = lookAt(atLeaf.page);
  const atTheRoot = lookAt(atRoot.page);

  await atRoot.page.goto(`${root.url}/clusters`);
  await atRoot.page.getByRole('button', { name: 'Let a cluster join' }).click();
  await atRoot.page.getByRole('button', { name: 'Make a token' }).click();
  const command = await atRoot.page.getByRole('region', { name: 'Command to join' }).textContent();

  await atLeaf.page.goto(`${leaf.url}/trust`);
  await atLeaf.page.getByRole('button', { name: 'Join a root' }).click();
  await atLeaf.page.getByRole('textbox', { name: /Command of the root/ }).fill(command ?? '');
  await atLeaf.page.getByRole('textbox', { name: 'Name' }).fill('hq');
  await atLeaf.page.getByRole('button', { name: 'Add entry' }).click();
  await atLeaf.page.getByRole('textbox', { name: 'Role of the root in entry 1' }).fill('acc*');
  await atLeaf.page.getByRole('textbox', { name: 'Roles here in entry 1' }).fill('visitor,');
  await atLeaf.page.getByRole('textbox', { name: /to try/ }).fill('access');
  await atLeaf.page.getByText('by acc*').waitFor();
  await look('joining');
  await atLeaf.page.getByRole('button', { name: 'Join a root' }).click();
  await atLeaf.page.getByRole('heading', { name: 'hq' }).waitFor();
  await look('joined');

  await atRoot.page.getByText('Joined and connected: east').waitFor();
  for (const viewport of Object.values(WIDTHS)) {
    await atRoot.page.setViewportSize(viewport);
    await atLeaf.page.setViewportSize(viewport);
    await atLeaf.page.getByRole('switch', { name: 'Let people of hq in' }).waitFor();
    await look(`a map, ${viewport.width} wide`);
    for (const path of ['clusters', 'clusters?open=east', 'trust?tab=leaves']) {
      await atRoot.page.goto(`${root.url}/${path}`);
      await atRoot.page.getByText('east').first().waitFor();
      await atTheRoot.look(`${path}, ${viewport.width} wide`);
    }
  }
  expect([...found, ...atTheRoot.found]).toEqual([]);
  // Who lets clusters join has no role there: the leaf says so, and browsers tell of every answer that is not fine.
  const complaints = atRoot.complaints.filter((complaint) => !/403 .*\/sites\/east\/context/.test(complaint));
  expect([...complaints, ...atLeaf.complaints]).toEqual([]);
});

test('somebody switches to the leaf, and finds its servers, terminals, files and recordings there', async () => {
  const { page, complaints } = await personAt(root, 'ann', 'access');
  await page.goto(`${root.url}`);
  await switchTo(page, 'east');
  await page.waitForURL(/\/web\/cluster\/east\/nodes/);
  await page.getByText('web-01').first().waitFor();
  expect(await page.title()).toBe('east • Servers');

  await page.goto(`${root.url}/cluster/east/console/node/web-01/root`);
  await page.waitForURL(/\/console\/session\/[0-9a-f-]{36}$/);
  const sid = page.url().split('/').at(-1) ?? '';
  await makeReady(page);
  await run(page, 'echo far-$((40+2))');
  await shows(page, /far-42/);
  await page.reload();
  await shows(page, /far-42/);
  await run(page, 'exit');
  await page.getByText(/ended/i).first().waitFor();

  await page.goto(`${root.url}/cluster/east/session/${sid}?recordingType=ssh`);
  await page.getByRole('button', { name: /^(Pause|Play again)$/ }).waitFor();
  await page.getByText('Recording intact').first().waitFor();

  writeFileSync(join(folder, 'notes.txt'), 'written there\n');
  await page.goto(`${root.url}/cluster/east/files/web-01/root?path=${encodeURIComponent(folder)}`);
  const file = page.getByRole('row').filter({ has: page.locator('[data-file="notes.txt"]') });
  await file.waitFor();
  await file.click();
  const editor = page.getByRole('textbox', { name: 'Text of notes.txt' });
  await expect.poll(() => editor.inputValue()).toBe('written there\n');
  await editor.fill('changed from hq\n');
  await page.keyboard.press('Control+s');
  await page.getByText('Saved', { exact: true }).waitFor();
  expect(readFileSync(join(folder, 'notes.txt'), 'utf8')).toBe('changed from hq\n');
  await page.keyboard.press('Escape');
  await editor.waitFor({ state: 'detached' });
  const download = page.waitForEvent('download');
  await file.getByRole('button', { name: 'Actions for notes.txt' }).click();
  await page.getByRole('menuitem', { name: 'Download' }).click();
  expect(readFileSync(await (await download).path(), 'utf8')).toBe('changed from hq\n');
  expect(complaints).toEqual([]);
});

test('whose roles are not mapped is told so in the place of the page, and sees nothing of the leaf', async () => {
  const { page } = await personAt(root, 'bo', 'stranger');
  await page.goto(`${root.url}/cluster/east/nodes`);

  await page.getByRole('heading', { name: 'You cannot look at east now' }).waitFor();
  await page.getByText(/none of your roles is mapped in 'east'/i).waitFor();
  expect(await page.getByText('web-01').count()).toBe(0);
  await page.getByRole('button', { name: 'Go to hq' }).click();
  await page.waitForURL(/\/web\/cluster\/hq\//);
});

test('a map that is changed tells who loses by it before it is saved, and they are out at once', async () => {
  const visitor = await personAt(root, 'cem', 'access');
  const atLeaf = await personAt(leaf, 'olga', 'editor');
  await visitor.page.goto(`${root.url}/cluster/east/nodes`);
  await visitor.page.getByText('web-01').first().waitFor();

  await atLeaf.page.goto(`${leaf.url}/trust?open=hq`);
  await atLeaf.page.getByRole('textbox', { name: 'Role of the root in entry 1' }).fill('*');
  await atLeaf.page.getByRole('textbox', { name: 'Roles here in entry 1' }).fill('editor,');
  await atLeaf.page
    .getByText(/everybody there could take this cluster over/)
    .first()
    .waitFor();
  await atLeaf.page.getByRole('button', { name: 'Discard' }).click();
  await atLeaf.page.getByRole('button', { name: 'Remove entry 1' }).click();
  const effects = atLeaf.page.getByRole('complementary', { name: 'What changes when you save' });
  await effects.getByText('hq/cem').waitFor();
  await atLeaf.page.getByRole('button', { name: 'Save map' }).click();
  await atLeaf.page.getByText('The trust in hq is saved.').waitFor();

  await visitor.page.reload();
  await visitor.page.getByRole('heading', { name: 'You cannot look at east now' }).waitFor();
  expect(atLeaf.complaints).toEqual([]);
});
