/** Whatever is sent to the public listener costs whoever sends it their own connection, and that ends though they never end theirs. */
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { startTestGateway, type TestGateway } from '../../../testing/start-test-gateway.ts';

let gateway: TestGateway;
let port: number;

beforeAll(async () => {
  gateway = await startTestGateway();
  gateway.app.server.prependListener('request', (request: IncomingMessage) => {
    if (request.url !== '/mistake') return;
    request.on('end', () => {
      throw new Error('thrown from a handler of a stream');
    });
  });
  await gateway.app.listen({ host: '127.0.0.1', port: 0 });
  port = (gateway.app.server.address() as AddressInfo).port;
});
afterAll(() => gateway.close());

/** What is heard until the gateway's end of the connection is gone; ours stays open all the while. */
async function heardBy(bytes: string): Promise<string> {
  const accepted = once(gateway.app.server, 'connection');
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }).on('error', () => {});
  onTestFinished(() => void socket.destroy());
  let heard = '';
  socket.on('data', (piece) => {
    heard += piece;
  });
  const [far] = await accepted;
  const gone = once(far, 'close');
  socket.write(bytes);
  await gone;
  return heard;
}

async function isAlive(): Promise<boolean> {
  const answer = await fetch(`http://localhost:${port}/v1/webapi/ping`);
  await answer.arrayBuffer();
  return answer.ok;
}

const PING = 'GET /v1/webapi/ping HTTP/1.1\r\nHost: localhost\r\n\r\n';
const UPGRADE = 'GET / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n';

test('an upgrade behind a request that is not answered yet costs its sender the connection', async () => {
  await heardBy(`GET /v1/webapi/ping HTTP/1.1\r\nHost: localhost\r\n\r\n${UPGRADE}`);

  expect(await isAlive()).toBe(true);
});

test('a mistake of ours in a handler costs the connection it was made for, and is counted and logged', async () => {
  await heardBy('POST /mistake HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n\r\nx');

  expect(await isAlive()).toBe(true);
  expect(await gateway.registry.metrics()).toContain('gatehouse_contained_errors_total{where="http"} 1');
  expect(gateway.logged()).toContain('a connection was closed by our own mistake');
});

test.each([
  ['an upgrade to nowhere', UPGRADE],
  ['a websocket to nowhere', UPGRADE.replace('Upgrade: x', 'Upgrade: websocket')],
  ['a tunnel of another protocol', UPGRADE.replace('GET /', 'GET /v1/tunnel')],
  ['a websocket that is not whole', UPGRADE.replace('GET /', 'GET /v1/tunnel').replace(': x', ': websocket')],
  ['what is no request', 'what is this\r\n\r\n'],
  ['a header of the PROXY protocol', `PROXY TCP4 203.0.113.9 127.0.0.1 5000 3080\r\n${PING}`],
  ['its binary form', `\r\n\r\n\0\r\nQUIT\n\x21\x11\0\x0c${'\x01'.repeat(12)}${PING}`],
])('%s is refused and ends, though its sender never closes', async (_, bytes) => {
  expect(await heardBy(bytes)).toMatch(/^HTTP\/1\.1 [34]\d\d /);
});
