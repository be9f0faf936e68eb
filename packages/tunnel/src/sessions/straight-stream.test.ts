import type { IncomingMessage } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { getCACertificates, setDefaultCACertificates, type TLSSocket } from 'node:tls';
import { DB_STREAM } from '@gatehouse/contract/kinds/db/databases';
import { PASS_HEADER, STREAM_UPGRADE } from '@gatehouse/contract/sessions/tcp-frames';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { makeCertificate } from '../../testing/certificate.ts';
import { openStraightStream } from './straight-stream.ts';

let server: Server;
let serve: (socket: TLSSocket, request: IncomingMessage) => void;
const before = getCACertificates('default');
beforeAll(async () => {
  const { cert, key, ca } = await makeCertificate(['localhost', '127.0.0.1']);
  setDefaultCACertificates([...before, ca]);
  server = createServer({ cert, key });
  server.on('upgrade', (request, socket) => serve(socket as TLSSocket, request));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(() => server.closeAllConnections());
afterAll(() => {
  server?.close();
  setDefaultCACertificates(before);
});

const open = (origin = `https://localhost:${(server.address() as AddressInfo).port}`) =>
  openStraightStream({
    ...{ origin, token: 'token-1', door: DB_STREAM, clusterId: '-current-', name: 'shop', pass: 'pass-1' },
    ...{ query: { dbUser: 'app', dbName: '' }, userAgent: 'test' },
  });
const switched = (to: string) => `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${to}\r\n\r\n`;
const answer = (status: string, body: string) =>
  `HTTP/1.1 ${status}\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`;
const refusal = (code: string, message: string) => JSON.stringify({ error: { code, message, requestId: 'r' } });

test('bytes go both ways as they are, from the first behind the answer, and who says no more still listens', async () => {
  const heard: unknown[] = [];
  serve = (socket, { url, headers }) => {
    heard.push(url, headers.upgrade, headers.authorization, headers[PASS_HEADER]);
    socket.allowHalfOpen = true;
    socket.write(`${switched(STREAM_UPGRADE)}welcome, `);
    void text(socket).then((said) => socket.end(`you said ${said.length}`));
  };

  const stream = await open();
  stream?.end(Buffer.alloc(300_000, 'x'));

  expect(await text(stream!)).toBe('welcome, you said 300000');
  expect(heard).toEqual([
    '/v1/webapi/sites/-current-/databases/shop/stream?dbUser=app&dbName=',
    ...[STREAM_UPGRADE, 'Bearer token-1', 'pass-1'],
  ]);
});

test('what the gateway refuses is said with its code', async () => {
  serve = (socket) => void socket.end(answer('403 Forbidden', refusal('denied', "no role of yours opens 'shop'")));
  await expect(open()).rejects.toMatchObject({ code: 'denied', message: "no role of yours opens 'shop'" });

  serve = (socket) => void socket.end(answer('401 Unauthorized', refusal('mfa_required', 'a second factor')));
  await expect(open()).rejects.toMatchObject({ code: 'mfa_required' });
});

test.each<[string, (socket: TLSSocket) => unknown]>([
  ['a gateway that knows no streams', (socket) => socket.end(answer('404 Not Found', refusal('not_found', 'no')))],
  ['one that is not reached straight', (socket) => socket.end(answer('501 No', refusal('not_available', 'no')))],
  ['a proxy with a page of its own', (socket) => socket.end(answer('403 Forbidden', '<html>blocked</html>'))],
  ['a proxy that hangs up', (socket) => socket.destroy()],
  ['somebody who speaks something else', (socket) => socket.end(switched('websocket'))],
])('%s gives no stream, and no error', async (_who, say) => {
  serve = say;

  expect(await open()).toBeUndefined();
});

test('without TLS none is asked for, and where nobody answers none is there', async () => {
  let asked = 0;
  serve = (socket) => {
    asked += 1;
    socket.destroy();
  };
  const { port } = server.address() as AddressInfo;

  expect(await open(`http://localhost:${port}`)).toBeUndefined();
  expect(asked).toBe(0);
  expect(await open('https://127.0.0.1:1')).toBeUndefined();
});
