/** What ends a session with an application, and that everything open in it ends with it: pages under way, websockets, TCP. */

import { once } from 'node:events';
import { createServer, get, type IncomingMessage } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { lockRoutes } from '@gatehouse/contract/access/locks/locks';
import { roleRoutes } from '@gatehouse/contract/access/roles/roles';
import { cliLoginRoutes } from '@gatehouse/contract/identity/cli-login';
import { signInRoutes } from '@gatehouse/contract/identity/sign-in';
import { APP_TCP_SOCKET, appRoutes } from '@gatehouse/contract/kinds/app/apps';
import { call, type Send } from '@gatehouse/contract/wire/client';
import { median, SOON_MS } from '@gatehouse/testkit/soon';
import { openTcpStream } from '@gatehouse/tunnel/sessions/tcp-stream';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import {
  AGENT,
  type AppWorld,
  ask,
  cookieText,
  makeRole,
  openApp,
  startAppWorld,
} from '../../../testing/apps/app-world.ts';
import { PASSWORD } from '../../../testing/identity-gateway.ts';
import { makeTakeawayRoles, TAKEAWAY_NAMES, TAKEAWAYS } from '../../../testing/takeaways.ts';
import type { TestBrowser } from '../../../testing/test-browser.ts';
import { FROZEN_AFTER_MS } from '../../platform/change-feed/lost-store.ts';

/** How long each took to be over, in milliseconds. */
const took: number[] = [];

const HOST = 'lively.localhost';
const REST_MS = 21 * 60_000;
const SIGNED_OUT_MS = 30 * 60_000;
const DAY_MS = 24 * 60 * 60_000;
let world: AppWorld;
let tcp: Server;
const sockets = new Set<Socket>();

beforeAll(async () => {
  world = await startAppWorld({ inactivityTimeoutMs: SIGNED_OUT_MS });
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('data: here\n\n');
  });
  new WebSocketServer({ server }).on('connection', (socket) => socket.send('here'));
  await world.add('lively', `http://127.0.0.1:${await world.server(server)}`);
  tcp = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.write('here');
  });
  await new Promise<void>((resolve) => tcp.listen(0, '127.0.0.1', resolve));
  await makeTakeawayRoles(world.admin);
  await world.add('bytes', `tcp://127.0.0.1:${(tcp.address() as AddressInfo).port}`);
});
afterAll(async () => {
  await world.close();
  for (const socket of sockets) socket.destroy();
  tcp.close();
});

/** Signs a command line in as they do it: asked for there, accepted in their browser. */
async function commandLine(who: TestBrowser): Promise<{ token: string; send: Send }> {
  const { requestId, secret } = await call(world.gateway.send, cliLoginRoutes.begin, { body: { client: 'test' } });
  await call(who.send, cliLoginRoutes.answer, { params: { requestId }, body: { action: 'accept' } });
  const { token = '' } = await call(world.gateway.send, cliLoginRoutes.poll, {
    params: { requestId },
    body: { secret },
  });
  return { token, send: world.gateway.browser().sendWith({ authorization: `Bearer ${token}` }) };
}

let people = 0;
let visits = 0;

/** Each from an address of its own: one address does not sign in so many. */
async function signedIn(name: string): Promise<TestBrowser> {
  visits += 1;
  const browser = world.gateway.browser({ address: `127.0.1.${visits}` });
  await browser.signIn(name, PASSWORD);
  return browser;
}

/** Somebody with everything open; `ended` says of each when it is over. */
async function somebody(options = '{}') {
  // The clock may have been moved past the sign-in of the one before.
  const admin = await signedIn('admin');
  people += 1;
  const name = `person-${people}`;
  const role = `role-of-${name}`;
  await makeRole(admin, role, `{options: ${options}, allow: {app_labels: {env: dev}}}`);
  await world.gateway.addUser(name, { roles: [role] });
  const who = await signedIn(name);
  const cli = await commandLine(who);
  const cookie = await openApp(world, who, HOST);
  const headers = { host: HOST, 'user-agent': AGENT, cookie };

  const page = get({ port: world.port, path: '/events', headers, agent: false });
  const [answer] = (await once(page, 'response')) as [IncomingMessage];
  answer.on('error', () => {}).resume();
  const socket = new WebSocket(`ws://127.0.0.1:${world.port}/`, { headers });
  socket.on('error', () => {});
  await once(socket, 'message');
  const origin = `http://127.0.0.1:${world.port}`;
  const dial = () =>
    openTcpStream({
      door: APP_TCP_SOCKET,
      origin,
      token: cli.token,
      clusterId: 'localhost',
      name: 'bytes',
      userAgent: 'test',
    });
  const bytes = await dial();
  bytes.on('error', () => {});
  await once(bytes, 'data');

  const [answered, websocket, connection] = [answer, socket, bytes].map(
    (each) => new Promise((resolve) => each.once('close', resolve)),
  );
  return { name, role, admin, who, cli, cookie, ended: { answered, websocket, connection }, answer, dial };
}

/** Only what was open is over. */
const MAY_COME_BACK = /^(a change of the application|resting)/;

type Somebody = Awaited<ReturnType<typeof somebody>>;

test.each<[string, (one: Somebody) => unknown]>([
  [
    'signing out',
    async ({ who, cli }) => {
      await call(who.send, signInRoutes.signOut, {});
      await call(cli.send, signInRoutes.signOut, {});
    },
  ],
  [
    'a lock',
    ({ name, admin }) =>
      call(admin.send, lockRoutes.create, {
        params: { clusterId: 'localhost' },
        body: { targets: { user: name }, message: 'holiday' } as never,
      }),
  ],
  [
    'losing the role',
    ({ role, admin }) =>
      call(admin.send, roleRoutes.update, {
        params: { name: role },
        body: { content: `kind: role\nversion: v6\nmetadata: {name: ${role}}\nspec: {allow: {}}\n` },
      }),
  ],
  [
    'the end of the time a role lasts',
    async ({ role, admin }) => {
      const expires = new Date(world.gateway.clock.now + 60_000).toISOString();
      const spec = '{allow: {app_labels: {env: dev}}}';
      const content = `kind: role\nversion: v6\nmetadata: {name: ${role}, expires: "${expires}"}\nspec: ${spec}\n`;
      await call(admin.send, roleRoutes.update, { params: { name: role }, body: { content } });
      // Decided by the changed role before it runs out: from then on only the clock can tell.
      await sleep(300);
      world.gateway.clock.advance(60_001);
    },
  ],
  [
    'a change of the application',
    async ({ admin }) => {
      for (const name of ['lively', 'bytes']) {
        const params = { clusterId: 'localhost', name };
        const { app: _, ...rest } = await call(admin.send, appRoutes.get, { params });
        const body = { ...rest, description: `changed ${Math.random()}` };
        await call(admin.send, appRoutes.update, { params, body } as never);
      }
    },
  ],
  ...TAKEAWAY_NAMES.map((what): [string, (one: Somebody) => unknown] => [
    `that ${what}`,
    ({ name, role, admin }) => TAKEAWAYS[what](admin, name, [role]),
  ]),
  ['resting longer than the role lets a session rest', () => world.gateway.clock.advance(REST_MS)],
  ['the end of the time a sign-in lasts', () => world.gateway.clock.advance(DAY_MS)],
])('%s ends what is open soon, and the page asks to be launched again', async (cause, act) => {
  const one = await somebody(cause.startsWith('resting') ? '{client_idle_timeout: 20m}' : '{}');
  const began = performance.now();

  await act(one);
  await Promise.all(Object.values(one.ended));

  took.push(performance.now() - began);
  expect(took.at(-1)).toBeLessThan(SOON_MS);
  // Cut off, not finished: half a page is not a whole one.
  expect(one.answer.complete).toBe(false);
  const again = await ask(world.port, { host: HOST, headers: { cookie: one.cookie } });
  expect([again.status, again.headers.location]).toEqual([302, expect.stringContaining('/web/launch/')]);
  if (!MAY_COME_BACK.test(cause)) await expect(one.dial()).rejects.toThrow();
  const codes = async () =>
    (await world.gateway.events()).filter(({ user }) => user === one.name).map(({ code }) => code);
  // Written after what was open was cut: nobody waits for the log meanwhile.
  await expect.poll(async () => (await codes()).filter((code) => code === 'T2011I').length).toBe(2);
  expect(await codes()).toEqual(expect.arrayContaining(['T2007I', 'T2008I']));
});

test('half an hour without doing anything signs a browser out, and ends what it had open', async () => {
  const { ended, cookie } = await somebody();
  const began = performance.now();

  world.gateway.clock.advance(SIGNED_OUT_MS + 1);
  await Promise.all([ended.answered, ended.websocket]);

  took.push(performance.now() - began);
  expect(took.at(-1)).toBeLessThan(SOON_MS);
  expect((await ask(world.port, { host: HOST, headers: { cookie } })).status).toBe(302);
});

test('a minute without the store cuts what is open, nothing is asked meanwhile, and the session goes on afterwards', async () => {
  onTestFinished(() => world.gateway.beSilentFor(0));
  const { ended, cookie, answer, dial } = await somebody();
  const cut = vi.fn();
  for (const one of Object.values(ended)) void one?.then(cut);

  world.gateway.beSilentFor(FROZEN_AFTER_MS - 5_000);
  // Longer than it takes to notice.
  await sleep(1_500);
  expect(cut).not.toHaveBeenCalled();
  world.gateway.beSilentFor(FROZEN_AFTER_MS + 1);
  await Promise.all(Object.values(ended));

  expect(answer.complete).toBe(false);
  expect((await ask(world.port, { host: HOST, headers: { cookie } })).status).toBe(503);
  await expect(dial()).rejects.toThrow();
  world.gateway.beSilentFor(0);
  const again = get({ port: world.port, headers: { host: HOST, 'user-agent': AGENT, cookie }, agent: false });
  const [{ statusCode }] = (await once(again, 'response')) as [IncomingMessage];
  again.destroy();
  expect(statusCode).toBe(200);
});

test.each(TAKEAWAY_NAMES)(
  'a code that was made before, and a page that was launched by it, open nothing once %s',
  async (what) => {
    const admin = await signedIn('admin');
    people += 1;
    const [name, role] = [`person-${people}`, `role-of-person-${people}`];
    await makeRole(admin, role, '{allow: {app_labels: {env: dev}}}');
    await world.gateway.addUser(name, { roles: [role] });
    const who = await signedIn(name);
    const first = await ask(world.port, { host: HOST });
    const state = new URL(first.headers.location ?? '').searchParams.get('state') ?? '';
    const body = { fqdn: HOST, path: '/', state } as never;
    const { url } = await call(who.send, appRoutes.launch, { body });
    await TAKEAWAYS[what](admin, name, [role]);
    const { pathname, search } = new URL(url);
    const headers = { cookie: cookieText(first) };
    const redeemed = await ask(world.port, { host: HOST, path: `${pathname}${search}`, headers });

    await expect
      .poll(async () => (await ask(world.port, { host: HOST, headers: { cookie: cookieText(redeemed) } })).status, {
        timeout: SOON_MS,
      })
      .toBe(302);
  },
);

test('what is taken away is over within two seconds', () => {
  expect(took.length).toBeGreaterThan(5);
  expect(median(took)).toBeLessThan(2_000);
});
