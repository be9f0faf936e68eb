import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import type { SimpleAnswer, SimpleRequest } from './fast-path-connection.ts';
import { serveSimply } from './fast-path-connections.ts';

let server: Server;
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await new Promise((resolve) => server.close(resolve));
});

type Serve = (request: SimpleRequest, answer: SimpleAnswer) => boolean;

/** Node answers with `node`; what it was asked stands behind it. */
async function start(serve: Serve): Promise<void> {
  server = createServer((request, response) => {
    let body = '';
    request.on('data', (data) => {
      body += data;
    });
    request.on('end', () => response.end(`node ${request.method} ${request.url} ${body}`));
  });
  serveSimply(server, 'connection', serve, { sweepMs: 20 });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
}

interface Talk {
  socket: Socket;
  send(text: string): void;
  heard(): string;
  until(text: string): Promise<void>;
  closed: Promise<void>;
}

function talk(): Talk {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  sockets.push(socket);
  let text = '';
  socket.on('data', (data) => {
    text += data.toString('latin1');
  });
  socket.on('error', () => {});
  return {
    socket,
    send: (bytes) => void socket.write(bytes, 'latin1'),
    heard: () => text,
    async until(wanted) {
      await expect.poll(() => text, { interval: 5, timeout: 2_000 }).toContain(wanted);
    },
    closed: new Promise((resolve) => socket.on('close', () => resolve())),
  };
}

const get = (url: string) => `GET ${url} HTTP/1.1\r\nHost: a\r\n\r\n`;
const answered = ({ url }: SimpleRequest, answer: SimpleAnswer) => {
  const body = Buffer.from(`simple ${url};`);
  answer.writeHead(200, 'OK', ['content-length', String(body.length)], 'length');
  answer.end(body);
  return true;
};

test('simple requests are answered one after the other on one connection', async () => {
  await start(answered);
  const client = talk();
  client.send(get('/1'));
  await client.until('simple /1;');
  client.send(get('/2'));
  await client.until('simple /2;');

  expect(client.heard()).toMatch(
    /^HTTP\/1\.1 200 OK\r\ncontent-length: 10\r\ndate: [^\r]+ GMT\r\nconnection: keep-alive\r\n\r\n/,
  );
});

test('a request that is not simple, and all that follow it, are answered by Node', async () => {
  await start(answered);
  const client = talk();
  client.send(get('/1'));
  await client.until('simple /1;');
  client.send('POST /2 HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc');
  await client.until('node POST /2 abc');
  client.send(get('/3'));
  await client.until('node GET /3');
});

test('a request that comes in pieces loses none of them', async () => {
  await start(answered);
  const client = talk();
  for (const piece of ['G', 'ET /1 HTTP/1.1\r\nHo', 'st: a\r\n\r', '\n']) {
    client.send(piece);
    await sleep(10);
  }
  await client.until('node GET /1');
});

test('one that nobody wants is answered by Node', async () => {
  await start(() => false);
  const client = talk();
  client.send(get('/1'));
  await client.until('node GET /1');
});

test('requests that are sent without waiting are answered in their order', async () => {
  const begun: string[] = [];
  let finish: (() => void) | undefined;
  await start((request, answer) => {
    begun.push(request.url);
    finish = () => answered(request, answer);
    return true;
  });
  const client = talk();
  client.send(get('/1'));
  await expect.poll(() => begun).toEqual(['/1']);
  client.send(get('/2') + get('/3'));
  await sleep(20);
  expect(begun).toEqual(['/1']);
  finish?.();
  await client.until('node GET /3');

  const order = [...client.heard().matchAll(/(simple|node GET) \/\d/g)].map(([found]) => found);
  expect(order).toEqual(['simple /1', 'node GET /2', 'node GET /3']);
});

test('a body of unknown length goes out in chunks, with room asked for', async () => {
  let answer: SimpleAnswer | undefined;
  await start((_request, given) => {
    answer = given;
    given.writeHead(200, '', ['date', 'today'], 'chunked');
    given.write(Buffer.from('hello'));
    return true;
  });
  const client = talk();
  client.send(get('/'));
  await client.until('5\r\nhello\r\n');
  client.socket.pause();
  let drained = 0;
  answer!.onDrain = () => {
    drained += 1;
  };
  const piece = Buffer.alloc(1024 * 1024, 'x');
  while (answer!.write(piece)) await sleep(1);
  expect(drained).toBe(0);
  client.socket.resume();
  await expect.poll(() => drained).toBeGreaterThan(0);
  answer!.end();
  await client.until('\r\n0\r\n\r\n');
  expect(client.heard()).toContain(
    'HTTP/1.1 200 \r\ndate: today\r\ntransfer-encoding: chunked\r\nconnection: keep-alive\r\n\r\n',
  );
});

test('whoever asks is told when a client leaves, and not when the answer was whole', async () => {
  let left = 0;
  const asked: string[] = [];
  await start((request, answer) => {
    asked.push(request.url);
    answer.onLeave = () => {
      left += 1;
    };
    return request.url === '/whole' ? answered(request, answer) : true;
  });
  const whole = talk();
  whole.send(get('/whole'));
  await whole.until('simple /whole;');
  whole.socket.destroy();
  const half = talk();
  half.send(get('/half'));
  await expect.poll(() => asked).toContain('/half');
  half.socket.destroy();
  await expect.poll(() => left).toBe(1);
  await sleep(20);
  expect(left).toBe(1);
});

test('one that says no more is let go', async () => {
  await start(answered);
  const client = talk();
  client.send(get('/1'));
  await client.until('simple /1;');
  client.socket.end();
  await client.closed;
});

test('closing ends quiet connections at once and others after their answer', async () => {
  let finish: (() => void) | undefined;
  await start((request, answer) => {
    if (request.url === '/1') return answered(request, answer);
    finish = () => answered(request, answer);
    return true;
  });
  const [quiet, busy] = [talk(), talk()];
  quiet.send(get('/1'));
  await quiet.until('simple /1;');
  busy.send(get('/2'));
  await expect.poll(() => finish).toBeDefined();
  const over = new Promise((resolve) => server.close(resolve));
  await quiet.closed;
  finish?.();
  await busy.closed;
  await over;
  expect(busy.heard()).toContain('connection: close\r\n\r\nsimple /2;');
});

test('those who never ask for anything do not stay', async () => {
  await start(answered);
  server.headersTimeout = 1;
  await talk().closed;
});

test('a server that has not listened keeps no clock going', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  server = createServer();
  serveSimply(server, 'connection', answered);
  expect(vi.getTimerCount()).toBe(0);
});
