/** Every door of the gateway, for somebody whose role ties sign-ins to one address: open there, shut elsewhere. */

import { once } from 'node:events';
import { apiTokenRoutes } from '@gatehouse/contract/access/api-tokens';
import { roleRoutes } from '@gatehouse/contract/access/roles/roles';
import { allRoutes } from '@gatehouse/contract/api/api';
import { SOCKETS } from '@gatehouse/contract/api/sockets';
import { cliLoginRoutes } from '@gatehouse/contract/identity/cli-login';
import { mfaRoutes } from '@gatehouse/contract/identity/mfa';
import { passwordRoutes } from '@gatehouse/contract/identity/passwords';
import { signInRoutes } from '@gatehouse/contract/identity/sign-in';
import { appRoutes } from '@gatehouse/contract/kinds/app/apps';
import { DB_EDITOR_SOCKET } from '@gatehouse/contract/kinds/db/editor';
import { KUBE_BROWSE_SOCKET } from '@gatehouse/contract/kinds/kube/browse';
import { fileRoutes } from '@gatehouse/contract/kinds/node/files/files';
import { TUNNEL_PATH } from '@gatehouse/contract/reach/tunnel/handshake';
import { DESKTOP_SOCKET } from '@gatehouse/contract/sessions/desktop-frames';
import { TERMINAL_SOCKET } from '@gatehouse/contract/sessions/terminal-frames';
import { call, type Send } from '@gatehouse/contract/wire/client';
import { pathFor } from '@gatehouse/contract/wire/route';
import { SOON_MS } from '@gatehouse/testkit/soon';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { type AppWorld, ask, makeRole, openApp, startAppWorld } from '../../../testing/apps/app-world.ts';
import { desktopOpening } from '../../../testing/desktop/desktop-page.ts';
import { enrolKey, PASSWORD, PROMPT } from '../../../testing/identity-gateway.ts';
import { opening } from '../../../testing/sessions/terminal-client.ts';
import type { TestBrowser } from '../../../testing/test-browser.ts';

const HERE = '127.0.0.1';
const ELSEWHERE = '127.0.0.2';
const WORDS = 'your sign-in is tied to another address: sign in again';
const SPEC =
  'allow: {app_labels: {env: dev}, rules: [{resources: [app_server, session], verbs: [list, read]}]}, options: {pin_source_ip: ';

let world: AppWorld;
let pia: TestBrowser;

beforeAll(async () => {
  world = await startAppWorld({ secondFactor: 'optional' });
  await makeRole(world.admin, 'pinned', `{${SPEC}true}}`);
  await world.gateway.addUser('pia', { roles: ['pinned'] });
  pia = await world.gateway.signedIn('pia');
  const port = await world.upstream((_, response) => void response.end('inside'));
  await world.add('web', `http://127.0.0.1:${port}`);
  await world.add('db', `tcp://127.0.0.1:${port}`);
});
afterAll(() => world.close());

/** The same browser, carried to another address: its cookies and bearer are all there. */
async function carried(browser: TestBrowser, address: string): Promise<TestBrowser> {
  const other = world.gateway.browser({ address });
  await other.open();
  for (const name of ['session', '__Host-session'])
    if (browser.cookies.has(name)) other.cookies.set(name, browser.cookies.get(name)!);
  other.bearer = browser.bearer;
  return other;
}

/** A command line or script at an address. */
const holding = (token: string, address: string): Send =>
  world.gateway.browser({ address }).sendWith({ authorization: `Bearer ${token}` });

const codes = async (code: string) => (await world.gateway.events()).filter((event) => event.code === code);

test('every call that asks for a sign-in is refused elsewhere, in the same words', async () => {
  const thief = await carried(pia, ELSEWHERE);
  const wrong: string[] = [];
  for (const { feature, name, route } of allRoutes()) {
    if (route.auth === 'public') continue;
    const url = route.path.replaceAll(/:[A-Za-z]\w*/g, 'x');
    const { status, text } = await thief.send({ method: route.method, url, ...(route.body ? { body: '{}' } : {}) });
    if (status !== 403 || !text.includes(WORDS)) wrong.push(`${feature}.${name}: ${status} ${text}`);
  }

  expect(wrong).toEqual([]);
  expect(await call(pia.send, signInRoutes.status, {})).toEqual({ message: 'ok' });
  await expect(call(thief.send, signInRoutes.renew, { body: {} })).rejects.toMatchObject({ code: 'not_signed_in' });
  expect((await codes('GH170W'))[0]).toMatchObject({
    user: 'pia',
    data: { user: 'pia', tied_to: HERE, 'addr.remote': ELSEWHERE },
  });
});

test('the page hands out no bearer elsewhere, and goes on where it belongs', async () => {
  const thief = await carried(pia, ELSEWHERE);

  expect(await thief.open()).toBeUndefined();
  expect(await (await carried(pia, HERE)).open()).toMatchObject({ type: 'Bearer' });
});

/** What became of a socket: the status and words of a refused upgrade, the code and reason of a close, or `open`. */
async function trySocket(path: string, from: string): Promise<string> {
  const url = path.replaceAll(/:[A-Za-z]\w*/g, 'localhost');
  const params = encodeURIComponent(JSON.stringify({ login: 'x', server_id: 'x', term: { h: 24, w: 80 } }));
  const socket = new WebSocket(`ws://127.0.0.1:${world.port}${url}?access_token=${pia.bearer}&params=${params}`, {
    localAddress: from,
    headers: {
      host: 'localhost:3080',
      origin: 'http://localhost:3080',
      cookie: [...pia.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
    },
  });
  socket.on('open', () => {
    socket.send(JSON.stringify({ type: 'hello', token: pia.bearer }));
    // The terminal says nothing before it is asked for something.
    if (path === TERMINAL_SOCKET) socket.send(JSON.stringify(opening('x', 'x')));
    if (path === DB_EDITOR_SOCKET) socket.send(JSON.stringify({ type: 'open', dbUser: 'x' }));
    if (path === DESKTOP_SOCKET) socket.send(JSON.stringify(desktopOpening('x', 'x')));
    if (path === KUBE_BROWSE_SOCKET) socket.send(JSON.stringify({ type: 'open' }));
  });
  try {
    return await Promise.race([
      once(socket, 'close').then(([code, reason]) => `${code} ${reason}`),
      once(socket, 'message').then(() => 'open'),
      once(socket, 'unexpected-response').then(async ([, response]) => {
        const [text] = await once(response, 'data');
        return `${response.statusCode} ${text}`;
      }),
    ]);
  } finally {
    socket.on('error', () => undefined).terminate();
  }
}

test.each(SOCKETS.filter((path) => path !== TUNNEL_PATH))('the socket %s opens at its address alone', async (path) => {
  expect(await trySocket(path, ELSEWHERE)).toMatch(new RegExp(`^(403|4403) .*${WORDS}`, 's'));
  // Something is said there: that it is ready, or that what was asked for does not exist. Nobody is shown the door.
  expect(await trySocket(path, HERE)).not.toContain(WORDS);
});

test('an application, its websockets and its codes open at one address alone', async () => {
  const visit = (from: string) => (options: Parameters<typeof ask>[1]) => ask(world.port, { ...options, from });
  const host = 'web.localhost';
  const cookie = await openApp(world, pia, host);
  expect((await ask(world.port, { host, headers: { cookie } })).body).toBe('inside');

  const stolen = await ask(world.port, { host, headers: { cookie }, from: ELSEWHERE });
  expect([stolen.status, stolen.headers.location]).toEqual([302, expect.stringContaining('/web/launch/')]);
  const upgrade = { cookie, connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-key': 'eA==' };
  expect((await ask(world.port, { host, headers: upgrade, from: ELSEWHERE })).status).toBe(401);
  // A code made at the right address is worth nothing at another.
  await expect(openApp(world, pia, host, '/', visit(ELSEWHERE))).rejects.toThrow(WORDS.slice(1));
  const { cookie_value, subject_cookie_value } = await call(pia.send, appRoutes.session, {
    body: { fqdn: host } as never,
  });
  const headers = {
    origin: 'http://localhost:3080',
    'x-cookie-value': cookie_value,
    'x-subject-cookie-value': subject_cookie_value,
  };
  const handshake = (from: string) =>
    ask(world.port, { host, path: '/x-teleport-auth', method: 'POST', headers, from });
  expect((await handshake(ELSEWHERE)).status).toBe(403);
  expect((await handshake(HERE)).status).toBe(200);
  expect((await codes('GH170W')).map(({ data }) => data.door)).toContain('application');
});

test('a ticket for a download is no use elsewhere', async () => {
  const url = pathFor(fileRoutes.download.path, { clusterId: '-current-', ticket: '0'.repeat(64) });
  const get = async (address: string) =>
    (await carried(pia, address)).sendWith({ authorization: undefined })({
      method: 'GET',
      url,
    });

  expect((await get(ELSEWHERE)).text).toContain(WORDS);
  expect((await get(HERE)).text).toContain('this download was started before');
});

test('a token for scripts belongs to where it is first used', async () => {
  const { token } = await call(pia.send, apiTokenRoutes.create, {
    body: { name: 'ci', scope: 'all', ttlSeconds: 3600 },
  });

  expect((await call(holding(token, '2001:db8:1:2::1'), signInRoutes.status, {})).message).toBe('ok');
  expect((await call(holding(token, '2001:0DB8:1:2:ffff::9'), signInRoutes.status, {})).message).toBe('ok');
  await expect(call(holding(token, '2001:db8:1:3::1'), signInRoutes.status, {})).rejects.toThrow(WORDS);
  await expect(call(holding(token, HERE), signInRoutes.status, {})).rejects.toThrow(WORDS);
});

test('a command line is let in at the address of the browser that says yes, and fetches its credential there', async () => {
  const begin = (address: string) =>
    call(world.gateway.browser({ address }).send, cliLoginRoutes.begin, { body: { client: 'laptop' } });
  const accept = (requestId: string) =>
    call(pia.send, cliLoginRoutes.answer, { params: { requestId }, body: { action: 'accept' } });
  const poll = ({ requestId, secret }: { requestId: string; secret: string }, address: string) =>
    call(world.gateway.browser({ address }).send, cliLoginRoutes.poll, { params: { requestId }, body: { secret } });

  const far = await begin(ELSEWHERE);
  await expect(accept(far.requestId)).rejects.toThrow(WORDS);
  expect(await poll(far, ELSEWHERE)).toEqual({ state: 'pending' });
  const near = await begin(HERE);
  await accept(near.requestId);
  await expect(poll(near, ELSEWHERE)).rejects.toThrow(WORDS);
  const { token = '' } = await poll(near, HERE);
  expect((await call(holding(token, HERE), signInRoutes.status, {})).message).toBe('ok');
  await expect(call(holding(token, ELSEWHERE), signInRoutes.status, {})).rejects.toThrow(WORDS);
});

test('privileges and keys are asked for and answered at one address', async () => {
  const tokenId = await call(pia.send, passwordRoutes.createPrivilegeToken, { body: {} });
  const params = { tokenId };
  const thief = await carried(pia, ELSEWHERE);
  const body = { deviceType: 'totp' } as const;
  await expect(call(thief.send, mfaRoutes.registerChallenge, { params, body })).rejects.toThrow(WORDS);
  await expect(call(thief.send, mfaRoutes.tokenDevices, { params })).rejects.toThrow(WORDS);
  const key = await enrolKey(pia, tokenId);

  const signIn = async (begun: string, finished: string) => {
    const [first, second] = [world.gateway.browser({ address: begun }), world.gateway.browser({ address: finished })];
    await first.open();
    await second.open();
    const asked = await call(first.send, mfaRoutes.beginLogin, { body: { user: 'pia', pass: PASSWORD } });
    const webauthnAssertionResponse = key.assert(asked.webauthn_challenge!, PROMPT);
    return call(second.send, mfaRoutes.finishLogin, { body: { user: 'pia', webauthnAssertionResponse } });
  };
  await expect(signIn(HERE, ELSEWHERE)).rejects.toThrow(WORDS);
  expect(await signIn(ELSEWHERE, ELSEWHERE)).toMatchObject({ type: 'Bearer' });
});

test('who has no such role moves about freely, and a forged header moves nobody', async () => {
  expect((await call((await carried(world.ann, ELSEWHERE)).send, signInRoutes.status, {})).message).toBe('ok');
  const thief = await carried(pia, ELSEWHERE);
  const forged = thief.sendWith({ 'x-forwarded-for': HERE, 'x-real-ip': HERE, forwarded: `for=${HERE}` });
  await expect(call(forged, signInRoutes.status, {})).rejects.toThrow(WORDS);
});

test('a role that pins from now on counts for what is open: sockets and applications end within two seconds', async () => {
  await makeRole(world.admin, 'roams', `{${SPEC}false}}`);
  await world.gateway.addUser('rob', { roles: ['roams'] });
  const rob = await world.gateway.signedIn('rob');
  const { token } = await call(rob.send, apiTokenRoutes.create, {
    body: { name: 'old', scope: 'all', ttlSeconds: 3600 },
  });
  await call(holding(token, HERE), signInRoutes.status, {});
  const far = await carried(rob, ELSEWHERE);
  const visit = (options: Parameters<typeof ask>[1]) => ask(world.port, { ...options, from: ELSEWHERE });
  const cookie = await openApp(world, far, 'web.localhost', '/', visit);
  const inside = () => visit({ host: 'web.localhost', headers: { cookie } });
  expect((await inside()).body).toBe('inside');
  const open = (from: string) => {
    const headers = {
      host: 'localhost:3080',
      origin: 'http://localhost:3080',
      cookie: [...rob.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
    };
    const socket = new WebSocket(`ws://127.0.0.1:${world.port}/v1/webapi/changes`, { localAddress: from, headers });
    socket.on('open', () => socket.send(JSON.stringify({ type: 'hello', token: rob.bearer })));
    return socket;
  };
  const [gone, stays] = [open(ELSEWHERE), open(HERE)];
  const closed = once(gone, 'close');
  await Promise.all([once(gone, 'message'), once(stays, 'message')]);

  const content = `kind: role\nversion: v6\nmetadata: {name: roams}\nspec: {${SPEC}true}}\n`;
  await call(world.admin.send, roleRoutes.update, { params: { name: 'roams' }, body: { content } });
  const since = performance.now();

  const [code, reason] = await closed;
  expect([code, String(reason)]).toEqual([4401, 'other_address']);
  const status = () =>
    inside().then(
      (answered) => answered.status,
      () => 'cut',
    );
  while ((await status()) === 200) expect(performance.now() - since).toBeLessThan(SOON_MS);
  expect(performance.now() - since).toBeLessThan(SOON_MS);
  expect(stays.readyState).toBe(stays.OPEN);
  stays.terminate();
  await expect(call(far.send, signInRoutes.status, {})).rejects.toThrow(WORDS);
  await expect(call(holding(token, ELSEWHERE), signInRoutes.status, {})).rejects.toThrow(WORDS);
  expect((await call(rob.send, signInRoutes.status, {})).message).toBe('ok');
});
