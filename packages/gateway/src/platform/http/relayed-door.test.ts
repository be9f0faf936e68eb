import { once } from 'node:events';
import { request as ask, type ClientRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import type { Socket } from 'node:net';
import { type Duplex, duplexPair } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { createMetrics } from '../health/metrics.ts';
import { openRelayedDoor, type RelayedDoor, type RemoteVisit, remoteVisit } from './relayed-door.ts';
import { createServer } from './server.ts';
import { openSocketDoor } from './socket-door.ts';

const ANN: RemoteVisit = { trust: 'root', username: 'root/ann', signInId: 's1', address: '203.0.113.7' };

let app: FastifyInstance;
let door: RelayedDoor;
let elsewhere: string[];

beforeEach(async () => {
  const { metrics } = createMetrics({ version: 'test', processMetrics: 'none' });
  const log = pino({ level: 'silent' });
  elsewhere = [];
  const taken = {
    request: ({ url }: IncomingMessage) => void elsewhere.push(url ?? ''),
    upgrade({ url }: IncomingMessage, socket: Duplex) {
      elsewhere.push(url ?? '');
      socket.destroy();
    },
  };
  app = createServer({
    hostDoor: () => ({ ...taken, isAppHost: (host) => host === 'app.localhost', simple: () => false }),
    pathDoor: () => ({ ...taken, isMeant: (url) => url.startsWith('/programs/') }),
    log,
    metrics,
    trustedProxies: ['10.0.0.0/8'],
    hostNames: ['localhost'],
    strictTransport: false,
  });
  app.all('/v1/sites/:clusterId/echo', async (request) => ({
    visit: remoteVisit(request),
    ip: request.ip,
    id: request.id,
    protocol: request.protocol,
    headers: request.headers,
    raw: request.raw.rawHeaders,
    body: request.body,
  }));
  app.get('/v1/elsewhere', async () => 'served');
  openSocketDoor(app).add('/v1/sites/:clusterId/socket', async (request, accept) => {
    const socket = await accept();
    socket.send(JSON.stringify(remoteVisit(request)));
  });
  door = openRelayedDoor(app, { origin: () => 'http://localhost:3080', cluster: 'east' });
  await app.ready();
});
afterEach(async () => {
  door.close();
  await app.close();
});

function relayed(options: RequestOptions, visit = ANN): { call: ClientRequest; stream: Duplex } {
  const [here, there] = duplexPair();
  door.serve(there, visit);
  return { call: ask({ ...options, createConnection: () => here }), stream: here };
}

async function answerTo(options: RequestOptions, body?: string): Promise<{ status: number; said: string }> {
  const { call } = relayed(options);
  call.end(body);
  const [response] = (await once(call, 'response')) as [IncomingMessage];
  return { status: response.statusCode ?? 0, said: await text(response) };
}

test('a relayed call is served like any other, for whom the other cluster vouches', async () => {
  const id = '0b6a8d1e-6c52-4d0c-9c7c-2f3f3a6f8a11';
  const headers = { 'content-type': 'application/json', 'x-request-id': id };
  const { status, said } = await answerTo({ method: 'POST', path: '/v1/sites/-current-/echo', headers }, '{"ä":1}');

  expect(status).toBe(200);
  expect(JSON.parse(said)).toMatchObject({ visit: ANN, ip: ANN.address, id, protocol: 'http', body: { ä: 1 } });
});

test('headers that speak for somebody of this cluster, or from elsewhere, are not heard', async () => {
  const headers = {
    cookie: 'session=1',
    authorization: 'Bearer 1234567890123456',
    'x-forwarded-for': '10.0.0.1, 1.2.3.4',
    'x-forwarded-host': 'evil',
    origin: 'https://evil',
    host: 'evil',
    accept: 'text/plain',
    'x-request-id': 'not one of ours',
  };
  const said = JSON.parse((await answerTo({ path: '/v1/sites/-current-/echo', headers })).said);

  expect(said.headers).toEqual({ accept: 'text/plain', host: 'localhost:3080', 'x-request-id': 'not one of ours' });
  expect(said.raw).toEqual(Object.entries(said.headers).flat());
  expect(said.ip).toBe(ANN.address);
  expect(said.id).not.toBe('not one of ours');
});

test.each(['/v1/elsewhere', '/', '/v1/nothing', '/v1/webapi/ping'])(
  '%s names no cluster, or is of a later version: it is not there for others',
  async (path) => {
    const { status, said } = await answerTo({ path });

    expect(status).toBe(501);
    expect(said).toMatch(/'east' runs .* and does not know this call/);
  },
);

test('a second call on the same stream is not served: its passport was for the first', async () => {
  const [here, there] = duplexPair();
  door.serve(there, ANN);
  const call = 'GET /v1/sites/-current-/echo HTTP/1.1\r\n\r\n';
  here.write(`${call}${call}`);

  const said = await text(here).catch(String);

  expect(said.split('HTTP/1.1 200').length).toBeLessThanOrEqual(2);
});

test('a caller that has said all and half-closes still gets its answer', async () => {
  const [here, there] = duplexPair();
  door.serve(there, ANN);
  here.end('GET /v1/sites/-current-/echo HTTP/1.1\r\n\r\n');

  expect(await text(here)).toMatch(/^HTTP\/1\.1 200/);
});

test('what is no HTTP closes the stream, and nothing else', async () => {
  const [here, there] = duplexPair();
  door.serve(there, ANN);
  here.write('hello?\r\n\r\n');
  await once(there, 'close');

  expect((await answerTo({ path: '/v1/sites/-current-/echo' })).status).toBe(200);
});

test('a websocket is relayed with whom it is for', async () => {
  const [here, there] = duplexPair();
  door.serve(there, ANN);
  const socket = new WebSocket('ws://leaf/v1/sites/-current-/socket', { createConnection: () => here as Socket });

  const [message] = await once(socket, 'message');

  expect(JSON.parse(String(message))).toEqual(ANN);
  socket.terminate();
});

test.each([
  ['/v1/sites/-current-/echo', 'app.localhost'],
  ['/programs/x', 'localhost'],
])(
  'a change of protocol at %s of %s does not come to doors that ask for credentials of this cluster',
  async (path, host) => {
    const headers = { host, cookie: 'session=1', authorization: 'Bearer 1234567890123456' };
    const upgrade = { connection: 'Upgrade', upgrade: 'anything' };
    const { call } = relayed({ path, headers: { ...headers, ...upgrade } });
    call.end();
    await Promise.race([once(call, 'response'), once(call, 'error')]);

    expect(elsewhere).toEqual([]);
  },
);
