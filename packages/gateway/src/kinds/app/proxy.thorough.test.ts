import { once } from 'node:events';
import { request } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { appRoutes } from '@gatehouse/contract/kinds/app/apps';
import { call } from '@gatehouse/contract/wire/client';
import { makeCertificate, type TestCertificate } from '@gatehouse/tunnel/testing/certificate';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { AGENT, type AppWorld, ask, makeRole, openApp, startAppWorld } from '../../../testing/apps/app-world.ts';

let world: AppWorld;
let certificate: TestCertificate;
let uploaded = 0;
/** Called by who has read an event: the next one is sent then. */
let hear = () => {};
const MIB = 1024 * 1024;

beforeAll(async () => {
  world = await startAppWorld();
  certificate = await makeCertificate(['inside.example']);
  const port = await world.upstream(async (incoming, response) => {
    const { pathname, searchParams } = new URL(incoming.url ?? '/', 'http://x');
    if (pathname === '/absolute') {
      response.writeHead(302, { location: `http://${incoming.headers.host}/next?x=1` }).end();
    } else if (pathname === '/elsewhere') {
      response.writeHead(302, { location: searchParams.get('to') ?? '' }).end('go on');
    } else if (pathname === '/events') {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (let count = 0; count < 3; count++) {
        response.write(`data: ${count}\n\n`);
        await new Promise<void>((resolve) => {
          hear = resolve;
        });
      }
      response.end();
    } else if (pathname === '/range') {
      response.writeHead(206, { 'content-range': 'bytes 2-4/10', 'content-length': 3 }).end('234');
    } else if (pathname === '/upload') {
      for await (const piece of incoming) uploaded += piece.length;
      response.end(String(uploaded));
    } else if (pathname === '/big') {
      response.writeHead(200, { 'content-length': String(8 * MIB) });
      response.end(Buffer.alloc(8 * MIB, 'x'));
    } else if (pathname === '/cut') {
      response.writeHead(200, { 'content-length': '100' });
      response.write('short');
      await sleep(30);
      response.socket?.destroy();
    } else response.end(JSON.stringify(incoming.headers));
  });
  await world.add('web', `http://127.0.0.1:${port}`, {
    rewrite: {
      redirect: [],
      jwt: 'none',
      headers: [
        { name: 'X-User', value: '{{internal.username}}' },
        { name: 'Authorization', value: 'Bearer {{internal.jwt}}' },
        { name: 'X-Login', value: '{{internal.logins}}' },
      ],
    },
  });
  const tls = createHttpsServer(certificate, (_, response) => void response.end('over TLS'));
  const tlsPort = await world.server(tls as never);
  const uri = `https://127.0.0.1:${tlsPort}`;
  await world.add('tls-good', uri, { ca: certificate.ca, serverName: 'inside.example' });
  await world.add('tls-name', uri, { ca: certificate.ca, serverName: 'other.example' });
  await world.add('tls-unknown', uri, { serverName: 'inside.example' });
  await world.add('tls-insecure', uri, { insecureSkipVerify: true });
  await world.add('down', 'http://127.0.0.1:1');
  await world.add('self', `http://localhost:${world.port}`);
});
afterAll(() => world.close());

const open = async (name: string) => {
  const host = `${name}.localhost`;
  const cookie = await openApp(world, world.ann, host);
  return (path = '/', more: { method?: string; body?: string; headers?: Record<string, string> } = {}) =>
    ask(world.port, { host, path, ...more, headers: { cookie, ...more.headers } });
};

test('rules give the application headers, and clients cannot', async () => {
  const get = await open('web');

  const { body } = await get('/', { headers: { 'x-user': 'root', x_user: 'root', authorization: 'Bearer own' } });

  const headers = JSON.parse(body);
  expect(headers['x-user']).toBe('ann');
  expect(headers.x_user).toBeUndefined();
  expect(headers['x-login']).toBeUndefined();
  expect(headers.authorization).toMatch(/^Bearer ey/);
  const claims = JSON.parse(Buffer.from(headers['gatehouse-jwt-assertion'].split('.')[1], 'base64url').toString());
  expect(claims).toMatchObject({ sub: 'ann' });
  expect(claims.roles).toBeUndefined();
});

test('what would end a line never gets into a header, wherever it comes from', async () => {
  const who = world.gateway;
  await who.addUser('crlf', { roles: ['dev'] });
  const logins = ['good', 'a\r\nX-User: root', 'a\nX-User: root', 'a\rX-User: root', 'a\0b'];
  await who.storage.db
    .updateTable('user')
    .set({ traits: JSON.stringify({ logins }) })
    .where('name', '=', 'crlf')
    .execute();
  const cookie = await openApp(world, await who.signedIn('crlf'), 'web.localhost');

  const { body } = await ask(world.port, { host: 'web.localhost', headers: { cookie } });

  expect(JSON.parse(body)).toMatchObject({ 'x-login': 'good', 'x-user': 'crlf' });
  expect(body).not.toContain('root');
});

test('a redirect to elsewhere is the browser’s to follow, and never the gateway’s', async () => {
  const get = await open('web');
  const inside = 'http://169.254.169.254/latest/meta-data';

  const { status, headers, body } = await get(`/elsewhere?to=${encodeURIComponent(inside)}`, {
    headers: { 'x-forwarded-host': '169.254.169.254', 'x-original-url': inside, 'x-host': '169.254.169.254' },
  });

  expect([status, headers.location, body]).toEqual([302, inside, 'go on']);
});

test('redirects to where the application believes to be lead to where browsers know it', async () => {
  const get = await open('web');

  expect((await get('/absolute')).headers.location).toBe('http://web.localhost:3080/next?x=1');
});

test('ranges, uploads and large answers pass whole', async () => {
  const get = await open('web');

  expect(await get('/range', { headers: { range: 'bytes=2-4' } })).toMatchObject({ status: 206, body: '234' });
  const sent = await get('/upload', { method: 'POST', body: 'y'.repeat(5 * MIB), headers: { expect: '100-continue' } });
  expect([sent.body, uploaded]).toEqual([String(5 * MIB), 5 * MIB]);
  const big = await get('/big');
  expect([big.status, big.body.length]).toEqual([200, 8 * MIB]);
});

test('events of a server come one by one', async () => {
  const host = 'web.localhost';
  const cookie = await openApp(world, world.ann, host);
  const sent = request({
    port: world.port,
    path: '/events',
    headers: { host: `${host}:3080`, 'user-agent': AGENT, cookie },
  });
  sent.end();
  const [response] = await once(sent, 'response');
  const pieces: string[] = [];
  response.on('data', (data: Buffer) => {
    pieces.push(data.toString());
    hear();
  });
  await once(response, 'end');

  expect(pieces).toEqual(['data: 0\n\n', 'data: 1\n\n', 'data: 2\n\n']);
});

test('a reader that stops is not read ahead of', async () => {
  const host = 'web.localhost';
  const cookie = await openApp(world, world.ann, host);
  const before = process.memoryUsage().external;
  const sent = request({
    port: world.port,
    path: '/big',
    headers: { host, 'user-agent': AGENT, cookie },
    agent: false,
  });
  sent.end();
  const [response] = await once(sent, 'response');
  response.pause();
  await sleep(150);

  // The application has its own copy; the gateway must not have made another.
  expect(process.memoryUsage().external - before).toBeLessThan(14 * MIB);
  let bytes = 0;
  response.on('data', (data: Buffer) => {
    bytes += data.length;
  });
  response.resume();
  await once(response, 'end');
  expect(bytes).toBe(8 * MIB);
});

test('an answer that is cut short is cut short for the browser too', async () => {
  const get = await open('web');

  await expect(get('/cut')).rejects.toThrow(/aborted|hang up|reset/);
});

test('the certificate of an application is checked, unless somebody says outright that it is not', async () => {
  expect((await (await open('tls-good'))()).body).toBe('over TLS');
  expect((await (await open('tls-insecure'))()).body).toBe('over TLS');
  const name = await (await open('tls-name'))();
  expect([name.status, name.body]).toEqual([504, expect.stringContaining('it names another host')]);
  const unknown = await (await open('tls-unknown'))();
  expect([unknown.status, unknown.body]).toEqual([504, expect.stringContaining('Application Unreachable')]);
  expect(unknown.body).toMatch(/cluster\/localhost\/apps\?open=tls-unknown&amp;tab=test">Test connection<\/a>/);
  expect(unknown.body).toContain('Back to the console</a>');
  expect(unknown.body).toContain('aria-label="Gatehouse"');
  const { items } = await call(world.ann.send, appRoutes.list, { params: { clusterId: 'localhost' } } as never);
  expect(items.filter(({ gatehouse }) => gatehouse?.insecure).map((app) => app.name)).toEqual(['tls-insecure']);
});

test('one that is down says so, and the gateway is not reached through itself', async () => {
  const down = await (await open('down'))();
  expect([down.status, down.body]).toEqual([504, expect.stringContaining('nothing listens there')]);
  expect(down.headers['content-security-policy']).toContain("default-src 'none'");
  const self = await (await open('self'))();
  expect([self.status, self.body]).toEqual([403, expect.stringContaining('is the gateway itself')]);
});

test('where a role asks for it every request is an event', async () => {
  await makeRole(
    world.admin,
    'watched',
    '{options: {record_session: {app: true}}, allow: {app_labels: {env: dev}, rules: [{resources: [app_server], verbs: [list]}]}}',
  );
  await world.gateway.addUser('eve', { roles: ['watched'] });
  const eve = await world.gateway.signedIn('eve');
  const cookie = await openApp(world, eve, 'web.localhost');

  await ask(world.port, { host: 'web.localhost', path: '/range?q=1', headers: { cookie } });

  await vi.waitFor(async () => {
    const events = (await world.gateway.events()).filter(({ user, code }) => user === 'eve' && code === 'GH350I');
    expect(events.map(({ data }) => data)).toMatchObject([
      { method: 'GET', path: '/range', raw_query: 'q=1', status_code: 206, app_name: 'web' },
    ]);
  });
});

test('a websocket without both cookies is refused before the application hears of it', async () => {
  const socket = new WebSocket(`ws://127.0.0.1:${world.port}/`, { headers: { host: 'web.localhost' } });
  socket.on('error', () => {});

  const [, response] = await once(socket, 'unexpected-response');

  expect(response.statusCode).toBe(401);
});
