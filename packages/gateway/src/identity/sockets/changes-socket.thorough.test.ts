import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { roleRoutes } from '@gatehouse/contract/access/roles/roles';
import { clusterRoutes } from '@gatehouse/contract/console/clusters';
import { CHANGES_SOCKET, CLOSE_CODES } from '@gatehouse/contract/identity/change-frames';
import { signInRoutes } from '@gatehouse/contract/identity/sign-in';
import { signInsRoutes } from '@gatehouse/contract/identity/sign-ins';
import { call } from '@gatehouse/contract/wire/client';
import { SOON_MS } from '@gatehouse/testkit/soon';
import { afterEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { type IdentityGateway, startIdentityGateway } from '../../../testing/identity-gateway.ts';
import type { TestBrowser } from '../../../testing/test-browser.ts';
import { publish } from '../../platform/change-feed/publish.ts';

let gateway: IdentityGateway;
const sockets: WebSocket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.terminate();
  await gateway.close();
});

async function start(options = {}): Promise<TestBrowser> {
  gateway = await startIdentityGateway(options);
  await gateway.addUser('ann', { roles: ['editor'] });
  await gateway.app.listen({ host: '127.0.0.1', port: 0 });
  return gateway.signedIn('ann');
}

interface Heard {
  socket: WebSocket;
  frames: unknown[];
  closed: Promise<{ code: number; at: number }>;
}

function connect(browser: TestBrowser, headers: Record<string, string> = {}): Heard {
  const { port } = gateway.app.server.address() as AddressInfo;
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const socket = new WebSocket(`ws://127.0.0.1:${port}${CHANGES_SOCKET}`, {
    headers: { host: 'localhost:3080', origin: 'http://localhost:3080', cookie, ...headers },
  });
  sockets.push(socket);
  const frames: unknown[] = [];
  socket.on('message', (data) => frames.push(JSON.parse(String(data))));
  socket.on('error', () => undefined);
  // Not `once`: that fails on an error before the close, which is how a refused socket ends.
  const closed = new Promise<{ code: number; at: number }>((resolve) => {
    socket.on('close', (code) => resolve({ code, at: Date.now() }));
  });
  return { socket, frames, closed };
}

async function opened(browser: TestBrowser): Promise<Heard> {
  const heard = connect(browser);
  await once(heard.socket, 'open');
  heard.socket.send(JSON.stringify({ type: 'hello', token: browser.bearer }));
  await once(heard.socket, 'message');
  expect(heard.frames).toEqual([{ type: 'ready' }]);
  return heard;
}

test('a console hears of alerts, and that it was signed out, and the socket closes soon', async () => {
  const browser = await start();
  const { frames, closed, socket } = await opened(browser);

  const params = { clusterId: '-current-' };
  const heard = once(socket, 'message');
  await call(browser.send, clusterRoutes.postAlert, { params, body: { message: 'maintenance at noon' } });
  await heard;
  const ended = Date.now();
  await call(browser.send, signInRoutes.signOut, {});

  const { code, at } = await closed;
  expect(code).toBe(CLOSE_CODES.signInEnded);
  expect(at - ended).toBeLessThan(SOON_MS);
  expect(frames).toContainEqual({ type: 'alerts' });
  expect(frames).toContainEqual({ type: 'ended', reason: 'signed_out' });
});

test('a console hears when a role changed, and then finds the change in force', async () => {
  const ann = await start();
  const { frames, socket } = await opened(ann);
  const content = 'kind: role\nversion: v6\nmetadata: { name: extra }\n';

  await call(ann.send, roleRoutes.create, { body: { content } });
  await expect.poll(() => frames.length, { timeout: 2000 }).toBeGreaterThan(1);

  expect(frames.at(-1)).toEqual({ type: 'user' });
  expect(socket.readyState).toBe(WebSocket.OPEN);
});

test('a crowd of changed resources is one notice at once and one more for the rest', async () => {
  const { frames } = await opened(await start());
  const notices = () => frames.filter((frame) => (frame as { type: string }).type === 'resources').length;
  const changed = async (...ids: string[]) => {
    await gateway.storage.db
      .transaction()
      .execute((tx) => publish(tx, ...ids.map((id) => ({ topic: 'resource', id }))));
  };

  await changed('node/a');
  await expect.poll(notices, { timeout: 500 }).toBe(1);
  await changed('node/b', 'node/c', 'node/d');
  await changed('node/e');

  await expect.poll(notices, { timeout: 2_000 }).toBe(2);
});

test('an administrator who ends a sign-in closes its sockets and no others', async () => {
  const ann = await start();
  await gateway.addUser('bob');
  const bob = await gateway.signedIn('bob');
  const annsSocket = await opened(ann);
  const bobsSocket = await opened(bob);

  await call(ann.send, signInsRoutes.endAllOfUser, { params: { username: 'bob' } });

  expect((await bobsSocket.closed).code).toBe(CLOSE_CODES.signInEnded);
  expect(bobsSocket.frames.at(-1)).toEqual({ type: 'ended', reason: 'ended_by_administrator' });
  expect(annsSocket.socket.readyState).toBe(WebSocket.OPEN);
});

test('sockets close when the sign-in expires or the browser is left alone', async () => {
  const browser = await start({ inactivityTimeoutMs: 60_000 });
  const { closed, frames } = await opened(browser);

  gateway.clock.advance(60_001);

  expect((await closed).code).toBe(CLOSE_CODES.signInEnded);
  expect(frames.at(-1)).toEqual({ type: 'ended', reason: 'inactive' });
});

test.each([
  ['a wrong token', JSON.stringify({ type: 'hello', token: 'f'.repeat(64) }), CLOSE_CODES.notSignedIn],
  ['no hello', JSON.stringify({ type: 'alerts' }), CLOSE_CODES.badHello],
  ['an empty token', JSON.stringify({ type: 'hello', token: '' }), CLOSE_CODES.badHello],
  ['not JSON', '{', CLOSE_CODES.badHello],
])('%s as first message closes the socket', async (_, message, code) => {
  const browser = await start();
  const { socket, closed } = connect(browser);
  await once(socket, 'open');

  socket.send(message);

  expect((await closed).code).toBe(code);
});

test('the token of one browser does not open a socket for another’s cookie', async () => {
  const ann = await start();
  await gateway.addUser('bob');
  const bob = await gateway.signedIn('bob');
  const { socket, closed } = connect(ann);
  await once(socket, 'open');

  socket.send(JSON.stringify({ type: 'hello', token: bob.bearer }));

  expect((await closed).code).toBe(CLOSE_CODES.notSignedIn);
});

test.each([
  ['another site', { origin: 'https://evil.example.com' }],
  ['another port', { origin: 'http://localhost:9' }],
  ['a page without origin', { origin: 'null' }],
  ['a name that is not ours', { host: 'evil.example.com', origin: 'http://evil.example.com' }],
])('%s cannot open a socket with the visitor’s cookies', async (_, headers) => {
  const browser = await start();
  const { socket } = connect(browser, headers);

  const [, response] = await once(socket, 'unexpected-response');

  expect(response.statusCode).toBe(403);
});

test('the address of the socket without a websocket is refused as such', async () => {
  await start();

  const response = await gateway.send({ method: 'GET', url: CHANGES_SOCKET });

  expect(response.status).toBe(400);
});

test('a gateway that closes tells its sockets to connect again', async () => {
  const browser = await start();
  const { closed } = await opened(browser);

  await gateway.app.close();

  expect((await closed).code).toBe(1001);
});

test('what comes of a join token is heard by who made it and who may list it, at most once a second, and by nobody else', async () => {
  const ann = await start();
  await gateway.addUser('other', { roles: ['editor'] });
  await gateway.addUser('guest', { roles: ['access'] });
  const mine = await opened(ann);
  const listed = await opened(await gateway.signedIn('other'));
  const guest = await opened(await gateway.signedIn('guest'));
  const count = ({ frames }: Heard) => frames.filter((frame) => JSON.stringify(frame).includes('join-progress')).length;
  const tell = (times: number) =>
    gateway.storage.db.transaction().execute(async (tx) => {
      for (let at = 0; at < times; at += 1)
        await publish(tx, { topic: 'join-progress', id: 'a token', data: { user: 'ann' } });
      await publish(tx, { topic: 'alert', id: 'the last' });
    });

  await tell(100);

  await expect.poll(() => [count(mine), count(listed)], { timeout: SOON_MS }).toEqual([2, 2]);
  await expect.poll(() => guest.frames, { timeout: SOON_MS }).toContainEqual({ type: 'alerts' });
  expect(count(guest)).toBe(0);
});

test('what somebody asks others to allow is heard by them and by who may list it, and nobody asks for all resources again', async () => {
  await start();
  await gateway.addUser('asker', { roles: ['access'] });
  await gateway.addUser('guest', { roles: ['access'] });
  await gateway.addUser('ben', { roles: ['approver'] });
  const content =
    'kind: role\nversion: v6\nmetadata: { name: approver }\nspec: { allow: { rules: [{ resources: [db_approval], verbs: [list, read] }] } }\n';
  await call((await gateway.signedIn('ann')).send, roleRoutes.create, { body: { content } });
  await gateway.settled();
  const [asker, ben, guest] = [
    await opened(await gateway.signedIn('asker')),
    await opened(await gateway.signedIn('ben')),
    await opened(await gateway.signedIn('guest')),
  ];
  const count = ({ frames }: Heard) =>
    frames.filter((frame) => (frame as { type: string }).type === 'approvals').length;

  await gateway.storage.db.transaction().execute(async (tx) => {
    for (let at = 0; at < 100; at += 1)
      await publish(tx, { topic: 'approval', id: 'one', data: { user: 'asker', of: 'db_approval' } });
    await publish(tx, { topic: 'alert', id: 'the last' });
  });

  await expect.poll(() => [count(asker), count(ben)], { timeout: SOON_MS }).toEqual([2, 2]);
  await expect.poll(() => guest.frames, { timeout: SOON_MS }).toContainEqual({ type: 'alerts' });
  expect(count(guest)).toBe(0);
  expect([asker, ben, guest].flatMap(({ frames }) => frames)).not.toContainEqual({ type: 'resources' });
});
