/** Raw HTTP/1 from strangers and from somebody signed in: pipelines, halves, upgrades and nonsense, to the console's host and others. */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { SOCKETS } from '@gatehouse/contract/api/sockets';
import { signIn } from '../person.ts';
import type { Random } from '../random.ts';
import type { FuzzTarget } from '../target.ts';
import type { Victim } from '../victim.ts';

const METHODS = [
  'GET',
  'GET',
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'DELETE',
  'OPTIONS',
  'PATCH',
  'TRACE',
  'CONNECT',
  'PRI',
  'get',
  '',
];
const VERSIONS = ['HTTP/1.1', 'HTTP/1.1', 'HTTP/1.1', 'HTTP/1.0', 'HTTP/2.0', 'HTTP/1.12', 'http/1.1', ''];
/** Not for somebody signed in: what comes afterwards would all be a stranger's. */
const SIGN_OUT = '/v1/webapi/sessions/web';
const PATHS = [
  '/',
  '/web',
  '/web/login',
  '/v1/webapi/ping',
  SIGN_OUT,
  '/v1/webapi/sites/-current-/nodes?limit=1',
  '/v1/webapi/sites/%00/nodes',
  '/v1/webapi/users/password/token',
  '/v1/webapi/token',
  '/v1/webapi/agents/join',
  '/v1/openapi.json',
  '/scripts/x/install-node.sh',
  '/x-teleport-auth',
  '/teleport-logout',
  '/x-gatehouse-start?path=//a',
  `/x-gatehouse-launch?code=${'a'.repeat(64)}`,
  '/web/app/../../x',
  '/%',
  '/%ff%fe',
  '//',
  '*',
  'http://localhost/',
  'localhost:80',
  `/${'a'.repeat(9000)}`,
  ...SOCKETS.map((path) => path.replace(':clusterId', '-current-').replace(':name', 'x')),
];
const HEADERS = [
  '',
  'Content-Length: 5',
  'Content-Length: 0',
  'Content-Length: -1',
  'Content-Length: 99999999999999999999',
  'Content-Length: 5\r\nContent-Length: 6',
  'Transfer-Encoding: chunked',
  'Transfer-Encoding: chunked, chunked',
  'Transfer-Encoding: identity',
  'Expect: 100-continue',
  'Expect: x',
  'Connection: close',
  'Connection: keep-alive, Upgrade',
  'Connection: Upgrade\r\nUpgrade: websocket',
  'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
  'Connection: Upgrade\r\nUpgrade: gatehouse-tunnel',
  'Connection: Upgrade\r\nUpgrade: x',
  'Upgrade: h2c',
  'X-Forwarded-For: a, b',
  'Accept: text/html',
  'Accept-Encoding: gzip;q=x',
  'Origin: null',
  'Authorization: Bearer ',
  'Authorization: Basic !!!',
  'Range: bytes=0-1,5-',
  'Range: bytes=-0',
  'Content-Type: application/json',
  'Content-Type: multipart/form-data',
  'Content-Encoding: gzip',
  'If-Match: "',
  'If-Modified-Since: x',
  'Cookie: ;;=;a',
  'Cookie: __Host-session=x; __Host-session=y',
  ' folded: x',
  'no colon',
  'x\x00y: z',
  'x: \x01\x7f\xff',
];
const BODIES = [
  '',
  'abcde',
  '5\r\nabcde\r\n0\r\n\r\n',
  '0\r\n\r\n',
  'ffffffffffffffff\r\n',
  '5;x="\r\nabcde\r\n0\r\na: b\r\n\r\n',
  '{}',
  '{"user":1,"token":[[[[]]]]}',
  '[',
  '\r\n',
  'x'.repeat(70_000),
];

export const http1: FuzzTarget = {
  name: 'http1',
  what: 'requests',
  secure: false,
  throwers: 12,
  async prepare(victim) {
    // Somebody of their own: what is thrown may end a sign-in, and others need theirs.
    const bob = await signIn(victim, 'bob', 'fuzz');
    return { throwOnce: (random) => throwOnce({ ...victim, ann: bob }, random), async close() {} };
  },
};

async function throwOnce(victim: Victim, random: Random): Promise<number> {
  // From many addresses of this machine: limits for each address are not what is tried here.
  const from = `127.0.${random.below(200)}.${1 + random.below(250)}`;
  const socket = victim.dial({ from, allowHalfOpen: random.chance(0.3) });
  socket.on('error', () => {});
  if (random.chance(0.9)) socket.resume();
  const count = 1 + random.below(5);
  let bytes: Buffer = Buffer.concat(
    Array.from({ length: count }, () => Buffer.from(requestOf(victim, random), 'latin1')),
  );
  if (random.chance(0.3)) bytes = random.mutate(bytes);
  if (random.chance(0.5)) socket.write(bytes);
  else {
    const cut = random.below(bytes.length + 1);
    socket.write(bytes.subarray(0, cut));
    await sleep(random.below(8));
    socket.write(bytes.subarray(cut));
  }
  await Promise.race([once(socket, 'close').catch(() => {}), sleep(random.below(20))]);
  const how = random.next();
  if (how < 0.3) socket.end();
  else if (how < 0.5) socket.resetAndDestroy();
  await sleep(random.below(10));
  socket.destroy();
  return count;
}

function requestOf({ host, port, ann, origin }: Victim, random: Random): string {
  const own = `Host: ${host}:${port}`;
  const signedIn = `${own}\r\nOrigin: ${origin}\r\nCookie: ${ann.cookie}\r\nAuthorization: Bearer ${ann.token}\r\nX-CSRF-Token: ${ann.csrf}`;
  const hosts = [
    own,
    signedIn,
    signedIn,
    `Host: app.${host}`,
    'Host: other',
    'Host: ',
    `${own}\r\nHost: x`,
    `Host: ${host}.`,
    '',
  ];
  const path = random.pick(PATHS);
  const lines = [random.pick(path === SIGN_OUT ? hosts.filter((lines) => lines !== signedIn) : hosts)];
  for (let more = random.below(3); more > 0; more--) lines.push(random.pick(HEADERS));
  if (random.chance(0.02)) lines.push(`X: ${'y'.repeat(random.below(70_000))}`);
  if (random.chance(0.02)) lines.push(...Array.from({ length: random.below(3000) }, () => 'a: b'));
  const end = random.chance(0.95) ? '\r\n' : '\n';
  const body = random.chance(0.4) ? random.pick(BODIES) : '';
  return `${random.pick(METHODS)} ${path} ${random.pick(VERSIONS)}${end}${lines.filter((line) => line !== '').join(end)}${end}${end}${body}`;
}
