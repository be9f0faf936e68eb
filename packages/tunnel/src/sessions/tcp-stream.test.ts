import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { APP_TCP_SOCKET } from '@gatehouse/contract/kinds/app/apps';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { openTcpStream } from './tcp-stream.ts';

let http: Server;
let sockets: WebSocketServer;
let serve: (socket: WebSocket, hello: unknown, path: string) => void;

beforeEach(async () => {
  http = createServer();
  sockets = new WebSocketServer({ server: http });
  sockets.on('connection', (socket, request) =>
    socket.once('message', (data) => serve(socket, JSON.parse(String(data)), request.url ?? '')),
  );
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
});
afterEach(async () => {
  for (const socket of sockets.clients) socket.terminate();
  http.closeAllConnections();
  await new Promise((resolve) => http.close(resolve));
});

const origin = () => `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
const open = (): Promise<Duplex> =>
  openTcpStream({
    door: APP_TCP_SOCKET,
    origin: origin(),
    token: 'token-1',
    clusterId: '-current-',
    name: 'db',
    userAgent: 'test',
  });
const say = (socket: WebSocket, frame: object) => socket.send(JSON.stringify(frame));

test('bytes go both ways, and each side ends for itself', async () => {
  const heard: unknown[] = [];
  serve = (socket, hello, path) => {
    heard.push(path, hello);
    const pieces: Buffer[] = [];
    say(socket, { type: 'ready', session: 's-1' });
    socket.on('message', (data, isBinary) => {
      if (isBinary) return void pieces.push(data as Buffer);
      // Only after the whole question has been asked.
      socket.send(Buffer.from(`got ${Buffer.concat(pieces).length}`));
      say(socket, { type: 'end' });
    });
  };

  const stream = await open();
  stream.end(Buffer.alloc(300_000, 1));

  expect(await text(stream)).toBe('got 300000');
  expect(heard).toEqual(['/v1/webapi/sites/-current-/apps/db/tcp', { type: 'hello', token: 'token-1' }]);
});

test('bytes that follow the first word at once are not lost', async () => {
  serve = (socket) => {
    say(socket, { type: 'ready', session: 's-1' });
    socket.send(Buffer.from('220 welcome'));
    say(socket, { type: 'end' });
  };

  expect(String(await buffer(await open()))).toBe('220 welcome');
});

test('a reader that rests makes the gateway wait', async () => {
  const chunk = Buffer.alloc(256 * 1024);
  let sent = 0;
  serve = (socket) => {
    say(socket, { type: 'ready', session: 's-1' });
    const more = () => {
      if (sent >= 400) return say(socket, { type: 'end' });
      sent += 1;
      socket.send(chunk, () => more());
    };
    more();
  };

  const stream = await open();
  stream.once('readable', () => undefined);
  await sleep(200);
  const whileResting = sent;
  let read = 0;
  for await (const piece of stream) read += (piece as Buffer).length;

  expect(whileResting).toBeLessThan(200);
  expect(read).toBe(400 * chunk.length);
});

test('what the gateway refuses is said with its code', async () => {
  serve = (socket) => {
    say(socket, { type: 'failed', code: 'denied', message: "no role of yours opens 'db'" });
    socket.close();
  };
  await expect(open()).rejects.toMatchObject({ code: 'denied', message: "no role of yours opens 'db'" });

  serve = (socket) => socket.close(4403, 'not signed in');
  await expect(open()).rejects.toMatchObject({ code: 'not_signed_in' });
});

test('an answer that is no websocket is read as the error it is', async () => {
  http.removeAllListeners('upgrade');
  http.on('upgrade', (_request, socket) => {
    const body = JSON.stringify({ error: { message: 'no such application', code: 'not_found', requestId: 'r' } });
    socket.end(`HTTP/1.1 404 Not Found\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`);
  });

  await expect(open()).rejects.toMatchObject({ code: 'not_found', message: 'no such application' });
});

test('a connection that breaks off is an error, not an end', async () => {
  serve = (socket) => {
    say(socket, { type: 'ready', session: 's-1' });
    socket.send(Buffer.from('half'));
    setTimeout(() => socket.close(1000, 'the session is over'), 20);
  };

  const stream = await open();

  await expect(text(stream)).rejects.toThrow('the session is over');
});

test('the end of a sign-in is told as such', async () => {
  serve = (socket) => {
    say(socket, { type: 'ready', session: 's-1' });
    setTimeout(() => socket.close(4401, 'signed_out'), 20);
  };

  await expect(text(await open())).rejects.toMatchObject({ code: 'not_signed_in' });
});

test('without a gateway it says where nobody answers', async () => {
  const gone = openTcpStream({
    door: APP_TCP_SOCKET,
    origin: 'http://127.0.0.1:1',
    token: 't',
    clusterId: 'c',
    name: 'db',
    userAgent: 'test',
  });

  await expect(gone).rejects.toMatchObject({ code: 'unreachable', message: /127\.0\.0\.1:1/ });
});
