/** Sessions with a real desktop by VNC: several pages, what is recorded, who may not, and how one is tried. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { desktopRoutes } from '@gatehouse/contract/kinds/desktop/desktops';
import type { DesktopRequest } from '@gatehouse/contract/sessions/desktop-frames';
import { type ConnectionDiagnostic, diagnosticRoutes } from '@gatehouse/contract/sessions/diagnostics';
import { type LivePicture, liveSessionsReply } from '@gatehouse/contract/sessions/live-frames';
import { sessionRoutes } from '@gatehouse/contract/sessions/sessions';
import { call } from '@gatehouse/contract/wire/client';
import { startVncHost, vncCutText, vncInit, vncUpdate } from '@gatehouse/testkit/desktop/vnc-host';
import { startXvnc, type TestXvnc } from '@gatehouse/testkit/desktop/xvnc';
import { PNG } from 'pngjs';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { makeRole } from '../../../testing/apps/app-world.ts';
import { CompatClient, CompatPlayer } from '../../../testing/desktop/compat-client.ts';
import { DesktopPage, desktopOpening } from '../../../testing/desktop/desktop-page.ts';
import { pointerEvent, VncScreen } from '../../../testing/desktop/vnc-screen.ts';
import { type IdentityGateway, startIdentityGateway } from '../../../testing/identity-gateway.ts';
import { recordedItems } from '../../../testing/recordings/recorded-output.ts';
import { join as joinAgent, newJoinToken, startAgent, tunnelUrl } from '../../../testing/test-agent.ts';
import type { TestBrowser } from '../../../testing/test-browser.ts';

const CLUSTER = { clusterId: 'localhost' };
const BLUE = [0x2e, 0x5b, 0x88];

let gateway: IdentityGateway;
let plain: TestXvnc;
let secure: TestXvnc;
let admin: TestBrowser;
let ann: TestBrowser;
let bob: TestBrowser;
let origin: string;
let dataDir: string;

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'gatehouse-vnc-'));
  [gateway, plain, secure] = await Promise.all([startIdentityGateway({ dataDir }), startXvnc(), startXvnc('X509Vnc')]);
  await gateway.addUser('admin', { roles: ['editor', 'access', 'auditor'] });
  admin = await gateway.signedIn('admin');
  const rules = 'rules: [{resources: [connection_diagnostic], verbs: [create, read]}]';
  const allow = `windows_desktop_labels: {env: dev}, windows_desktop_logins: [vnc], ${rules}`;
  await makeRole(admin, 'dev', `{allow: {${allow}}}`);
  const join_ = "join_sessions: [{name: j, roles: ['*'], kinds: [desktop], modes: [observer, peer]}]";
  await makeRole(admin, 'watch', `{allow: {windows_desktop_labels: {env: dev}, ${join_}}}`);
  await gateway.addUser('ann', { roles: ['dev'] });
  await gateway.addUser('bob', { roles: ['watch'] });
  [ann, bob] = [await gateway.signedIn('ann'), await gateway.signedIn('bob')];
  await add('desk', plain);
  await add('asking', plain);
  await add('safe', secure);
  await setPassword('desk', plain.password);
  await gateway.app.listen({ host: '127.0.0.1', port: 0 });
  origin = `http://127.0.0.1:${(gateway.app.server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await gateway?.close();
  await Promise.all([plain?.stop(), secure?.stop()]);
  rmSync(dataDir, { recursive: true, force: true });
});

const add = (name: string, { addr }: { addr: string }) =>
  call(admin.send, desktopRoutes.add, {
    params: CLUSTER,
    body: { name, addr, protocol: 'vnc', labels: { env: 'dev' } },
  });
const setPassword = (name: string, password: string) =>
  call(admin.send, desktopRoutes.setPassword, { params: { ...CLUSTER, name, login: 'vnc' }, body: { password } });
/** A page and what its client draws; begun anew with each segment, as in the browser. */
function open(who: TestBrowser, request: DesktopRequest = asked('desk')) {
  const page = new DesktopPage(origin, who, request);
  const opened = { page, screen: undefined as VncScreen | undefined };
  page.onPicture = (bytes) => {
    if (bytes.subarray(0, 4).toString() === 'RFB ') opened.screen = new VncScreen((said) => page.say(said));
    opened.screen?.hear(bytes);
  };
  return opened;
}
/** As large as it is already. */
const asked = (desktop: string, password?: string): DesktopRequest =>
  ({ ...desktopOpening(desktop, 'vnc', password), width: 1024, height: 768 }) as DesktopRequest;
const isBlue = ({ screen }: ReturnType<typeof open>) => screen && screen.size.width > 0 && screen.at(1023, 767);
const hashOf = ({ screen }: ReturnType<typeof open>) => screen?.hash();
const on = (...words: readonly string[]) =>
  execFileSync(words[0]!, words.slice(1), { env: { ...process.env, DISPLAY: plain.display }, encoding: 'utf8' });
/** As a list asks for it. */
async function pictureOf(sid: string) {
  const { statusCode, rawPayload } = await gateway.app.inject({
    url: `/v1/webapi/sites/localhost/recordings/${sid}/picture`,
    headers: {
      host: 'localhost:3080',
      authorization: `Bearer ${admin.bearer}`,
      cookie: [...admin.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
    },
  });
  return { status: statusCode, bytes: rawPayload };
}
const mouse = () => on('xdotool', 'getmouselocation');

/** Of what lists show of an open session, the first that is seen. */
function seenInList(sid: string): Promise<LivePicture> {
  const cookie = [...ann.cookies].map(([key, value]) => `${key}=${value}`).join('; ');
  const socket = new WebSocket(`${origin.replace('http', 'ws')}/v1/webapi/sites/localhost/live-sessions`, {
    headers: { host: 'localhost:3080', origin: 'http://localhost:3080', cookie },
  });
  onTestFinished(() => socket.terminate());
  socket.on('open', () => {
    socket.send(JSON.stringify({ type: 'hello', token: ann.bearer }));
    socket.send(JSON.stringify({ type: 'look', sids: [sid] }));
  });
  return new Promise((resolve) => {
    socket.on('message', (data: Buffer) => {
      const reply = liveSessionsReply.parse(JSON.parse(data.toString()));
      if (reply.type === 'picture') resolve(reply);
    });
  });
}

test('who looks at open sessions is shown a small picture of it', async () => {
  const opened = open(ann);
  const { sid } = await opened.page.until('state');
  await expect.poll(() => isBlue(opened)).toEqual(BLUE);
  const shown = await seenInList(sid);

  expect(shown).toMatchObject({ sid, width: 1024, height: 768 });
  const { width, height, data } = PNG.sync.read(Buffer.from(shown.png, 'base64'));
  expect([width, height]).toEqual([640, 480]);
  expect([...data.subarray((width * 470 + 630) * 4).subarray(0, 3)]).toEqual(BLUE);
  opened.page.tell({ type: 'end' });
  await opened.page.closing;
});

test('it is opened, worked in, watched and reloaded, and every page shows the same', async () => {
  const first = open(ann);
  const { sid, protocol } = await first.page.until('state');
  expect(protocol).toBe('vnc');
  await expect.poll(() => isBlue(first)).toEqual(BLUE);
  first.page.say(pointerEvent(321, 234));
  await expect.poll(mouse).toContain('x:321 y:234');

  on('xsetroot', '-mod', '3', '5', '-fg', 'red', '-bg', 'green');
  await expect.poll(() => isBlue(first)).not.toEqual(BLUE);
  const watching = open(bob, { type: 'attach', sid, mode: 'observer', width: 800, height: 600 });
  await expect.poll(() => hashOf(watching)).toBe(hashOf(first));
  watching.page.say(pointerEvent(11, 12));
  const again = open(ann, { type: 'attach', sid, width: 800, height: 600 });
  await expect.poll(() => hashOf(again)).toBe(hashOf(first));
  first.page.close();
  await first.page.closing;
  again.page.say(pointerEvent(400, 300));
  await expect.poll(mouse).toContain('x:400 y:300');
  on('xsetroot', '-solid', '#2e5b88');
  await expect.poll(() => isBlue(again)).toEqual(BLUE);
  await expect.poll(() => isBlue(watching)).toEqual(BLUE);
  again.page.tell({ type: 'end' });
  expect(await watching.page.until('ended')).toMatchObject({ cause: 'closed' });
});

test('played again, its recording ends with the picture that was seen, bit for bit, and holds no password', async () => {
  const opened = open(ann);
  const { sid } = await opened.page.until('state');
  await expect.poll(() => isBlue(opened)).toEqual(BLUE);
  const seen = hashOf(opened);
  opened.page.tell({ type: 'end' });
  await opened.page.closing;
  const path = join(dataDir, 'recordings', `${sid}.rec`);
  await expect.poll(async () => (await recordedItems(path)).at(-1)?.type).toBe('end');

  let played: VncScreen | undefined;
  for (const item of await recordedItems(path)) {
    if (item.type === 'segment') played = new VncScreen(() => {});
    if (item.type === 'output') {
      played?.hear(item.bytes);
      expect(item.bytes.includes(plain.password)).toBe(false);
    }
  }
  expect(played?.hash()).toBe(seen);
  // Of the last that was seen, as lists show it: drawn when somebody first asks.
  const listed = async () => {
    const { status, bytes } = await pictureOf(sid);
    return bytes.length > 0 && status === 200 ? [...PNG.sync.read(bytes).data.subarray(0, 3)] : status;
  };
  await expect.poll(listed, { timeout: 20_000 }).toEqual(BLUE);
});

test('clients of the wire reference, for whom the gateway would have to draw it, are sent to the console in words', async () => {
  const base = '/v1/webapi/sites/localhost';
  const client = new CompatClient(origin, ann, `${base}/desktops/desk/connect?username=vnc&width=800&height=600`);
  expect(await client.closing).toBe(1000);
  expect(client.notes).toEqual([
    { text: expect.stringMatching(/^'desk' is reached by VNC, .* connect in the console$/), severity: 2 },
  ]);
  const { sessions } = await call(ann.send, sessionRoutes.list, { params: CLUSTER });
  expect(sessions).toEqual([]);

  const [recorded] = (await gateway.events()).filter(({ code }) => code === 'TDP01I');
  const player = new CompatPlayer(origin, admin, `${base}/desktopplayback/${recorded?.data.sid}`);
  expect(await player.closing).toBe(1000);
  expect(player.frames).toEqual([
    { message: 'error', errorText: 'recordings of desktops by VNC can be played in the console alone' },
  ]);
  const stranger = new CompatClient(origin, bob, `${base}/desktops/desk/connect?username=vnc&width=800&height=600`);
  await stranger.closing;
  expect(stranger.notes.map(({ text }) => text).join()).not.toContain('VNC');
});

test('where none is stored a password is asked for, and the one that was typed is used', async () => {
  const without = open(ann, asked('asking')).page;
  expect(await without.until('refused')).toMatchObject({ code: 'password' });
  const wrong = open(ann, asked('asking', 'wrong')).page;
  expect(await wrong.until('refused')).toMatchObject({ code: 'sign_in' });
  const typed = open(ann, asked('asking', plain.password));
  await expect.poll(() => isBlue(typed)).toEqual(BLUE);
  typed.page.tell({ type: 'end' });
  await typed.page.closing;
});

const tried = (name: string) =>
  call(ann.send, diagnosticRoutes.connect, {
    params: CLUSTER,
    body: { resource_kind: 'windows_desktop', resource_name: name, windows_login: 'vnc' },
  });
const stepsOf = ({ traces = [] }: ConnectionDiagnostic) => traces.map(({ gatehouse }) => gatehouse?.step);
const lastOf = ({ traces = [] }: ConnectionDiagnostic) => {
  const { gatehouse, status, error, details } = traces.at(-1) ?? {};
  return { step: gatehouse?.step, status, error, details, next: gatehouse?.next };
};
const REACHED = ['access', 'access', 'reach', 'tcp', 'offers'];

test('it is tried up to the sign-in, and each step is told', async () => {
  const result = await tried('desk');
  expect([result.success, stepsOf(result)]).toEqual([true, [...REACHED, 'login']]);
  expect(result.traces?.map(({ details }) => details).join('\n')).toContain('without TLS');
  expect(lastOf(await tried('asking')).details).toContain('people are asked for it');
  await setPassword('asking', 'Wr0ng-se');
  const wrong = await tried('asking');
  expect(lastOf(wrong)).toMatchObject({ step: 'login', status: 'FAILED' });
  expect(JSON.stringify([wrong, await gateway.events()])).not.toContain('Wr0ng-se');
});

test('TLS is spoken where the host has it, once somebody has looked at its certificate', async () => {
  const unknown = await tried('safe');
  expect(lastOf(unknown)).toMatchObject({
    ...{ step: 'certificate', status: 'FAILED' },
    next: expect.stringContaining('trust-certificate safe'),
  });
  const { shown } = await call(admin.send, desktopRoutes.readCertificate, { params: { ...CLUSTER, name: 'safe' } });
  await call(admin.send, desktopRoutes.setCertificate, {
    params: { ...CLUSTER, name: 'safe' },
    body: { pin: shown.pin },
  });
  await setPassword('safe', secure.password);
  const known = await tried('safe');
  expect([known.success, stepsOf(known)]).toEqual([true, [...REACHED, 'tls', 'certificate', 'login']]);
  const opened = open(ann, asked('safe'));
  await expect.poll(() => isBlue(opened)).toEqual(BLUE);
  opened.page.tell({ type: 'end' });
  await opened.page.closing;
  await expect(
    call(admin.send, desktopRoutes.lookAt, { params: CLUSTER, body: { addr: plain.addr, protocol: 'vnc' } }),
  ).rejects.toMatchObject({ code: 'conflict' });
});

test('a host that lies ends its own session in words, and others go on', async () => {
  const host = await startVncHost();
  onTestFinished(() => host.stop());
  await add('liar', host);
  await setPassword('liar', 'anything');
  const sound = open(ann);
  await expect.poll(() => isBlue(sound)).toEqual(BLUE);

  for (const [init, words] of [
    [vncInit(64, 48, 'x', 0xffffffff), 'a name that is no name'],
    [vncInit(65_535, 65_535), '65535×65535 points'],
  ] as const) {
    host.init = init;
    const { page } = open(ann, asked('liar'));
    await host.next();
    expect(await page.until('refused')).toMatchObject({ message: expect.stringContaining(words) });
  }
  host.init = vncInit(64, 48);
  for (const [lie, words] of [
    [vncUpdate({ encoding: 0, x: 60, width: 5, height: 1 }), 'a rectangle lies outside of the desktop'],
    [vncUpdate({ encoding: 16, width: 1, height: 1 }), 'an encoding that nobody asked for'],
    [vncUpdate({ encoding: -223, width: 40_000, height: 2 }), '40000×2 points'],
    [Buffer.of(9), 'what nobody asked for'],
  ] as const) {
    const { page } = open(ann, asked('liar'));
    (await host.next()).send(lie);
    expect(await page.until('ended')).toMatchObject({ message: expect.stringContaining(words) });
  }
  const copying = open(ann, asked('liar'));
  const session = await host.next();
  await expect.poll(() => copying.screen?.size.width).toBe(64);
  session.send(vncCutText(Buffer.alloc(1024 * 1024 + 1, 65)));
  expect(await copying.page.until('clipboard')).toMatchObject({ refused: 'more than 1 MiB is not copied' });
  session.send(vncUpdate({ encoding: 0, x: 63, y: 47, width: 1, height: 1, body: Buffer.of(7, 8, 9, 0) }));
  await expect.poll(() => copying.screen?.at(63, 47)).toEqual([7, 8, 9]);
  session.end();
  expect(await copying.page.until('ended')).toMatchObject({ message: 'the host closed the connection' });

  sound.page.say(pointerEvent(77, 88));
  await expect.poll(mouse).toContain('x:77 y:88');
  sound.page.tell({ type: 'end' });
  await sound.page.closing;
});

test('where the agent that dialled is lost, its people hear that, and not that the host closed', async () => {
  const token = await newJoinToken(admin.send);
  const joined = await joinAgent(gateway.send, { token, name: 'edge-1' });
  const agent = startAgent(joined, { url: tunnelUrl(gateway.app), onDial: () => undefined });
  await expect.poll(() => gateway.connections.isConnected(joined.id)).toBe(true);
  await call(admin.send, desktopRoutes.add, {
    params: CLUSTER,
    body: { name: 'far', addr: plain.addr, protocol: 'vnc', labels: { env: 'dev' }, through: 'edge-1' },
  });
  await setPassword('far', plain.password);
  const opened = open(ann, asked('far'));
  await expect.poll(() => isBlue(opened), { timeout: 20_000 }).toEqual(BLUE);
  await agent.close({ drainMs: 0 });
  expect(await opened.page.until('ended')).toMatchObject({
    cause: 'agent_lost',
    message: 'the connection to the agent that reaches this desktop was lost',
  });
});
