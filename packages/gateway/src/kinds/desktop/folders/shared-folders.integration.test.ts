/** A folder of a page as a drive of a real desktop: xrdp mounts it for the programs of its session. */
import { roleRoutes } from '@gatehouse/contract/access/roles/roles';
import {
  DIRECTORY_ERROR,
  type DirectoryAnswer,
  type DirectoryRequest,
  directoryAnnounce,
  directoryAnswer,
  NO_FILE,
  readFromGateway,
  SHARED_DIRECTORY,
  type SharedFile,
} from '@gatehouse/contract/sessions/directory-messages';
import { call } from '@gatehouse/contract/wire/client';
import { whyNoDrives } from '@gatehouse/testkit/desktop/xrdp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeRole } from '../../../../testing/apps/app-world.ts';
import type { DesktopPage } from '../../../../testing/desktop/desktop-page.ts';
import { type DesktopWorld, startDesktopWorld } from '../../../../testing/desktop/desktop-world.ts';
import type { TestBrowser } from '../../../../testing/test-browser.ts';

/** Where they cannot be mounted, said-by-hosts.integration.test.ts still reads and writes them as a host does. */
const noDrives = whyNoDrives();
if (noDrives !== undefined) console.warn(`Drives are tried with a host of our own alone: ${noDrives}.`);
const PATIENCE = { timeout: 30_000, interval: 250 };
let world: DesktopWorld;
let ann: TestBrowser;
beforeAll(async () => {
  world = await startDesktopWorld();
  await world.gateway.addUser('ann', { roles: ['dev'] });
  ann = await world.gateway.signedIn('ann');
});
afterAll(() => world?.close());

/** As the page of a browser does it, with files in memory. Undefined: a folder. */
function answer(files: Map<string, Buffer | undefined>, request: DirectoryRequest): DirectoryAnswer {
  const { id, path } = request;
  const found = files.get(path);
  const ok = { id, error: DIRECTORY_ERROR.none };
  const error = files.has(path) || path === '' ? DIRECTORY_ERROR.none : DIRECTORY_ERROR.absent;
  const describe = (each: string): SharedFile => {
    const bytes = files.get(each);
    return { path: each, modified: Date.now(), size: bytes?.length ?? 0, isDirectory: !bytes, isEmpty: !bytes?.length };
  };
  switch (request.type) {
    case 'info':
      return { id, error, type: 'info', file: error === 0 ? describe(path) : NO_FILE };
    case 'list': {
      const head = path === '' ? '' : `${path}/`;
      const inside = [...files.keys()].filter((each) => each.startsWith(head));
      return {
        ...ok,
        type: 'list',
        files: inside.filter((each) => !each.slice(head.length).includes('/')).map(describe),
      };
    }
    case 'create':
      files.set(path, request.isDirectory ? undefined : Buffer.alloc(0));
      return { ...ok, type: 'create', file: describe(path) };
    case 'delete':
      files.delete(path);
      return { id, error, type: 'delete' };
    case 'read': {
      const { offset, length } = request;
      return { id, error, type: 'read', bytes: (found ?? Buffer.alloc(0)).subarray(offset, offset + length) };
    }
    case 'write': {
      const { offset, bytes } = request;
      const after = Buffer.alloc(Math.max(found?.length ?? 0, offset + bytes.length));
      found?.copy(after);
      after.set(bytes, offset);
      files.set(path, after);
      return { id, error, type: 'write', written: bytes.length };
    }
    case 'move':
      files.set(request.to, found);
      files.delete(path);
      return { id, error, type: 'move' };
  }
}

/** `isKept`: what it does not answer. */
function share(
  page: DesktopPage,
  files: Map<string, Buffer | undefined>,
  isKept: (request: DirectoryRequest) => boolean = () => false,
): void {
  page.onFiles = (bytes) => {
    const said = readFromGateway(bytes);
    if (said.type === 'request' && !isKept(said.request)) page.sayFiles(directoryAnswer(answer(files, said.request)));
  };
  page.sayFiles(directoryAnnounce(SHARED_DIRECTORY, 'Docs'));
}

const inShell = (line: string) => world.xrdp.inSession(['sh', '-c', line]);

test.skipIf(noDrives)(
  'programs of the desktop read and write files of the page, which is told, and lose them when it ends',
  async () => {
    const { page } = await world.open(ann);
    const { sid, directories } = await page.until('state');
    expect(directories).toBe(true);
    const large = Buffer.alloc(300_000, 'gatehouse ');
    const files = new Map<string, Buffer | undefined>([
      ['hello.txt', Buffer.from('from the page')],
      ['large.bin', large],
      ['sub', undefined],
      ['sub/inner.txt', Buffer.from('inside')],
    ]);
    share(page, files);
    await page.until('shared', ({ is }) => is === 'on');
    const drive = '$HOME/thinclient_drives/DOCS';
    await expect.poll(() => inShell(`ls ${drive} 2>/dev/null || true`), PATIENCE).toContain('hello.txt');
    expect(await inShell(`cat ${drive}/hello.txt`)).toBe('from the page');
    expect(await inShell(`cat ${drive}/sub/inner.txt`)).toBe('inside');
    expect(await inShell(`cksum < ${drive}/large.bin`)).toContain(' 300000');
    await inShell(`printf 'from the desktop' > ${drive}/written.txt; mkdir ${drive}/made`);
    await expect.poll(() => files.get('written.txt')?.toString(), PATIENCE).toBe('from the desktop');
    expect(files.has('made')).toBe(true);
    await inShell(`printf ', and more' >> ${drive}/written.txt; mv ${drive}/written.txt ${drive}/made/moved.txt`);
    await expect.poll(() => files.get('made/moved.txt')?.toString(), PATIENCE).toBe('from the desktop, and more');
    await inShell(
      `printf short > ${drive}/made/moved.txt; cp ${drive}/large.bin ${drive}/copy.bin; rm ${drive}/large.bin`,
    );
    await expect.poll(() => files.get('made/moved.txt')?.toString(), PATIENCE).toBe('short');
    await expect.poll(() => files.get('copy.bin')?.equals(large), PATIENCE).toBe(true);
    await expect.poll(() => [files.has('large.bin'), files.has('written.txt')], PATIENCE).toEqual([false, false]);

    page.tell({ type: 'unshare' });
    await page.until('shared', ({ is }) => is === 'off');
    await expect.poll(() => inShell(`cat ${drive}/hello.txt 2>&1 || true`), PATIENCE).not.toContain('from the page');
    page.tell({ type: 'end' });
    await page.closing;
    const told = async () => (await world.gateway.events()).filter(({ data }) => data.sid === sid);
    await expect
      .poll(async () => (await told()).map(({ code }) => code))
      .toEqual(expect.arrayContaining(['TDP04I', 'TDP05I', 'TDP06I', 'TDP01I']));
    expect(
      (await told()).find(({ code, data }) => code === 'TDP05I' && data.file_path === 'hello.txt')?.data,
    ).toMatchObject({
      ...{ user: 'ann', directory_name: 'Docs', directory_id: 2, length: 13, offset: 0, success: true },
    });
    expect(JSON.stringify(await told())).not.toContain('from the page');
  },
);

test('a role without desktop_directory_sharing has no such channel, and a page that asks is refused and told of', async () => {
  const allow = `windows_desktop_labels: {env: dev}, windows_desktop_logins: [${world.xrdp.user}]`;
  await makeRole(world.admin, 'folderless', `{options: {desktop_directory_sharing: false}, allow: {${allow}}}`);
  await world.gateway.addUser('fay', { roles: ['folderless'] });
  const { page } = await world.open(await world.gateway.signedIn('fay'));
  const { sid, directories } = await page.until('state');
  expect(directories).toBe(false);
  share(page, new Map());

  expect(await page.until('shared')).toMatchObject({ is: 'refused', why: expect.stringContaining('a role of yours') });
  page.tell({ type: 'end' });
  await page.closing;
  await expect
    .poll(async () => (await world.gateway.events()).filter(({ data }) => data.sid === sid).map(({ code }) => code))
    .toContain('TDP04W');
});

test.skipIf(noDrives)(
  'a right that is taken away in the middle of a copy ends the folder at once, and nothing but it',
  async () => {
    const allow = `windows_desktop_labels: {env: dev}, windows_desktop_logins: [${world.xrdp.user}]`;
    const spec = (isAllowed: boolean) => `{options: {desktop_directory_sharing: ${isAllowed}}, allow: {${allow}}}`;
    await makeRole(world.admin, 'sharing', spec(true));
    await world.gateway.addUser('gil', { roles: ['sharing'] });
    const { page } = await world.open(await world.gateway.signedIn('gil'));
    const { sid } = await page.until('state');
    const { promise: reached, resolve } = Promise.withResolvers<void>();
    share(page, new Map([['slow.bin', Buffer.alloc(500_000)]]), (request) => {
      const isKept = request.type === 'read' && request.offset > 0;
      if (isKept) resolve();
      return isKept;
    });
    await page.until('shared', ({ is }) => is === 'on');
    const drive = '$HOME/thinclient_drives/DOCS';
    await expect.poll(() => inShell(`ls ${drive} 2>/dev/null || true`), PATIENCE).toContain('slow.bin');
    const copying = expect(inShell(`cat ${drive}/slow.bin`)).rejects.toThrow();
    await reached;

    const content = `kind: role\nversion: v6\nmetadata: {name: sharing}\nspec: ${spec(false)}\n`;
    await call(world.admin.send, roleRoutes.update, { params: { name: 'sharing' }, body: { content } });
    expect(await page.until('shared', ({ is }) => is === 'off')).toMatchObject({
      why: expect.stringContaining('a role of yours'),
    });
    await copying;
    share(page, new Map());
    await page.until('shared', ({ is }) => is === 'refused');
    page.tell({ type: 'ping', id: 7 });
    await page.until('pong');
    page.tell({ type: 'end' });
    await page.closing;
    await expect
      .poll(async () => (await world.gateway.events()).filter(({ data }) => data.sid === sid).map(({ code }) => code))
      .toEqual(expect.arrayContaining(['TDP04I', 'TDP05I', 'TDP05W', 'TDP04W']));
  },
);
