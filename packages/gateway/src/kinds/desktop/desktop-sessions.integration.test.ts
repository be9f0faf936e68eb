/** Sessions with a real desktop by our own socket: who gets in, what is seen by whom, what is told and recorded, and how it ends. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { lockRoutes } from '@gatehouse/contract/access/locks/locks';
import { signInRoutes } from '@gatehouse/contract/identity/sign-in';
import { type LivePicture, liveSessionsReply } from '@gatehouse/contract/sessions/live-frames';
import { sessionRoutes } from '@gatehouse/contract/sessions/sessions';
import { call } from '@gatehouse/contract/wire/client';
import { SOON_MS } from '@gatehouse/testkit/soon';
import { PNG } from 'pngjs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { makeRole } from '../../../testing/apps/app-world.ts';
import { DesktopPage, desktopOpening } from '../../../testing/desktop/desktop-page.ts';
import { type DesktopWorld, type OpenPage, startDesktopWorld } from '../../../testing/desktop/desktop-world.ts';
import { recordedItems } from '../../../testing/recordings/recorded-output.ts';
import type { TestBrowser } from '../../../testing/test-browser.ts';
import { silentLog } from '../../platform/std/log.ts';
import { createDesktopDecoder } from '../../sessions/desktop/decoder/desktop-decoder.ts';

const SETTLING = { interval: 1_000, timeout: 30_000 };
const CLUSTER = { clusterId: 'localhost' };
/** What its window manager paints. */
const BLUE = [0x2e, 0x5b, 0x88];

let world: DesktopWorld;
let ann: TestBrowser;
beforeAll(async () => {
  world = await startDesktopWorld();
  await world.gateway.addUser('ann', { roles: ['dev'] });
  ann = await world.gateway.signedIn('ann');
});
afterAll(() => world?.close());

const isDrawn = async ({ client }: OpenPage) => {
  const colour = await client.colourAt(780, 580);
  return colour.every((value, at) => Math.abs(value - BLUE[at]!) <= 12);
};
/** Both are looked at anew each time: what the host still draws comes to both. */
const seeTheSame = async (...pages: readonly OpenPage[]) =>
  new Set(await Promise.all(pages.map(async ({ client }) => (await client.look()).hash))).size === 1;
const events = async (sid: string) => (await world.gateway.events()).filter(({ data }) => data.sid === sid);
const refusal = async (who: TestBrowser, request = desktopOpening('desk', world.xrdp.user)) => {
  const page = new DesktopPage(world.origin, who, request);
  await page.closing;
  return page.heard.at(-1);
};

test('a desktop is drawn; its session is listed, told and recorded, and a password occurs nowhere', async () => {
  const opened = await world.open(ann);
  const { page } = opened;
  await expect.poll(() => isDrawn(opened)).toBe(true);
  const state = await page.until('state');
  expect(state).toMatchObject({ desktop: { name: 'desk' }, login: world.xrdp.user, mode: 'peer', protocol: 'rdp' });
  const { sessions } = await call(ann.send, sessionRoutes.list, { params: CLUSTER });
  expect(sessions).toMatchObject([{ kind: 'desktop', id: state.sid, desktop_name: 'desk', login: world.xrdp.user }]);

  page.tell({ type: 'end' });
  expect(await page.until('ended')).toMatchObject({ cause: 'closed' });
  await expect
    .poll(async () => (await events(state.sid)).map(({ code }) => code))
    .toEqual(expect.arrayContaining(['TDP00I', 'TDP01I']));
  const told = JSON.stringify(await world.gateway.events());
  expect(told).not.toContain(world.xrdp.password);
  const ended = (await events(state.sid)).find(({ code }) => code === 'TDP01I');
  expect(ended?.data).toMatchObject({ recorded: true, windows_user: world.xrdp.user, desktop_addr: world.xrdp.addr });
});

test('who comes later sees bit for bit what the first sees, also after the first is gone', async () => {
  const first = await world.open(ann);
  const { sid } = await first.page.until('state');
  await expect.poll(() => isDrawn(first)).toBe(true);
  const attach = { type: 'attach', sid, width: 800, height: 600 } as const;
  const second = await world.open(ann, attach);
  await expect.poll(() => seeTheSame(first, second)).toBe(true);

  first.page.close();
  await first.page.closing;
  second.client.do({ type: 'move', x: 400, y: 300 });
  const third = await world.open(ann, attach);
  await expect.poll(() => seeTheSame(second, third)).toBe(true);
  second.page.tell({ type: 'end' });
  expect(await third.page.until('ended')).toMatchObject({ cause: 'closed' });
});

test('a page that came later has the host change its size, and draws it', async () => {
  const first = await world.open(ann);
  const { sid } = await first.page.until('state');
  const second = await world.open(ann, { type: 'attach', sid, width: 800, height: 600 });
  first.page.close();
  await first.page.closing;
  second.page.tell({ type: 'resize', width: 1000, height: 700, scale: 100 });

  await second.page.until('segment', ({ width }) => width === 1000);
  second.page.tell({ type: 'end' });
  await second.page.closing;
});

test('who looks at open sessions is shown a small picture of it', async () => {
  const opened = await world.open(ann);
  const { sid } = await opened.page.until('state');
  await expect.poll(() => isDrawn(opened)).toBe(true);
  const cookie = [...ann.cookies].map(([key, value]) => `${key}=${value}`).join('; ');
  const socket = new WebSocket(`${world.origin.replace('http', 'ws')}/v1/webapi/sites/localhost/live-sessions`, {
    headers: { host: 'localhost:3080', origin: 'http://localhost:3080', cookie },
  });
  socket.on('open', () => {
    socket.send(JSON.stringify({ type: 'hello', token: ann.bearer }));
    socket.send(JSON.stringify({ type: 'look', sids: [sid] }));
  });
  const shown = await new Promise<LivePicture>((resolve) => {
    socket.on('message', (data: Buffer) => {
      const reply = liveSessionsReply.parse(JSON.parse(data.toString()));
      if (reply.type === 'picture') resolve(reply);
    });
  });
  socket.terminate();

  expect(shown).toMatchObject({ sid, width: 800, height: 600 });
  const { width, height, data } = PNG.sync.read(Buffer.from(shown.png, 'base64'));
  expect([width, height]).toEqual([640, 480]);
  const corner = [...data.subarray((width * 470 + 630) * 4).subarray(0, 3)];
  expect(corner.every((value, at) => Math.abs(value - BLUE[at]!) <= 12)).toBe(true);
  opened.page.tell({ type: 'end' });
  await opened.page.closing;
});

test('who comes with the login of somebody else takes the desktop over, as the host has it, and that is told', async () => {
  await world.gateway.addUser('rob', { roles: ['dev'] });
  const first = await world.open(ann);
  await expect.poll(() => isDrawn(first)).toBe(true);
  const second = await world.open(await world.gateway.signedIn('rob'));
  const { sid } = await second.page.until('state');
  expect(await first.page.until('ended')).toMatchObject({
    cause: 'taken_over',
    message: 'rob connected with the same login, and the host has one session of each',
  });
  await expect
    .poll(async () => (await events(sid)).find(({ code }) => code === 'GH372I')?.data)
    .toMatchObject({ user: 'rob', previous_user: 'ann', desktop_name: 'desk', windows_user: world.xrdp.user });
  const recording = join(world.dataDir, 'recordings', `${(await first.page.until('state')).sid}.rec`);
  await expect
    .poll(async () => (await recordedItems(recording)).filter(({ type }) => type === 'note'))
    .toMatchObject([{ note: { kind: 'take-over', user: 'rob' } }]);
  second.page.tell({ type: 'end' });
  await second.page.closing;
});

test('who may not is refused in words, and is told nothing of what is stored', async () => {
  await world.gateway.addUser('bob', { roles: [] });
  const bob = await world.gateway.signedIn('bob');
  expect(await refusal(bob)).toMatchObject({ type: 'refused', code: 'not_found' });
  expect(await refusal(ann, desktopOpening('desk', 'root'))).toMatchObject({ type: 'refused', code: 'denied' });
  expect(await refusal(ann, desktopOpening('other', 'root'))).toMatchObject({ code: 'not_found' });
});

test('where none is stored a password is asked for, and the one that was typed is used', async () => {
  await makeRole(
    world.admin,
    'typist',
    `{allow: {windows_desktop_labels: {env: dev}, windows_desktop_logins: ['.\\typed', typed]}}`,
  );
  await world.gateway.addUser('tom', { roles: ['typist'] });
  const tom = await world.gateway.signedIn('tom');
  expect(await refusal(tom, desktopOpening('desk', 'typed'))).toMatchObject({ type: 'refused', code: 'password' });
});

test('record_session and desktop_clipboard of a role hold: nothing is recorded, and no clipboard is opened', async () => {
  const allow = `windows_desktop_labels: {env: dev}, windows_desktop_logins: [${world.xrdp.user}]`;
  const options = '{record_session: {desktop: false}, desktop_clipboard: false}';
  await makeRole(world.admin, 'quiet', `{options: ${options}, allow: {${allow}}}`);
  await world.gateway.addUser('quin', { roles: ['quiet'] });
  const { page, client } = await world.open(await world.gateway.signedIn('quin'));
  const state = await page.until('state');
  expect(state).toMatchObject({ recorded: false, clipboard: false });
  client.do({ type: 'paste', text: 'what must not get there' });
  client.do({ type: 'move', x: 10, y: 10 });
  page.tell({ type: 'end' });
  await page.closing;

  await expect.poll(async () => (await events(state.sid)).map(({ code }) => code)).toContain('TDP01I');
  const told = await events(state.sid);
  expect(told.map(({ code }) => code)).not.toContain('TDP02I');
  expect(told.find(({ code }) => code === 'TDP01I')?.data.recorded).toBe(false);
});

test.each(['lock', 'sign-out'])('a %s ends it on the screen and at the host within two seconds', async (how) => {
  await world.gateway.addUser(`eve-${how}`, { roles: ['dev'] });
  const eve = await world.gateway.signedIn(`eve-${how}`);
  const { page } = await world.open(eve);
  const begun = performance.now();
  if (how === 'lock')
    await call(world.admin.send, lockRoutes.create, {
      params: CLUSTER,
      body: { targets: { user: `eve-${how}` } } as never,
    });
  else await call(eve.send, signInRoutes.signOut, {});
  await page.closing;

  expect(performance.now() - begun).toBeLessThan(SOON_MS);
});

test('played again, its recording ends with the picture that was seen, bit for bit', async () => {
  const opened = await world.open(ann);
  const { sid } = await opened.page.until('state');
  await expect.poll(() => isDrawn(opened)).toBe(true);
  opened.client.do({ type: 'move', x: 400, y: 300 });
  let seen = '';
  // A terminal opens beside it: until nothing more is drawn.
  await expect
    .poll(async () => {
      const before = seen;
      seen = (await opened.client.look()).hash;
      return seen === before;
    }, SETTLING)
    .toBe(true);
  opened.page.tell({ type: 'end' });
  await opened.page.closing;

  const path = join(world.dataDir, 'recordings', `${sid}.rec`);
  await expect.poll(async () => (await recordedItems(path)).at(-1)?.type).toBe('end');
  const decoder = createDesktopDecoder({ log: silentLog });
  const desktop = decoder.open();
  for (const item of await recordedItems(path)) {
    if (item.type === 'segment') await desktop.begin(item);
    if (item.type === 'output') await desktop.feed([item.bytes]);
  }
  const { bytes } = await desktop.look({ as: 'raw' });
  await decoder.close();
  expect(createHash('sha256').update(bytes).digest('hex')).toBe(seen);
});

test('what was drawn is in the recording, and neither keys nor the password are', async () => {
  const { dataDir } = world;
  const files = readdirSync(join(dataDir, 'recordings'), { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.rec'),
  );
  expect(files.length).toBeGreaterThan(0);
  for (const file of files) {
    const bytes = readFileSync(join(dataDir, 'recordings', file));
    expect(bytes.includes(world.xrdp.password)).toBe(false);
  }
});
