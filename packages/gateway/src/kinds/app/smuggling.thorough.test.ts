import type { AddressInfo } from 'node:net';
import { connect, createServer } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { AGENT, type AppWorld, openApp, startAppWorld } from '../../../testing/apps/app-world.ts';

let world: AppWorld;
let cookie: string;
/** What the application was really sent since the last try began, byte for byte. */
let heard = '';
/** The number of a try, which its requests carry: what the gateway still sends for one that is over belongs to no other. */
let tries = 0;
const HOST = 'raw.localhost';

const upstream = createServer((socket) => {
  socket.on('error', () => {});
  let kept = '';
  let sentBy: number | undefined;
  socket.on('data', (data) => {
    const text = data.toString('latin1');
    const named = [...text.matchAll(/^x-try: (\d+)\r$/gim)].at(-1)?.[1];
    if (named !== undefined) sentBy = Number(named);
    if (sentBy === undefined || sentBy === tries) heard += text;
    kept += text;
    // One answer per head: a second request on the connection would get one of its own.
    while (kept.includes('\r\n\r\n')) {
      kept = kept.slice(kept.indexOf('\r\n\r\n') + 4);
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok');
    }
  });
});

beforeAll(async () => {
  world = await startAppWorld();
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
  await world.add('raw', `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`);
  cookie = await openApp(world, world.ann, HOST);
});
afterAll(async () => {
  await world.close();
  upstream.close();
});

/** For what a second request on the connection would bring. */
const AFTER_MS = 15;
const MAX_MS = 4_000;

/** Sends bytes as they are, after the answer to others if there are some before; gives the first line of the answer. */
function send(bytes: string, before = ''): Promise<string> {
  heard = '';
  tries += 1;
  return new Promise((resolve) => {
    const socket = connect(world.port, '127.0.0.1');
    let isBefore = before !== '';
    let text = '';
    // The tables below are made before anybody is signed in.
    const write = (next: string) =>
      void socket.write(next.replaceAll('@COOKIES@', cookie).replaceAll('@TRY@', String(tries)), 'latin1');
    socket.on('data', (data) => {
      if (isBefore) {
        isBefore = false;
        heard = '';
        write(bytes);
        return;
      }
      text += data.toString('latin1');
      setTimeout(done, AFTER_MS);
    });
    socket.on('error', () => {});
    const done = () => {
      socket.destroy();
      resolve(text.split('\r\n', 1)[0] ?? '');
    };
    socket.on('close', done);
    write(isBefore ? before : bytes);
    setTimeout(done, MAX_MS);
  });
}

const head = (lines: string, method = 'POST', target = '/') =>
  `${method} ${target} HTTP/1.1\r\nHost: ${HOST}:3080\r\nUser-Agent: ${AGENT}\r\nCookie: @COOKIES@\r\nX-Try: @TRY@\r\n${lines}\r\n`;
const SMUGGLED = 'GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n';

test('a plain request passes, so that the refusals below mean something', async () => {
  expect(await send(`${head('Content-Length: 3\r\n')}abc`)).toBe('HTTP/1.1 200 OK');
  expect(heard).toContain('POST / HTTP/1.1\r\n');
});

// After the public collections of request smuggling: every way to say the length of a body twice, or to hide a header.
const TRICKS: [name: string, bytes: string][] = [
  ['CL.TE', `${head(`Content-Length: ${SMUGGLED.length + 5}\r\nTransfer-Encoding: chunked\r\n`)}0\r\n\r\n${SMUGGLED}`],
  ['TE.CL', `${head('Transfer-Encoding: chunked\r\nContent-Length: 4\r\n')}5c\r\n${SMUGGLED}\r\n0\r\n\r\n`],
  ['two lengths that differ', head(`Content-Length: 0\r\nContent-Length: ${SMUGGLED.length}\r\n`) + SMUGGLED],
  ['two lengths that agree', `${head('Content-Length: 3\r\nContent-Length: 3\r\n')}abc`],
  ['a list of lengths', `${head('Content-Length: 0, 3\r\n')}abc`],
  ['a signed length', `${head('Content-Length: +3\r\n')}abc`],
  ['a length with a space inside', `${head('Content-Length: 3 0\r\n')}abc`],
  ['a hexadecimal length', `${head('Content-Length: 0x3\r\n')}abc`],
  ['a negative length', `${head('Content-Length: -1\r\n')}abc`],
  ['TE with a prefix', `${head('Transfer-Encoding: xchunked\r\n')}0\r\n\r\n${SMUGGLED}`],
  ['TE with a suffix', `${head('Transfer-Encoding: chunkedx\r\n')}0\r\n\r\n${SMUGGLED}`],
  ['TE in a list', `${head('Transfer-Encoding: identity, chunked\r\n')}0\r\n\r\n${SMUGGLED}`],
  ['TE twice', `${head('Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n')}0\r\n\r\n${SMUGGLED}`],
  ['TE with a vertical tab', `${head('Transfer-Encoding: \x0bchunked\r\n')}0\r\n\r\n${SMUGGLED}`],
  ['TE folded', `${head('Transfer-Encoding:\r\n chunked\r\n')}0\r\n\r\n${SMUGGLED}`],
  ['TE with a space before the colon', `${head('Transfer-Encoding : chunked\r\n')}0\r\n\r\n${SMUGGLED}`],
  ['TE behind a bare line feed', `${head('X: y\nTransfer-Encoding: chunked\r\n')}0\r\n\r\n${SMUGGLED}`],
  ['TE behind a bare carriage return', `${head('X: y\rTransfer-Encoding: chunked\r\n')}0\r\n\r\n${SMUGGLED}`],
  ['a header that begins with a space', `${head(' Transfer-Encoding: chunked\r\n')}0\r\n\r\n${SMUGGLED}`],
  ['a header name with a NUL', head('X\0Y: z\r\n')],
  ['a header value with a NUL', head('X: y\0z\r\n')],
  ['a header name in brackets', head('X[Y]: z\r\n')],
  ['no name', head(': z\r\n')],
  ['two hosts', head('Host: other\r\n', 'GET')],
  ['a whole address as target', head('', 'GET', 'http://169.254.169.254/latest/meta-data')],
  ['an authority as target', head('', 'GET', 'evil.example:80')],
  [
    'an upgrade to plain HTTP/2',
    head('Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n', 'GET'),
  ],
  ['an upgrade to TLS', head('Connection: Upgrade\r\nUpgrade: TLS/1.0\r\n', 'GET')],
  ['TRACE', head('', 'TRACE')],
  ['CONNECT', head('', 'CONNECT', 'evil.example:80')],
  ['HTTP/1.0 with chunks', head('Transfer-Encoding: xyz\r\n').replace('HTTP/1.1', 'HTTP/1.0')],
  ['a line break in the target', head('', 'GET', '/a\r\nX: y')],
  ['a tab in the target', head('', 'GET', '/a\tb')],
  ['letters beyond ASCII in the target', head('', 'GET', '/\xe9')],
];

test.each(TRICKS)('%s does not pass', async (_, bytes) => {
  const answer = await send(bytes);

  expect(answer).not.toMatch(/^HTTP\/1\.1 2/);
  expect(heard).not.toMatch(/smuggled|meta-data/);
  expect(heard.match(/HTTP\/1\.1/g) ?? []).toHaveLength(0);
});

test.each(TRICKS)('%s does not pass behind a simple request either', async (_, bytes) => {
  const answer = await send(bytes, head('', 'GET', '/simple'));

  expect(answer).not.toMatch(/^HTTP\/1\.1 2/);
  expect(heard.match(/HTTP\/1\.1/g) ?? []).toHaveLength(0);
});

test('two simple requests in one piece are two requests, each with its own cookies', async () => {
  const answer = await send(head('', 'GET', '/first') + SMUGGLED);

  expect(answer).toBe('HTTP/1.1 200 OK');
  expect(heard).toContain('GET /first HTTP/1.1\r\n');
  expect(heard).not.toContain('/smuggled');
});

test.each([
  ['a chunk without a size', 'Transfer-Encoding: chunked\r\n', `\r\n${SMUGGLED}`],
  ['a chunk with another size', 'Transfer-Encoding: chunked\r\n', `3\r\nabcdef\r\n0\r\n\r\n${SMUGGLED}`],
  ['a chunk size with a sign', 'Transfer-Encoding: chunked\r\n', `+3\r\nabc\r\n0\r\n\r\n${SMUGGLED}`],
  ['a chunk size with 0x', 'Transfer-Encoding: chunked\r\n', `0x3\r\nabc\r\n0\r\n\r\n${SMUGGLED}`],
  ['a chunk size beyond all', 'Transfer-Encoding: chunked\r\n', `FFFFFFFFFFFFFFFFF\r\nabc\r\n`],
  ['a chunk that ends with a line feed', 'Transfer-Encoding: chunked\r\n', `3\nabc\n0\n\n${SMUGGLED}`],
])('%s reaches the application as nothing but a broken body', async (_, lines, body) => {
  await send(head(lines) + body);

  expect(heard).not.toContain('GET /smuggled');
  expect(heard.match(/ HTTP\/1\.1\r\n/g)?.length ?? 0).toBeLessThanOrEqual(1);
});

test('what follows a request on its connection is asked for as a request of its own, with its own cookies', async () => {
  const answer = await send(`${head('Content-Length: 3\r\n')}abc${SMUGGLED}`);

  expect(answer).toBe('HTTP/1.1 200 OK');
  expect(heard).not.toContain('/smuggled');
});

test('headers that only look different do not speak for the gateway', async () => {
  await send(
    head(
      'X_Forwarded_For: 6.6.6.6\r\nX-FORWARDED-HOST: evil\r\nForwarded: for=6.6.6.6\r\nGatehouse_JWT_Assertion: x\r\n',
      'GET',
    ),
  );

  expect(heard).not.toContain('6.6.6.6');
  expect(heard).not.toContain('evil');
  expect(heard.match(/gatehouse.jwt.assertion/gi)).toHaveLength(1);
  expect(heard).not.toContain('grv_app_session');
});
