/** What an application answers, however wrong, costs at most the answer: over HTTP/1.1, over HTTP/2, and for whoever asks next. */
import { once } from 'node:events';
import { type ClientHttp2Session, connect, type IncomingHttpHeaders } from 'node:http2';
import { type AddressInfo, createServer } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { type Contained, onContained } from '@gatehouse/tunnel/contain';
import { makeCertificate, type TestCertificate } from '@gatehouse/tunnel/testing/certificate';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { AGENT, type AppWorld, type AskOptions, openApp, startAppWorld } from '../../../testing/apps/app-world.ts';

const HOST = 'web.gate.example';
const GOOD = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';
let world: AppWorld;
let certificate: TestCertificate;
let client: ClientHttp2Session;
let cookie: string;
let answer = GOOD;
let held: Contained[] = [];
const stop = onContained((each) => void held.push(each));

const upstream = createServer((socket) => {
  socket.on('error', () => {});
  socket.once('data', () => socket.end(answer, 'latin1'));
});

beforeAll(async () => {
  certificate = await makeCertificate(['gate.example', '*.gate.example']);
  world = await startAppWorld({ secure: { ...certificate, host: 'gate.example' } });
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
  await world.add('web', `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`);
  client = connect(`https://127.0.0.1:${world.port}`, { servername: HOST, ca: certificate.ca });
  await once(client, 'connect');
  cookie = await openApp(world, world.ann, HOST, '/', visit);
});
afterAll(async () => {
  stop();
  client?.destroy();
  await world?.close();
  upstream.close();
});
beforeEach(() => {
  answer = GOOD;
  held = [];
});

/** Status 0: the stream was reset. */
async function visit({ path = '/', headers = {} }: Partial<AskOptions>) {
  const own = { ':path': path, ':method': 'GET', ':authority': `${HOST}:3080`, 'user-agent': AGENT };
  const stream = client.request({ ...own, accept: 'text/html', ...headers }, { endStream: true });
  let body = '';
  stream.setEncoding('latin1');
  try {
    const [found] = (await once(stream, 'response')) as [IncomingHttpHeaders];
    for await (const piece of stream) body += piece;
    return { status: Number(found[':status']), headers: found, body };
  } catch {
    return { status: 0, headers: {}, body };
  }
}

async function visitByHttp1(): Promise<string> {
  const options = { port: world.port, host: '127.0.0.1', servername: HOST, ca: certificate.ca };
  const socket = connectTls(options).on('error', () => {});
  socket.write(
    `GET / HTTP/1.1\r\nHost: ${HOST}:3080\r\nUser-Agent: ${AGENT}\r\nAccept: text/html\r\nCookie: ${cookie}\r\n\r\n`,
  );
  const [first] = (await once(socket, 'data')) as [Buffer];
  socket.destroy();
  return first.toString('latin1').split('\r\n', 1)[0] ?? '';
}

const BAD_GATEWAY = [
  '600 X',
  '999 X',
  '700 X\r\ncontent-length: 0',
  '600 X\r\ncontent-length: 2\r\n\r\nok',
  '000 X',
  '101 Switching Protocols\r\nupgrade: x',
];

test.each(BAD_GATEWAY)('a status that is none (%j) is told as a failure of the application', async (start) => {
  answer = `HTTP/1.1 ${start}\r\n\r\n`;

  expect((await visit({ headers: { cookie } })).status).toBe(502);
  expect(await visitByHttp1()).toBe('HTTP/1.1 502 Bad Gateway');
  expect(held).toEqual([]);
});

// All that Node refuses to send over HTTP/2, and what comes near it.
const ODD_HEADERS = [
  'http2-settings: x',
  'connection: x',
  'upgrade: h2c',
  'keep-alive: timeout=5',
  'proxy-connection: keep-alive',
  'te: gzip',
  'te: trailers',
  'trailer: x',
  'host: elsewhere',
  '__proto__: x',
  'constructor: x',
  'content-type: a/b\r\ncontent-type: c/d',
  'etag: "a"\r\netag: "b"',
  'location: \xff\xfe',
  'x-latin: \xe9\t\x80',
  'x-empty:',
  'set-cookie: \xe9=\xe9',
  'access-control-allow-credentials: true\r\naccess-control-allow-credentials: false',
];

test.each(ODD_HEADERS)('a header that HTTP/2 does not carry (%j) is left out, with every sort of end', async (line) => {
  for (const end of ['\r\n\r\n', '\r\n\r\nok', '\r\ncontent-length: 0\r\n\r\n', '\r\ncontent-length: 2\r\n\r\nok']) {
    answer = `HTTP/1.1 200 OK\r\n${line}${end}`;
    expect((await visit({ headers: { cookie } })).status, JSON.stringify(answer)).toBe(200);
  }
  expect(await visitByHttp1()).toBe('HTTP/1.1 200 OK');
  expect(held).toEqual([]);
});

test('an answer that has no body by its status has none, whatever follows', async () => {
  for (const status of [204, 205, 304]) {
    for (const end of ['', 'content-length: 2\r\n', 'transfer-encoding: chunked\r\n']) {
      answer = `HTTP/1.1 ${status} X\r\n${end}\r\nok`;
      expect(await visit({ headers: { cookie } }), `${status} ${end}`).toMatchObject({ status, body: '' });
    }
  }
  expect(held).toEqual([]);
});

test('a refused upgrade on the host of an application ends, though its sender never closes', async () => {
  const accepted = once(world.gateway.app.server, 'secureConnection');
  const options = { port: world.port, host: '127.0.0.1', servername: HOST, ca: certificate.ca, allowHalfOpen: true };
  const socket = connectTls(options).on('error', () => {});
  const [far] = await accepted;
  const gone = once(far, 'close');
  let heard = '';
  socket.on('data', (piece) => {
    heard += piece;
  });
  socket.write(`GET / HTTP/1.1\r\nHost: ${HOST}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`);

  await gone;

  expect(heard).toMatch(/^HTTP\/1\.1 401 /);
  socket.destroy();
});

test('an upload that is answered before it ends is not kept open by who sends it', async () => {
  const stream = client.request(
    { ':path': '/', ':method': 'POST', ':authority': `${HOST}:3080`, 'user-agent': AGENT },
    { endStream: false },
  );
  stream.on('error', () => {});
  stream.resume();
  const closed = once(stream, 'close');
  const [found] = (await once(stream, 'response')) as [IncomingHttpHeaders];

  await closed;

  expect(found[':status']).toBe(401);
});

test('a client that connects by address and names no host is served the console', async () => {
  const options = { port: world.port, host: '127.0.0.1', ca: certificate.ca, checkServerIdentity: () => undefined };
  const socket = connectTls({ ...options, ALPNProtocols: ['h2', 'http/1.1'] });
  await once(socket, 'secureConnect');

  expect([socket.servername, socket.alpnProtocol]).toEqual([false, 'http/1.1']);
  socket.write('GET /v1/webapi/ping HTTP/1.1\r\nHost: localhost\r\n\r\n');
  expect(String((await once(socket, 'data'))[0])).toContain('HTTP/1.1 200 OK');
  socket.destroy();
});
