/** HTTP/2 from browsers through the whole gateway: its TLS listener, the application's host, its cookies, and an application of HTTP/1.1. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  type IncomingHttpHeaders,
} from 'node:http2';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { makeCertificate, type TestCertificate } from '@gatehouse/tunnel/testing/certificate';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import {
  AGENT,
  type Answered,
  type AppWorld,
  type AskOptions,
  openApp,
  startAppWorld,
} from '../../../testing/apps/app-world.ts';
import { http2Headers, http2Request, type RawBody } from '../../../testing/apps/raw-http2.ts';

const HOST = 'web.gate.example';
const MIB = 1024 * 1024;
let world: AppWorld;
let certificate: TestCertificate;
let client: ClientHttp2Session;
let cookie: string;
/** What the application was asked, and how each of its requests ended. */
let heard: string[] = [];
let uploaded = 0;
/** The headers of the last request. */
let names: string[] = [];
let held: (() => void) | undefined;

async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname } = new URL(incoming.url ?? '/', 'http://x');
  heard.push(`${incoming.method} ${incoming.url}`);
  names = incoming.rawHeaders.filter((_, at) => at % 2 === 0);
  incoming.on('end', () => heard.push(`whole ${pathname}`));
  if (pathname === '/upload') {
    uploaded = 0;
    for await (const piece of incoming) uploaded += piece.length;
    response.end(JSON.stringify({ uploaded, length: incoming.headers['content-length'] }));
  } else if (pathname === '/held') {
    await new Promise<void>((resolve) => {
      held = resolve;
    });
    uploaded = 0;
    for await (const piece of incoming) uploaded += piece.length;
    response.end(String(uploaded));
  } else if (pathname === '/range') {
    const isRange = incoming.headers.range === 'bytes=2-4';
    response.writeHead(isRange ? 206 : 200, { 'content-range': 'bytes 2-4/10', 'content-length': 3 }).end('234');
  } else if (pathname === '/events') {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('data: 0\n\n');
    incoming.on('close', () => heard.push('events left'));
  } else if (pathname === '/big') {
    response.writeHead(200, { 'content-length': String(8 * MIB) }).end(Buffer.alloc(8 * MIB, 'x'));
  } else if (pathname === '/cut') {
    response.writeHead(200, { 'content-type': 'text/plain' }).write('short');
    await sleep(20);
    response.socket?.destroy();
  } else if (pathname === '/trailers') {
    response.writeHead(200, { trailer: 'x-sum', connection: 'close, x-hop', 'x-hop': '1' });
    response.addTrailers({ 'x-sum': '1' });
    response.end('body');
  } else {
    incoming.resume();
    response.setHeader('set-cookie', ['one=1', 'two=2']);
    response.end(JSON.stringify(incoming.headers));
  }
}

beforeAll(async () => {
  certificate = await makeCertificate(['gate.example', '*.gate.example']);
  world = await startAppWorld({ secure: { ...certificate, host: 'gate.example' } });
  const server = createServer((incoming, response) => void serve(incoming, response).catch(() => response.destroy()));
  new WebSocketServer({ server }).on('connection', (socket) =>
    socket.on('message', (data) => socket.send(`echo ${data}`)),
  );
  await world.add('web', `http://127.0.0.1:${await world.server(server)}`);
  client = connect(`https://127.0.0.1:${world.port}`, { servername: HOST, ca: certificate.ca });
  await once(client, 'connect');
  cookie = await openApp(world, world.ann, HOST, '/', visit);
});
afterAll(async () => {
  client?.destroy();
  await world?.close();
});

function begin({ host = HOST, path = '/', method = 'GET', headers = {} }: Partial<AskOptions>): ClientHttp2Stream {
  const own = { ':path': path, ':method': method, ':authority': `${host}:3080`, 'user-agent': AGENT };
  return client.request({ ...own, accept: 'text/html', ...headers }, { endStream: method === 'GET' });
}

async function answerTo(stream: ClientHttp2Stream): Promise<Answered> {
  const [headers] = (await once(stream, 'response')) as [IncomingHttpHeaders];
  let body = '';
  stream.setEncoding('latin1');
  for await (const piece of stream) body += piece;
  return { status: Number(headers[':status']), headers, body };
}

const visit = (options: AskOptions) => answerTo(begin(options));
const get = (path: string, headers: Record<string, string> = {}) =>
  visit({ host: HOST, path, headers: { cookie, ...headers } });

test('the host of an application speaks HTTP/2, the console HTTP/1.1, and websockets are not announced for HTTP/2', async () => {
  expect(client.alpnProtocol).toBe('h2');
  expect(client.remoteSettings.enableConnectProtocol ?? false).toBe(false);
  const console = connectTls({
    port: world.port,
    host: '127.0.0.1',
    servername: 'gate.example',
    ca: certificate.ca,
    ALPNProtocols: ['h2', 'http/1.1'],
  });
  await once(console, 'secureConnect');
  expect(console.alpnProtocol).toBe('http/1.1');
  console.destroy();
});

test('cookies in pieces open it, requests carry who asks, and answers keep their headers', async () => {
  const [session = '', subject = ''] = cookie.split('; ');
  const { status, headers, body } = await answerTo(
    client.request({
      ':path': '/a?b=1',
      ':authority': `${HOST}:3080`,
      'user-agent': AGENT,
      cookie: [session, 'mine=1', subject],
      'x-forwarded-for': '6.6.6.6',
      te: 'trailers',
    }),
  );

  const asked = JSON.parse(body) as Record<string, string>;
  expect(status).toBe(200);
  expect(headers['set-cookie']).toEqual(['one=1', 'two=2']);
  expect(asked).toMatchObject({ cookie: 'mine=1', 'x-forwarded-for': '127.0.0.1', 'x-forwarded-proto': 'https' });
  expect(Object.keys(asked).filter((name) => name.startsWith(':') || name === 'te')).toEqual([]);
  const [, claims = ''] = (asked['gatehouse-jwt-assertion'] ?? '').split('.');
  expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toMatchObject({ sub: 'ann' });
  expect((await visit({ host: HOST, headers: { cookie: session } })).status).toBe(302);
});

test('many streams at once each get their own answer, ranges included', async () => {
  const paths = Array.from({ length: 40 }, (_, at) => `/many?at=${at}`);
  const begun = heard.length;

  const answers = await Promise.all([...paths.map((path) => get(path)), get('/range', { range: 'bytes=2-4' })]);

  expect(answers.pop()).toMatchObject({ status: 206, body: '234', headers: { 'content-range': 'bytes 2-4/10' } });
  expect(answers.every(({ status }) => status === 200)).toBe(true);
  expect(new Set(heard.slice(begun).filter((line) => line.startsWith('GET /many')))).toEqual(
    new Set(paths.map((path) => `GET ${path}`)),
  );
});

test('a body passes with or without its length', async () => {
  for (const length of [{}, { 'content-length': '300000' }] as Record<string, string>[]) {
    const stream = begin({ path: '/upload', method: 'POST', headers: { cookie, ...length } });
    for (let count = 0; count < 3; count++) stream.write(Buffer.alloc(100_000, 'y'));
    stream.end();

    expect(JSON.parse((await answerTo(stream)).body)).toEqual({
      uploaded: 300_000,
      ...('content-length' in length ? { length: '300000' } : {}),
    });
  }
});

test('an upload waits while the application does not read, and a download while the browser does not', async () => {
  const body = Buffer.alloc(64 * 1024, 'y');
  const total = 32 * MIB;
  const stream = begin({ path: '/held', method: 'POST', headers: { cookie } });
  let sent = 0;
  const write = () => {
    while (sent < total) {
      sent += body.length;
      if (!stream.write(body)) return void stream.once('drain', write);
    }
    stream.end();
  };
  write();
  await vi.waitFor(async () => {
    const before = sent;
    await sleep(100);
    expect([sent, held !== undefined]).toEqual([before, true]);
  });
  expect(sent).toBeLessThan(total);
  held?.();
  expect((await answerTo(stream)).body).toBe(String(total));

  const reader = begin({ path: '/big', headers: { cookie } });
  await once(reader, 'response');
  const before = process.memoryUsage().external;
  await sleep(100);
  expect(process.memoryUsage().external - before).toBeLessThan(4 * MIB);
  let bytes = 0;
  for await (const piece of reader) bytes += piece.length;
  expect(bytes).toBe(8 * MIB);
});

test('events of a server come at once, and the application hears when the browser leaves', async () => {
  const stream = begin({ path: '/events', headers: { cookie } });

  expect(String((await once(stream, 'data'))[0])).toBe('data: 0\n\n');
  stream.close(constants.NGHTTP2_CANCEL);
  await vi.waitFor(() => expect(heard).toContain('events left'));
});

test('an answer that is cut short is an error for the browser, not an end', async () => {
  const stream = begin({ path: '/cut', headers: { cookie } });

  await expect(answerTo(stream)).rejects.toThrow(/INTERNAL_ERROR/);
});

test('headers of the connection behind the gateway stay there, and trailers nobody asked for as well', async () => {
  const { headers, body } = await get('/trailers');

  expect(body).toBe('body');
  expect(headers.connection ?? headers.trailer ?? headers['transfer-encoding']).toBeUndefined();
});

// Node would not send these: they are written by hand.
const GOOD = [
  [':method', 'GET'],
  [':scheme', 'https'],
  [':authority', `${HOST}:3080`],
  [':path', '/raw'],
  ['user-agent', AGENT],
  ['cookie', '@COOKIES@'],
] as const;
const PLAIN_NAMES = /^(host|user-agent|x-forwarded-(for|proto|host|port|server)|x-real-ip|gatehouse-jwt-assertion)$/;
const but = (name: string, value: string) => GOOD.map((pair) => (pair[0] === name ? ([name, value] as const) : pair));

const send = (headers: readonly (readonly [string, string])[], body?: RawBody) => {
  heard = [];
  const block = http2Headers(headers.map(([name, value]) => [name, value.replace('@COOKIES@', cookie)]));
  return http2Request({ port: world.port, servername: HOST, ca: certificate.ca }, block, body);
};

test('a request written by hand passes, so that the refusals below mean something', async () => {
  expect(await send(GOOD)).toBe('200');
  expect(heard).toEqual(['GET /raw', 'whole /raw']);
});

test.each([
  ['connection', [...GOOD, ['connection', 'x-forwarded-for']]],
  ['keep-alive', [...GOOD, ['keep-alive', '5']]],
  ['transfer-encoding', [...GOOD, ['transfer-encoding', 'chunked']]],
  ['upgrade', [...GOOD, ['upgrade', 'websocket']]],
  ['proxy-connection', [...GOOD, ['proxy-connection', 'keep-alive']]],
  ['te of another kind', [...GOOD, ['te', 'gzip']]],
  ['a name in capitals', [...GOOD, ['X-Upper', '1']]],
  ['two methods', [...GOOD.slice(0, 1), [':method', 'POST'], ...GOOD.slice(1)]],
  ['two paths', [...GOOD.slice(0, 4), [':path', '/smuggled'], ...GOOD.slice(4)]],
  ['two authorities', [...GOOD.slice(0, 3), [':authority', 'evil.example'], ...GOOD.slice(3)]],
  ['another host beside the authority', [...GOOD, ['host', 'evil.example']]],
  ['a pseudo-header nobody knows', [...GOOD.slice(0, 4), [':evil', '1'], ...GOOD.slice(4)]],
  ['a pseudo-header of answers', [...GOOD.slice(0, 4), [':status', '200'], ...GOOD.slice(4)]],
  ['a pseudo-header behind the others', [...GOOD.slice(0, 3), ...GOOD.slice(4), GOOD[3]]],
  ['no path', GOOD.filter(([name]) => name !== ':path')],
  ['an empty path', but(':path', '')],
  ['a path with a space', but(':path', '/raw HTTP/1.1')],
  ['a path with a line break', but(':path', '/raw HTTP/1.1\r\nx: y')],
  ['a whole address as path', but(':path', 'http://169.254.169.254/latest')],
  ['letters beyond ASCII in the path', but(':path', '/\xe9')],
  ['a request line as method', but(':method', 'GET /smuggled HTTP/1.1\r\nx: y\r\n\r\nGET')],
  ['a method with a space', but(':method', 'GET /smuggled')],
  ['TRACE', but(':method', 'TRACE')],
  ['CONNECT', [[':method', 'CONNECT'], [':authority', 'evil.example:80'], ...GOOD.slice(4)]],
  [
    'a websocket over HTTP/2, which was not announced',
    [[':method', 'CONNECT'], [':protocol', 'websocket'], ...GOOD.slice(1)],
  ],
  ['a length that is no number', [...but(':method', 'POST'), ['content-length', '+4']], 'body'],
  ['two lengths', [...but(':method', 'POST'), ['content-length', '4'], ['content-length', '4']], 'body'],
] as [string, [string, string][], string?][])('%s does not pass', async (_, headers, data) => {
  expect(await send(headers, data === undefined ? undefined : { data })).not.toBe('200');
  expect(heard).toEqual([]);
});

test.each([
  ['a line break in a value', ['x-a', 'b\r\nx-forwarded-for: 6.6.6.6']],
  ['a line feed in a value', ['x-a', 'b\nGET /smuggled HTTP/1.1']],
  ['a NUL in a value', ['x-a', 'b\0c']],
  ['a line break in a name', ['x-a\r\nx-b', 'c']],
  ['a colon in a name', ['x-a: b', 'c']],
  ['a space in a name', ['x a', 'c']],
  ['an empty name', ['', 'c']],
] as [string, [string, string]][])('%s is lost on the way, and nothing of it arrives', async (_, header) => {
  expect(await send([...GOOD, header])).toBe('200');

  expect(heard).toEqual(['GET /raw', 'whole /raw']);
  expect(names.filter((name) => !PLAIN_NAMES.test(name))).toEqual([]);
});

test.each([
  ['more', '2'],
  ['less', '400'],
])('a body of %s than its length says does not pass as a request', async (_, length) => {
  const headers = [...but(':method', 'POST'), ['content-length', length] as const];

  expect(await send(headers, { data: 'GET /smuggled HTTP/1.1\r\n\r\n' })).not.toBe('200');
  await sleep(30);
  expect(heard.filter((line) => line !== 'POST /raw')).toEqual([]);
});

test.each([
  ['is cancelled', constants.NGHTTP2_CANCEL],
  ['stops without a reason', constants.NGHTTP2_NO_ERROR],
])('an upload that %s is never taken for a whole one', async (_, code) => {
  // Before anything waits: what the case before this one left would be taken for what comes.
  heard = [];
  uploaded = 0;
  const after = vi.waitFor(() => expect([heard, uploaded]).toEqual([['POST /upload'], 4]));
  const headers = GOOD.map(([name, value]): [string, string] => [
    name,
    { ':method': 'POST', ':path': '/upload' }[name as string] ?? value,
  ]);

  await send(headers, { data: 'half', reset: { code, after } });

  expect([heard, uploaded]).toEqual([['POST /upload'], 4]);
});

test('a websocket passes on the same listener over HTTP/1.1', async () => {
  const socket = new WebSocket(`wss://127.0.0.1:${world.port}/`, [], {
    ca: certificate.ca,
    createConnection: ((options: object) => connectTls({ ...options, servername: HOST })) as never,
    headers: { host: `${HOST}:3080`, 'user-agent': AGENT, cookie },
  });
  await once(socket, 'open');
  socket.send('hello');

  expect(String((await once(socket, 'message'))[0])).toBe('echo hello');
  socket.terminate();
});
