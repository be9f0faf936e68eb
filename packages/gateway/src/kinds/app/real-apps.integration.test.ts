import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { offeredAppSpec } from '@gatehouse/contract/kinds/app/app-spec';
import { appRoutes } from '@gatehouse/contract/kinds/app/apps';
import { call } from '@gatehouse/contract/wire/client';
import { type Nginx, startNginx } from '@gatehouse/testkit/nginx';
import { makeCertificate, type TestCertificate } from '@gatehouse/tunnel/testing/certificate';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { AGENT, type AppWorld, ask, openApp, startAppWorld } from '../../../testing/apps/app-world.ts';
import { join, newJoinToken, startAgent, type TestAgent, tunnelUrl } from '../../../testing/test-agent.ts';
import { createListener } from '../../platform/http/hosts/host-door.ts';

let world: AppWorld;
let plain: Nginx;
let secure: Nginx;
let certificate: TestCertificate;
const agents: TestAgent[] = [];
const dialled: string[] = [];
const TEXT = '0123456789'.repeat(100_000);

beforeAll(async () => {
  certificate = await makeCertificate(['inside.example']);
  [world, plain, secure] = await Promise.all([
    startAppWorld(),
    startNginx({ files: { 'index.html': 'plain page', big: TEXT } }),
    startNginx({ files: { 'index.html': 'secure page', big: TEXT }, tls: certificate }),
  ]);
  await world.add('direct', `http://127.0.0.1:${plain.port}`);
  const server = createServer();
  new WebSocketServer({ server }).on('connection', (socket) =>
    socket.on('message', (data) => socket.send(`through the tunnel: ${data}`)),
  );
  const port = await world.server(server);
  const offer = (name: string, uri: string, more = {}) => ({
    kind: 'app',
    id: name,
    name,
    labels: { env: 'dev' },
    spec: offeredAppSpec.parse({ uri, ...more }),
  });
  const resources = [
    offer('far', `http://127.0.0.1:${plain.port}`),
    offer('far-secure', `https://127.0.0.1:${secure.port}`, { ca: certificate.ca, serverName: 'inside.example' }),
    offer('far-socket', `http://127.0.0.1:${port}`),
  ];
  const token = await newJoinToken(world.admin.send, { roles: ['App'], offers: { apps: ['far*'] } });
  for (const name of ['edge-1', 'edge-2']) {
    const joined = await join(world.gateway.send, { token, name });
    agents.push(
      startAgent(joined, {
        url: tunnelUrl(world.gateway.app),
        resources,
        onDial: (target) => dialled.push(`${name} ${target}`),
      }),
    );
  }
});
afterAll(async () => {
  for (const agent of agents) await agent.close({ drainMs: 0 });
  await world.close();
  await Promise.all([plain.stop(), secure.stop()]);
});

const get = async (name: string, path = '/', headers: Record<string, string> = {}) => {
  const host = `${name}.localhost`;
  const cookie = await openApp(world, world.ann, host);
  return await ask(world.port, { host, path, headers: { cookie, ...headers } });
};

test('what two agents offer is listed once, with a way through each', async () => {
  await expect
    .poll(async () => {
      const { items } = await call(world.ann.send, appRoutes.list, {
        params: { clusterId: 'localhost' },
        query: {} as never,
      });
      return items.map(({ name, gatehouse }) => `${name} ${gatehouse?.connected}/${gatehouse?.ways}`);
    })
    .toEqual(['direct 0/0', 'far 2/2', 'far-secure 2/2', 'far-socket 2/2']);
});

test.each([
  ['direct', 'plain page'],
  ['far', 'plain page'],
  ['far-secure', 'secure page'],
])('nginx as %s serves pages, large files, ranges and what has not changed', async (name, text) => {
  expect((await get(name)).body).toBe(text);
  expect((await get(name, '/big')).body).toBe(TEXT);
  expect(await get(name, '/big', { range: 'bytes=10-19' })).toMatchObject({ status: 206, body: '0123456789' });
  const { headers } = await get(name, '/big');
  expect((await get(name, '/big', { 'if-none-match': String(headers.etag) })).status).toBe(304);
  expect((await get(name, '/absent')).status).toBe(404);
});

test('a websocket passes through the tunnel of an agent', async () => {
  const host = 'far-socket.localhost';
  const cookie = await openApp(world, world.ann, host);
  const socket = new WebSocket(`ws://127.0.0.1:${world.port}/`, { headers: { host, 'user-agent': AGENT, cookie } });
  await once(socket, 'open');

  socket.send('hello');

  expect(String((await once(socket, 'message'))[0])).toBe('through the tunnel: hello');
  socket.terminate();
});

test('several agents share the work, and one that is gone is not missed', async () => {
  for (let count = 0; count < 4; count++) await get('far');
  const used = new Set(dialled.map((line) => line.split(' ')[0]));
  await agents[0]!.close({ drainMs: 0 });

  const answers = [await get('far'), await get('far'), await get('far')];

  expect([...used].sort()).toEqual(['edge-1', 'edge-2']);
  expect(answers.map(({ body }) => body)).toEqual(['plain page', 'plain page', 'plain page']);
});

test('browsers speak HTTP/2 to applications, and to nothing else on that connection', async () => {
  const { cert, key, ca } = await makeCertificate(['gate.example', '*.gate.example']);
  const door = {
    isAppHost: (host: string) => host.endsWith('.gate.example'),
    request: (request: { url?: string; httpVersion: string }, response: { end(text: string): void }) =>
      response.end(`${request.httpVersion} ${request.url}`),
    upgrade() {},
  };
  const listener = createListener(
    { tls: { cert, key }, door: () => door as never },
    (_, response) => void response.end(),
  );
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const { port } = listener.address() as { port: number };
  const client = connectHttp2(`https://127.0.0.1:${port}`, { servername: 'a.gate.example', ca });
  const fetch = async (authority: string) => {
    const stream = client.request({ ':path': '/x', ':authority': authority });
    const [headers] = await once(stream, 'response');
    let body = '';
    for await (const piece of stream) body += piece;
    return [headers[':status'], body];
  };

  expect(await fetch('a.gate.example')).toEqual([200, '2.0 /x']);
  expect((await fetch('gate.example'))[0]).toBe(421);
  client.destroy();
  await new Promise((resolve) => listener.close(resolve));
});
