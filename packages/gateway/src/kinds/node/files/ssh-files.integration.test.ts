/** Files of a real sshd: who wrote them, what a cut leaves, who is refused, and what ends a transfer. */

import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { lockRoutes } from '@gatehouse/contract/access/locks/locks';
import { roleRoutes } from '@gatehouse/contract/access/roles/roles';
import { signInRoutes } from '@gatehouse/contract/identity/sign-in';
import { fileRoutes } from '@gatehouse/contract/kinds/node/files/files';
import { call } from '@gatehouse/contract/wire/client';
import { SOON_MS } from '@gatehouse/testkit/soon';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import {
  type ServerWorld,
  params as site,
  startServerWorld,
} from '../../../../testing/connection-tests/server-world.ts';
import { type FilesClient, openFiles, rawSend } from '../../../../testing/files/files-client.ts';
import type { TestBrowser } from '../../../../testing/test-browser.ts';

let world: ServerWorld;
let files: FilesClient;
let login: string;
let other: string;
beforeAll(async () => {
  world = await startServerWorld();
  await world.trustGateway();
  await world.gateway.app.listen({ host: '127.0.0.1', port: 0 });
  await world.add({ name: 'web-1' });
  [login, other] = world.logins;
  files = await openFiles(world.gateway.app, world.ann, { server: 'web-1', login });
});
afterAll(() => world.close());

const UPLOAD = '0123456789abcdef';
const send = () => world.ann.send;
const upload = (name: string, bytes: Uint8Array, more: object = {}) =>
  files.write({ folder: files.home, name, upload: UPLOAD, size: bytes.length, ...more }, Buffer.from(bytes));
const events = async (code: string) => (await world.gateway.events()).filter((event) => event.code === code);
const as = (user: string, ...command: string[]) => execFileSync('runuser', ['-u', user, '--', ...command]).toString();

test('the login wrote what is uploaded, folders on the way are made, and it comes back byte by byte', async () => {
  const bytes = randomBytes(3_000_000);

  const reply = await upload('in/two/new file.bin', bytes);
  const path = `${files.home}/in/two/new file.bin`;
  const back = await files.read(path);

  expect(reply.status).toBe(200);
  expect(statSync(path).uid).toBe(Number(as(login, 'id', '-u')));
  expect(statSync(path).mode & 0o077).toBeLessThan(0o070);
  expect(Buffer.from(await back.arrayBuffer()).equals(bytes)).toBe(true);
  expect(Object.fromEntries(back.headers)).toMatchObject({
    'content-type': 'application/octet-stream',
    'content-length': String(bytes.length),
    'x-content-type-options': 'nosniff',
    'content-disposition': `attachment; filename="new file.bin"; filename*=UTF-8''new%20file.bin`,
  });
  expect(back.headers.get('content-security-policy')).toContain('sandbox');
  const [put] = await events('T3005I');
  expect(put?.data).toMatchObject({
    user: 'ann',
    login,
    path,
    action: 'upload',
    sid: files.id,
    server_hostname: 'web-1',
  });
  expect((await events('T3004I'))[0]?.data).toMatchObject({ path, action: 'download' });
  await expect.poll(() => world.sshd.log()).toContain(`subsystem 'sftp' for ${login}`);
});

test('what the login may not read or write is refused by the server, and audited', async () => {
  const secret = `/home/${other}/secret`;
  writeFileSync(secret, 'secret');
  chmodSync(secret, 0o600);
  chmodSync(`/home/${other}`, 0o755);

  const read = await files.read(secret);
  const write = await files.write({ folder: `/home/${other}`, name: 'x', upload: UPLOAD, size: 1 }, 'x');

  expect([read.status, write.status]).toEqual([403, 403]);
  expect(existsSync(`/home/${other}/x`)).toBe(false);
  expect((await events('T3004E'))[0]?.data).toMatchObject({ path: secret, exitCode: '1' });
  expect((await events('T3005E'))[0]?.data).toMatchObject({ path: `/home/${other}/x` });
});

test('an upload that is cut leaves the old file, and goes on from what is there', async () => {
  const bytes = randomBytes(4_000_000);
  const name = 'resumed.bin';
  await upload(name, Buffer.from('old'));
  const query = { folder: files.home, name, upload: 'feedfeedfeedfeed', size: bytes.length, replace: 'true' } as const;

  const cut = new AbortController();
  const slow = new ReadableStream({
    start: (controller) => controller.enqueue(bytes.subarray(0, 1_500_000)),
  });
  const written = files.write(query, slow, cut.signal).catch(() => undefined);
  await vi.waitFor(async () => expect(await files.progress(query)).toBe(1_500_000));
  cut.abort();
  await written;
  const path = `${files.home}/${name}`;
  expect(readFileSync(path, 'utf8')).toBe('old');
  const tooFar = await files.write({ ...query, offset: 2_000_000 }, bytes.subarray(2_000_000));
  const rest = await files.write({ ...query, offset: 1_500_000 }, bytes.subarray(1_500_000));

  expect([tooFar.status, (await tooFar.json()).fields]).toEqual([412, { offset: 1_500_000 }]);
  expect(rest.status).toBe(200);
  expect(readFileSync(path).equals(bytes)).toBe(true);
  expect((await files.list(files.home)).filter((each) => each.includes('.part'))).toEqual([]);
});

test('a file that exists is replaced only when that is wanted, and keeps its mode', async () => {
  const path = `${files.home}/kept.sh`;
  await upload('kept.sh', Buffer.from('one'));
  chmodSync(path, 0o751);

  const refused = await upload('kept.sh', Buffer.from('two'));
  const before = readFileSync(path, 'utf8');
  const replaced = await upload('kept.sh', Buffer.from('three'), { replace: 'true' });

  expect([refused.status, before, replaced.status]).toEqual([409, 'one', 200]);
  expect([readFileSync(path, 'utf8'), statSync(path).mode & 0o777]).toEqual(['three', 0o751]);
});

test('a part of a file is given by range, and a changed file from its beginning', async () => {
  await upload('range.txt', Buffer.from('0123456789'));
  const path = `${files.home}/range.txt`;

  const middle = await files.read(path, { range: 'bytes=2-4' });
  const rest = await files.read(path, { range: 'bytes=7-', 'if-range': middle.headers.get('etag') ?? '' });
  const changed = await files.read(path, { range: 'bytes=7-', 'if-range': '"other"' });
  const beyond = await files.read(path, { range: 'bytes=10-' });

  expect([middle.status, await middle.text(), middle.headers.get('content-range')]).toEqual([
    206,
    '234',
    'bytes 2-4/10',
  ]);
  expect([rest.status, await rest.text()]).toEqual([206, '789']);
  expect([changed.status, await changed.text()]).toEqual([200, '0123456789']);
  expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, 'bytes */10']);
});

test('a ticket starts one download for the browser that made it, without a bearer', async () => {
  await upload('linked.txt', Buffer.from('by link'));
  const { url } = await call(send(), fileRoutes.ticket, {
    params: files.params,
    body: { paths: [`${files.home}/linked.txt`] },
  });
  const stranger = await world.gateway.signedIn('admin');

  const foreign = await rawSend(world.gateway.app, stranger)(url);
  const fresh = await call(send(), fileRoutes.ticket, {
    params: files.params,
    body: { paths: [`${files.home}/linked.txt`] },
  });
  const first = await files.raw(fresh.url, { headers: { authorization: '' } });
  const again = await files.raw(fresh.url);
  const goesOn = await files.raw(fresh.url, { headers: { range: 'bytes=3-' } });

  expect(foreign.status).toBe(404);
  expect([first.status, await first.text()]).toEqual([200, 'by link']);
  expect(again.status).toBe(403);
  expect([goesOn.status, await goesOn.text()]).toEqual([206, 'link']);
});

test('a folder comes as an archive that follows no link and says what is missing', async () => {
  as(login, 'mkdir', '-p', `${files.home}/tree/deep`);
  as(login, 'sh', '-c', `echo one > ${files.home}/tree/a.txt; printf two > "${files.home}/tree/deep/b c"`);
  symlinkSync('/etc', `${files.home}/tree/out`);
  symlinkSync('../a.txt', `${files.home}/tree/deep/in`);
  const long = `${'x'.repeat(120)}.txt`;
  as(login, 'touch', `${files.home}/tree/${long}`);

  const { url } = await call(send(), fileRoutes.ticket, {
    params: files.params,
    body: { paths: [`${files.home}/tree`], archive: true },
  });
  const reply = await files.raw(url);
  const packed = Buffer.from(await reply.arrayBuffer());
  const listed = execFileSync('tar', ['-tz'], { input: packed }).toString().trim().split('\n').sort();
  const content = execFileSync('tar', ['-xzO', 'tree/deep/b c'], { input: packed }).toString();
  const leftOut = execFileSync('tar', ['-xzO', 'NOT-IN-THIS-ARCHIVE.txt'], { input: packed }).toString();

  expect(reply.headers.get('content-disposition')).toContain('filename="tree.tar.gz"');
  expect(listed).toEqual(
    [
      'NOT-IN-THIS-ARCHIVE.txt',
      'tree/',
      'tree/a.txt',
      'tree/deep/',
      'tree/deep/b c',
      'tree/deep/in',
      `tree/${long}`,
    ].sort(),
  );
  expect(content).toBe('two');
  expect(leftOut).toContain('tree/out: a link out of the folder, to /etc');
});

test('folders are made, renamed and deleted, and a link that is deleted with them leads nowhere', async () => {
  const body = (path: string) => ({ path: `${files.home}/${path}` });
  await call(send(), fileRoutes.makeFolder, { params: files.params, body: body('made') });
  await upload('made/file', Buffer.from('x'));
  as(login, 'mkdir', `${files.home}/precious`);
  as(login, 'touch', `${files.home}/precious/kept`);
  symlinkSync(`${files.home}/precious`, `${files.home}/made/link`);
  await call(send(), fileRoutes.rename, { params: files.params, body: { ...body('made'), name: 'gone' } });
  const paths = [`${files.home}/gone`];

  await expect(call(send(), fileRoutes.remove, { params: files.params, body: { paths } })).rejects.toThrow(/could not/);
  const { removed } = await call(send(), fileRoutes.remove, { params: files.params, body: { paths, recursive: true } });

  expect(removed).toBe(3);
  expect([existsSync(`${files.home}/gone`), existsSync(`${files.home}/precious/kept`)]).toEqual([false, true]);
  const codes = (await world.gateway.events()).map(({ code }) => code);
  expect(codes).toEqual(expect.arrayContaining(['TS012I', 'TS016I', 'TS011I', 'TS011E']));
});

test('a text is saved only over what was read', async () => {
  await upload('notes.txt', Buffer.from('first\n'));
  const path = `${files.home}/notes.txt`;
  const read = () => call(send(), fileRoutes.readText, { params: files.params, query: { path } });
  const save = (text: string, version: string) =>
    call(send(), fileRoutes.saveText, { params: files.params, body: { path, text, version } });
  const { text, version, writable } = await read();

  const saved = await save('second\n', version);
  as(login, 'sh', '-c', `echo by somebody else > ${path}`);

  expect([text, writable]).toEqual(['first\n', true]);
  await expect(save('third\n', saved.version)).rejects.toMatchObject({ code: 'compare_failed' });
  expect(readFileSync(path, 'utf8')).toBe('by somebody else\n');
  writeFileSync(path, Buffer.from([0xff, 0xfe, 0]));
  await expect(read()).rejects.toMatchObject({ code: 'bad_request' });
});

test('names that are no text can be listed, downloaded and deleted', async () => {
  const raw = Buffer.concat([Buffer.from(`${files.home}/caf`), Buffer.from([0xe9])]);
  writeFileSync(raw, 'latin');

  const listed = await files.list(files.home);
  const path = `${files.home}/caf\uf7e9`;
  const back = await files.read(path);
  await call(send(), fileRoutes.remove, { params: files.params, body: { paths: [path] } });

  expect(listed).toContain('caf\uf7e9');
  expect(await back.text()).toBe('latin');
  expect(existsSync(raw)).toBe(false);
});

test.each(['../x', 'a/../../x', '/etc/x', '..'])('an upload to %j below a folder is refused', async (name) => {
  const reply = await files.write({ folder: files.home, name, upload: UPLOAD, size: 1 }, 'x');

  expect(reply.status).toBe(400);
  expect((await reply.json()).error.message).toContain("query 'name'");
});

test('the copy calls of the wire reference copy both ways', async () => {
  const base = `/v1/webapi/sites/-current-/nodes/web-1/${login}/scp`;
  const put = await files.raw(`${base}?location=~/&filename=${encodeURIComponent('a b.txt')}`, {
    method: 'POST',
    body: Buffer.from('copied'),
  });
  const renamed = await files.raw(`${base}?location=sub.txt&filename=ignored.txt`, {
    method: 'POST',
    body: Buffer.from('2'),
  });
  const got = await files.raw(`${base}?location=${encodeURIComponent('a b.txt')}&filename=x`);
  const missing = await files.raw(`${base}?location=/nowhere&filename=`);
  const folder = await files.raw(`${base}?location=~&filename=x`);
  const trick = await files.raw(`${base}?location=~/&filename=${encodeURIComponent('../x')}`, {
    method: 'POST',
    body: 'x',
  });

  expect([put.status, await put.text(), renamed.status]).toEqual([200, '', 200]);
  expect(readFileSync(`${files.home}/sub.txt`, 'utf8')).toBe('2');
  expect([got.status, await got.text()]).toEqual([200, 'copied']);
  expect(got.headers.get('content-disposition')).toBe('attachment;filename="a+b.txt"');
  expect(got.headers.get('content-length')).toBe('6');
  expect([missing.status, folder.status, trick.status]).toEqual([404, 400, 400]);
});

test('a role that forbids copying files refuses them, and says so', async () => {
  await world.makeRole('nocopy', '{options: {ssh_file_copy: false}}');
  await world.gateway.addUser('carl', { roles: ['dev', 'nocopy'] });
  const carl = await world.gateway.signedIn('carl');

  await expect(openFiles(world.gateway.app, carl, { server: 'web-1', login })).rejects.toThrow(
    'a role of yours does not let files be copied',
  );
  await expect(openFiles(world.gateway.app, world.ann, { server: 'web-1', login: 'root' })).rejects.toMatchObject({
    code: 'denied',
  });
  const scp = await rawSend(
    world.gateway.app,
    carl,
  )(`/v1/webapi/sites/-current-/nodes/web-1/${login}/scp?location=x&filename=x`);
  expect(scp.status).toBe(403);
  expect((await world.gateway.events()).filter(({ user, code }) => user === 'carl' && code.endsWith('W')).length).toBe(
    2,
  );
});

/** Sends a little now and then, without end. */
function trickle(): ReadableStream {
  return new ReadableStream({
    async pull(controller) {
      await sleep(20);
      controller.enqueue(Buffer.alloc(1000));
    },
  });
}

test.each<[string, RegExp, (name: string, browser: TestBrowser) => Promise<unknown>]>([
  [
    'lock',
    /is locked|cut/,
    (user) => call(world.admin.send, lockRoutes.create, { params: site, body: { targets: { user }, message: 'stop' } }),
  ],
  [
    'role',
    /does not let files be copied|cut/,
    (name) => call(world.admin.send, roleRoutes.update, { params: { name }, body: { content: roleFor(name, false) } }),
  ],
  ['sign-out', /you signed out|cut/, (_name, browser) => call(browser.send, signInRoutes.signOut, {})],
])('a %s ends what runs soon', async (name, said, end) => {
  await call(world.admin.send, roleRoutes.create, { body: { content: roleFor(name, true) } });
  await world.gateway.addUser(name, { roles: [name] });
  const browser = await world.gateway.signedIn(name);
  const client = await openFiles(world.gateway.app, browser, { server: 'web-1', login });
  const query = { folder: client.home, name, upload: UPLOAD, size: 1_000_000_000 } as const;
  const ended = client.write(query, trickle()).then(
    async (reply) => (await reply.json()).error.message as string,
    () => 'cut',
  );
  await vi.waitFor(async () => expect(await client.progress(query)).toBeGreaterThan(0));

  await end(name, browser);
  const from = performance.now();

  expect(await ended).toMatch(said);
  expect(performance.now() - from).toBeLessThan(SOON_MS);
  await vi.waitFor(async () => expect((await events('T3005E')).some(({ user }) => user === name)).toBe(true));
});

function roleFor(name: string, copies: boolean): string {
  const spec = `{allow: {logins: [${login}], node_labels: {env: dev}}, options: {ssh_file_copy: ${copies}}}`;
  return `kind: role\nversion: v6\nmetadata: {name: ${name}}\nspec: ${spec}\n`;
}

test('a role that asks for a second factor gives files only with one', async () => {
  await world.makeRole('factor', '{options: {require_session_mfa: true}}');
  await world.gateway.addUser('fay', { roles: ['dev', 'factor'] });
  const fay = await world.gateway.signedIn('fay');
  const scp = `/v1/webapi/sites/-current-/nodes/web-1/${login}/scp?location=x&filename=x`;

  await expect(openFiles(world.gateway.app, fay, { server: 'web-1', login })).rejects.toMatchObject({
    code: 'mfa_required',
  });
  const without = await rawSend(world.gateway.app, fay)(scp);
  const nonsense = await rawSend(world.gateway.app, fay)(`${scp}&webauthn=${encodeURIComponent('{"a":1}')}`);

  expect([without.status, nonsense.status]).toEqual([403, 400]);
});

test('a page that is loaded again goes on with the same use of files', async () => {
  const again = await openFiles(world.gateway.app, world.ann, { server: 'web-1', login });
  const elsewhere = await openFiles(world.gateway.app, world.ann, { server: 'web-1', login: other });

  expect(again.id).toBe(files.id);
  expect(elsewhere.id).not.toBe(files.id);
});

test('what the console asks for is decided for each sign-in: another one does not find it', async () => {
  const second = await world.gateway.signedIn('ann');

  await expect(
    call(second.send, fileRoutes.list, { params: files.params, query: { path: '/' } }),
  ).rejects.toMatchObject({
    code: 'not_found',
  });
  await expect(
    call(send(), fileRoutes.list, { params: { ...site, fileSession: 'x' }, query: { path: '/' } }),
  ).rejects.toMatchObject({
    code: 'not_found',
  });
});
