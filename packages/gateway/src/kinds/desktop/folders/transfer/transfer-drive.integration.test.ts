/** The transfer folder as a drive of a real desktop: xrdp mounts it for the programs of its session, and the page uploads and downloads. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { roleRoutes } from '@gatehouse/contract/access/roles/roles';
import { call } from '@gatehouse/contract/wire/client';
import { whyNoDrives } from '@gatehouse/testkit/desktop/xrdp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeRole } from '../../../../../testing/apps/app-world.ts';
import type { DesktopPage } from '../../../../../testing/desktop/desktop-page.ts';
import { type DesktopWorld, startDesktopWorld } from '../../../../../testing/desktop/desktop-world.ts';
import type { TestBrowser } from '../../../../../testing/test-browser.ts';

/** Where they cannot be mounted, transfer-drive.test.ts still reads and writes it as a drive does. */
const noDrives = whyNoDrives();
if (noDrives !== undefined) console.warn(`No transfer folder is tried with a real desktop: ${noDrives}.`);
const PATIENCE = { timeout: 30_000, interval: 250 };
const DRIVE = '$HOME/thinclient_drives/GATEHOU';
let world: DesktopWorld;
beforeAll(async () => {
  world = await startDesktopWorld();
});
afterAll(() => world?.close());

const inShell = (line: string) => world.xrdp.inSession(['sh', '-c', line]);
const codesOf = async (sid: string) =>
  (await world.gateway.events()).filter(({ data }) => data.sid === sid).map(({ code }) => code);

let asked = 0;
async function urlFor(
  page: DesktopPage,
  what: { type: 'upload'; name: string; size: number } | { type: 'download'; path: string },
) {
  asked += 1;
  const id = asked;
  page.tell({ ...what, id });
  return await page.until('ticket', (ticket) => ticket.id === id);
}

const sendTo = (who: TestBrowser, url: string | undefined, body: string) =>
  who.sendWith({ 'content-type': 'application/octet-stream' })({ method: 'POST', url: url ?? '', body });

async function upload(who: TestBrowser, page: DesktopPage, name: string, body: string) {
  const { url, why } = await urlFor(page, { type: 'upload', name, size: body.length });
  if (url === undefined) throw new Error(why);
  return await sendTo(who, url, body);
}

async function beginTransfer(page: DesktopPage) {
  const state = await page.until('state');
  page.tell({ type: 'transfer', isOn: true });
  await page.until('transfer', ({ is }) => is === 'on');
  await expect.poll(() => inShell(`ls ${DRIVE} 2>/dev/null || true`), PATIENCE).toContain('Download');
  return state;
}

test.skipIf(noDrives)(
  'what a page uploads the desktop has, what the desktop puts into Download the page has, and nothing of it is left',
  async () => {
    await world.gateway.addUser('ann', { roles: ['dev'] });
    const ann = await world.gateway.signedIn('ann');
    const { page } = await world.open(ann);
    const { sid } = await beginTransfer(page);
    const large = 'from the page '.repeat(50_000);
    expect(JSON.parse((await upload(ann, page, 'large.bin', large)).text)).toEqual({
      path: 'large.bin',
      size: 700_000,
    });
    expect(JSON.parse((await upload(ann, page, 'photos/a:b.txt', 'inside')).text).path).toBe('photos/a_b.txt');
    await expect.poll(() => inShell(`ls ${DRIVE} 2>/dev/null || true`), PATIENCE).toContain('large.bin');
    expect(await inShell(`cat ${DRIVE}/photos/a_b.txt`)).toBe('inside');
    expect(await inShell(`head -c 13 ${DRIVE}/large.bin; cksum < ${DRIVE}/large.bin`)).toMatch(
      /^from the page\d+ 700000/,
    );

    await inShell(`cp ${DRIVE}/large.bin ${DRIVE}/Download/back.bin; truncate -s 600001 ${DRIVE}/Download/back.bin`);
    await inShell(`mkdir ${DRIVE}/Download/sub; printf 'and more' > ${DRIVE}/Download/sub/more.txt`);
    // What rests before all of it is written is offered as it is then.
    const offered = await page.until('transfer', ({ files }) =>
      ['back.bin 600001', 'sub/more.txt 8'].every((wanted) =>
        files.some(({ path, size }) => `${path} ${size}` === wanted),
      ),
    );
    expect(offered.files).toEqual([
      expect.objectContaining({ path: 'back.bin', size: 600_001 }),
      expect.objectContaining({ path: 'sub/more.txt', size: 8 }),
    ]);
    const { url } = await urlFor(page, { type: 'download', path: 'back.bin' });
    const given = await ann.visit(url ?? '');
    expect(given.text === large.slice(0, 600_001)).toBe(true);
    expect((await ann.visit(url ?? '')).status).toBe(403);
    // On the disk it has no name, and there is nothing to be found of it.
    expect(readdirSync(join(world.dataDir, 'desktop-transfers'))).toEqual([]);

    page.tell({ type: 'transfer', isOn: false });
    await page.until('transfer', ({ is }) => is === 'off');
    await expect.poll(() => inShell(`ls ${DRIVE} 2>&1 || true`), PATIENCE).not.toContain('large.bin');
    page.tell({ type: 'end' });
    await page.closing;
    await expect.poll(() => codesOf(sid)).toEqual(expect.arrayContaining(['TDP04I', 'TDP05I', 'TDP06I', 'TDP01I']));
    const told = (await world.gateway.events()).filter(({ data }) => data.sid === sid);
    expect(told.find(({ code, data }) => code === 'TDP05I' && data.file_path === 'photos/a_b.txt')?.data).toMatchObject(
      {
        ...{ user: 'ann', directory_name: 'Gatehouse', directory_id: 3, length: 6, success: true },
      },
    );
    expect(JSON.stringify(told)).not.toContain('from the page');
  },
  120_000,
);

test.skipIf(noDrives)(
  'a ticket is for who was given it, and a right that is taken away takes the drive with it, and nothing but it',
  async () => {
    const allow = `windows_desktop_labels: {env: dev}, windows_desktop_logins: [${world.xrdp.user}]`;
    const spec = (isAllowed: boolean) => `{options: {desktop_directory_sharing: ${isAllowed}}, allow: {${allow}}}`;
    await makeRole(world.admin, 'moving', spec(true));
    await world.gateway.addUser('gil', { roles: ['moving'] });
    const gil = await world.gateway.signedIn('gil');
    const { page } = await world.open(gil);
    const { sid } = await beginTransfer(page);
    const stolen = await urlFor(page, { type: 'upload', name: 'x', size: 1 });
    expect((await sendTo(world.admin, stolen.url, 'x')).status).toBe(403);
    await inShell(`printf secret > ${DRIVE}/Download/kept.txt`);
    await page.until('transfer', ({ files }) => files.length === 1);
    const { url } = await urlFor(page, { type: 'download', path: 'kept.txt' });
    expect((await world.admin.visit(url ?? '')).status).toBe(403);

    const content = `kind: role\nversion: v6\nmetadata: {name: moving}\nspec: ${spec(false)}\n`;
    await call(world.admin.send, roleRoutes.update, { params: { name: 'moving' }, body: { content } });
    expect(await page.until('transfer', ({ is }) => is === 'off')).toMatchObject({
      ...{ why: expect.stringContaining('a role of yours'), files: [] },
    });
    expect((await gil.visit(url ?? '')).status).toBe(409);
    await expect(upload(gil, page, 'y', 'y')).rejects.toThrow('a role of yours');
    await expect.poll(() => inShell(`cat ${DRIVE}/Download/kept.txt 2>&1 || true`), PATIENCE).not.toContain('secret');
    page.tell({ type: 'transfer', isOn: true });
    await page.until('transfer', ({ is }) => is === 'refused');
    page.tell({ type: 'ping', id: 7 });
    await page.until('pong');
    page.tell({ type: 'end' });
    await page.closing;
    await expect.poll(() => codesOf(sid)).toEqual(expect.arrayContaining(['TDP04I', 'TDP06I', 'TDP04W']));
  },
  120_000,
);
