import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { signInRoutes } from '@gatehouse/contract/identity/sign-in';
import { APP_TCP_SOCKET, appRoutes } from '@gatehouse/contract/kinds/app/apps';
import { call } from '@gatehouse/contract/wire/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { type AppWorld, startAppWorld } from '../../../testing/apps/app-world.ts';

let world: AppWorld;
let webPort: number;
const echo = createServer((socket) => {
  socket.on('error', () => {});
  socket.pipe(socket);
});

beforeAll(async () => {
  world = await startAppWorld();
  webPort = await world.upstream((_, response) => void response.end('here'));
  await new Promise<void>((resolve) => echo.listen(0, '127.0.0.1', resolve));
  await world.add('wiki', `http://127.0.0.1:${webPort}`, { publicAddr: 'wiki.corp.example' });
  await world.add('redis', `tcp://127.0.0.1:${(echo.address() as AddressInfo).port}`);
  await world.add('vault', 'tcp://127.0.0.1:9', { labels: { env: 'prod' } });
});
afterAll(async () => {
  await world.close();
  echo.close();
});

const at = { clusterId: 'localhost' };

test.each([
  ['a name that is taken', { name: 'wiki', uri: 'http://a' }, 409],
  ['a host that is taken', { name: 'other', uri: 'http://a', publicAddr: 'wiki.corp.example' }, 409],
  ['the host of another under the gateway', { name: 'other', uri: 'http://a', publicAddr: 'redis.localhost' }, 409],
  ['the gateway’s own host', { name: 'other', uri: 'http://a', publicAddr: 'localhost' }, 400],
  ['credentials of a cloud', { name: 'other', uri: 'http://169.254.169.254/latest' }, 400],
  ['the same in IPv6', { name: 'other', uri: 'http://[::ffff:a9fe:a9fe]/' }, 400],
  ['the gateway itself', { name: 'other', uri: 'http://localhost:3080' }, 400],
  ['the gateway by its address', { name: 'other', uri: 'http://127.0.0.1:3080/web' }, 400],
  ['a name that is no host', { name: 'Other App', uri: 'http://a' }, 400],
  ['a script as address', { name: 'other', uri: 'javascript:alert(1)' }, 400],
  ['a password in the address', { name: 'other', uri: 'http://u:p@a' }, 400],
  ['a hidden label', { name: 'other', uri: 'http://a', labels: { 'teleport.internal/x': '1' } }, 400],
  ['a header with a line break', header('X', 'a\r\nb'), 400],
  ['a header of the gateway', header('X-Forwarded-For', '1'), 400],
  ['a template that is none', header('X', '{{internal.nothing}}'), 400],
  ['an expression that is none', header('X', '{{regexp.replace(external.team, "(", "x")}}'), 400],
  ['a path that no request carries', { name: 'other', uri: 'http://a/ł' }, 400],
])('%s is refused at save', async (_, body, status) => {
  await expect(call(world.admin.send, appRoutes.add, { params: at, body: body as never })).rejects.toMatchObject({
    status,
  });
});

function header(name: string, value: string) {
  return { name: 'other', uri: 'http://a', rewrite: { headers: [{ name, value }] } };
}

test('an application is added, changed and removed, with an event for each; others may not', async () => {
  const params = { ...at, name: 'blog' };
  await world.add('blog', 'http://127.0.0.1:9', { description: 'ours' });
  const { app: _, ...details } = await call(world.admin.send, appRoutes.get, { params });
  await call(world.admin.send, appRoutes.update, { params, body: { ...details, description: 'new' } });
  const denied = { status: 403 };

  await expect(call(world.ann.send, appRoutes.remove, { params })).rejects.toMatchObject(denied);
  expect((await call(world.ann.send, appRoutes.get, { params })).description).toBe('new');
  await call(world.admin.send, appRoutes.remove, { params });

  await expect(call(world.ann.send, appRoutes.get, { params })).rejects.toMatchObject({ status: 404 });
  const codes = (await world.gateway.events()).filter(({ data }) => data.name === 'blog').map(({ code }) => code);
  expect(codes).toEqual(['TAP03I', 'TAP04I', 'TAP05I']);
});

test('people see what their roles reach, found by words, in order', async () => {
  const query = { search: 'wiki', sort: 'name:asc' } as never;
  const all = await call(world.ann.send, appRoutes.list, { params: at, query: {} as never });
  const found = await call(world.ann.send, appRoutes.list, { params: at, query });

  expect(all.items.map(({ name, publicAddr }) => [name, publicAddr])).toEqual([
    ['redis', 'redis.localhost'],
    ['wiki', 'wiki.corp.example'],
  ]);
  expect([found.items.length, found.totalCount]).toEqual([1, 1]);
  expect(found.items[0]?.gatehouse).toMatchObject({ type: 'web', icon: 'wiki', source: 'entered', ways: 0 });
});

test.each([
  ['localhost', () => `http://localhost:${webPort}`, ['skipped', 'ok', 'ok', 'skipped', 'ok']],
  ['a closed port', () => 'http://127.0.0.1:1', ['skipped', 'ok', 'failed', 'skipped', 'skipped']],
  ['a name nobody knows', () => 'http://nowhere.invalid', ['skipped', 'failed', 'skipped', 'skipped', 'skipped']],
  ['TLS where there is none', () => `https://127.0.0.1:${webPort}`, ['skipped', 'ok', 'ok', 'failed', 'skipped']],
  [
    'the gateway itself',
    () => `http://127.0.0.1:${world.port}`,
    ['skipped', 'failed', 'skipped', 'skipped', 'skipped'],
  ],
])('the check of %s tells each hop', async (_, uri, wanted) => {
  const { steps } = await call(world.admin.send, appRoutes.check, { params: at, body: { uri: uri() } as never });

  expect(steps.map(({ status }) => status)).toEqual(wanted);
  expect(steps.filter(({ status }) => status === 'failed').every(({ message }) => message.length > 10)).toBe(true);
});

function connectTcp(name: string, bearer = world.ann.bearer): WebSocket {
  const cookie = [...world.ann.cookies].map(([key, value]) => `${key}=${value}`).join('; ');
  const path = APP_TCP_SOCKET.replace(':clusterId', 'localhost').replace(':name', name);
  const socket = new WebSocket(`ws://127.0.0.1:${world.port}${path}`, {
    headers: { host: 'localhost:3080', origin: 'http://localhost:3080', cookie },
  });
  socket.on('open', () => socket.send(JSON.stringify({ type: 'hello', token: bearer })));
  return socket;
}

test('a TCP application is carried byte for byte, and ends with the sign-in', async () => {
  const socket = connectTcp('redis');
  const [ready] = await once(socket, 'message');
  expect(JSON.parse(String(ready))).toMatchObject({ type: 'ready' });
  const sent = Buffer.from(Array.from({ length: 200_000 }, (_, index) => index % 251));
  let got = Buffer.alloc(0);
  socket.on('message', (data: Buffer, isBinary: boolean) => {
    if (isBinary) got = Buffer.concat([got, data]);
  });
  socket.send(sent);
  await expect.poll(() => got.length).toBe(sent.length);
  expect(got.equals(sent)).toBe(true);

  const other = await world.gateway.signedIn('ann');
  const closed = once(socket, 'close');
  await call(world.ann.send, signInRoutes.signOut, {});
  await closed;
  world.ann = other;
});

test.each([
  ['what one may not see', 'vault', 'not_found'],
  ['what is not there', 'nothing', 'not_found'],
  ['what is no TCP application', 'wiki', 'not_found'],
])('%s is refused in words', async (_, name, code) => {
  const socket = connectTcp(name);

  const [message] = await once(socket, 'message');

  expect(JSON.parse(String(message))).toMatchObject({ type: 'failed', code });
  socket.terminate();
});
