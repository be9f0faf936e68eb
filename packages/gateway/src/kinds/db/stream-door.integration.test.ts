/** Bytes of programs behind an upgrade of their own, with a real Redis behind: who is asked to take the websocket instead, and what passes. The controls are held by the table of doors. */
import { once } from 'node:events';
import { type AddressInfo, connect as connectPlain } from 'node:net';
import { text } from 'node:stream/consumers';
import { connect, type TLSSocket } from 'node:tls';
import { apiTokenRoutes } from '@gatehouse/contract/access/api-tokens';
import { STREAM_UPGRADE } from '@gatehouse/contract/sessions/tcp-frames';
import { call } from '@gatehouse/contract/wire/client';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { type NativeWorld, startNativeWorldOf } from '../../../testing/db/native-world.ts';
import { PASSWORD, type SecureRedis, startSecureRedis } from '../../../testing/db/secure-redis.ts';
import { startIdentityGateway } from '../../../testing/identity-gateway.ts';

let redis: SecureRedis;
let world: NativeWorld;
let token: string;
beforeAll(async () => {
  redis = await startSecureRedis();
  const cache = { name: 'cache', protocol: 'redis', port: redis.port, ca: redis.ca, database: '0' } as const;
  world = await startNativeWorldOf([{ ...cache, dbUsers: ['app'], password: PASSWORD }]);
  ({ token } = await call(world.ann.send, apiTokenRoutes.create, { body: { name: 'cli', scope: 'all' } }));
});
afterAll(async () => {
  await world?.gateway.close();
  await redis?.stop();
});

interface Wanted {
  path?: string;
  headers?: Record<string, string>;
}

const PATH = '/v1/webapi/sites/localhost/databases/cache/stream?dbUser=app';

/** Everything that is said, in one piece. */
async function ask(said: string, { path = PATH, headers = {} }: Wanted = {}): Promise<TLSSocket> {
  const { port, ca } = world;
  const socket = connect({ host: '127.0.0.1', port, ca, servername: 'localhost', ALPNProtocols: ['http/1.1'] });
  await once(socket, 'secureConnect');
  const usual = { host: 'localhost:3080', connection: 'Upgrade', upgrade: STREAM_UPGRADE };
  const lines = Object.entries({ ...usual, authorization: `Bearer ${token}`, ...headers });
  socket.write(`GET ${path} HTTP/1.1\r\n${lines.map((line) => `${line.join(': ')}\r\n`).join('')}\r\n${said}`);
  return socket;
}

test('what follows the request at once is not lost, and who says no more hears the answers', async () => {
  const socket = await ask('PING\r\nECHO once\r\n');
  await once(socket, 'readable');
  socket.end('ECHO twice\r\n');

  const [head = '', ...answers] = (await text(socket)).split('\r\n\r\n');
  expect(head).toMatch(/^HTTP\/1\.1 101 /);
  expect(head).toContain(`Upgrade: ${STREAM_UPGRADE}`);
  expect(answers.join('')).toBe('+PONG\r\n$4\r\nonce\r\n$5\r\ntwice\r\n');
});

test('a session of it is told as one of the tunnel, and is over when the program hangs up', async () => {
  const socket = await ask('ECHO "seen in the log"\r\n');
  await once(socket, 'readable');
  socket.destroy();

  const told = async () => {
    const events = await world.gateway.events();
    const { data } = events.find((event) => JSON.stringify(event.data).includes('seen in the log')) ?? {};
    const isOver = events.some(({ code, data: { sid } }) => code === 'TDB01I' && sid === data?.sid);
    return { user: data?.user, statement: data?.statement, isOver };
  };
  await expect.poll(told).toMatchObject({ user: 'ann', statement: { door: 'tunnel' }, isOver: true });
});

const FORWARDED = { 'x-forwarded-for': '10.0.0.1' };
test.each<[string, Wanted, number, string]>([
  ['another upgrade', { headers: { upgrade: 'websocket' } }, 400, STREAM_UPGRADE],
  ['who came through a proxy', { headers: FORWARDED }, 501, 'something stands between'],
  ['who says nothing of themselves', { headers: { authorization: '' } }, 403, 'not signed in'],
  ['another cluster', { path: PATH.replace('localhost', 'elsewhere') }, 404, 'elsewhere'],
  ['a database that is not there', { path: PATH.replace('cache', 'none') }, 404, 'none'],
  ['a user that no role gives', { path: PATH.replace('app', 'root') }, 403, 'denied'],
])('%s is refused before the upgrade', async (_who, wanted, status, words) => {
  const answered = await text(await ask('', wanted));

  expect(answered).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  expect(answered).toContain(words);
});

test('without TLS of the gateway itself the websocket is asked for', async () => {
  const plain = await startIdentityGateway();
  onTestFinished(() => plain.close());
  await plain.app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = plain.app.server.address() as AddressInfo;
  const socket = connectPlain(port, '127.0.0.1');
  const lines = `host: localhost:3080\r\nconnection: Upgrade\r\nupgrade: ${STREAM_UPGRADE}\r\nauthorization: Bearer ${token}`;
  socket.write(`GET ${PATH} HTTP/1.1\r\n${lines}\r\n\r\n`);

  expect(await text(socket)).toMatch(/^HTTP\/1\.1 501 .*something stands between/s);
});
