import { createServer, type RequestListener, type Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as pass } from 'node:timers/promises';
import { afterEach, expect, test, vi } from 'vitest';
import { createBoundedFetch } from './bounded-fetch.ts';

let server: Server | undefined;
afterEach(() => {
  vi.useRealTimers();
  server?.closeAllConnections();
  server?.close();
});

/** A server, what dials it, and how often that was done. */
async function world(answer: RequestListener = (_, response) => response.end('ok')) {
  const listening = createServer(answer);
  server = listening;
  const streams: Socket[] = [];
  listening.on('connection', (socket) => streams.push(socket));
  const port = await new Promise<number>((resolve) => {
    listening.listen(0, '127.0.0.1', () => resolve((listening.address() as { port: number }).port));
  });
  let dials = 0;
  const fetch = createBoundedFetch(async () => {
    dials += 1;
    return connect(port, '127.0.0.1');
  });
  const ask = async (keeper?: object, path = '/') => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { keeper });
    const text = await response.text();
    // What was read to the end is put back after whoever asked goes on.
    await pass(5);
    return text;
  };
  return { ask, streams, dials: () => dials };
}

test('who asks again goes on over the connection that was dialled for them, and nobody else does', async () => {
  const { ask, dials } = await world();
  const one = {};

  expect([await ask(one), await ask(one), await ask(one)]).toEqual(['ok', 'ok', 'ok']);
  expect(dials()).toBe(1);
  await ask({});
  expect(dials()).toBe(2);
  await ask(one);
  expect(dials()).toBe(2);
});

test('without somebody to keep it for, a connection is closed after its answer', async () => {
  const { ask, dials, streams } = await world();
  await ask();
  await ask();

  expect(dials()).toBe(2);
  await expect.poll(() => streams.every((stream) => stream.destroyed)).toBe(true);
});

test('those that ask at the same time have one each', async () => {
  const { ask, dials } = await world();
  const one = {};
  await Promise.all([ask(one), ask(one), ask(one)]);
  expect(dials()).toBe(3);
  await Promise.all([ask(one), ask(one), ask(one)]);

  expect(dials()).toBe(3);
});

test('what the other side says it closes, or has closed, is not used again', async () => {
  const { ask, dials, streams } = await world((request, response) => {
    if (request.url === '/last') response.setHeader('connection', 'close');
    response.end('ok');
  });
  const one = {};
  await ask(one, '/last');
  await ask(one);
  expect(dials()).toBe(2);

  streams.at(-1)?.end();
  await pass(20);
  expect(await ask(one)).toBe('ok');
  expect(dials()).toBe(3);
});

// It would be read as the answer to the next question, of somebody else.
test('a connection over which something comes that nobody asked for is closed', async () => {
  const { ask, dials, streams } = await world();
  const one = {};
  await ask(one);
  streams.at(-1)?.write('HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\nforged');
  await pass(20);

  expect(await ask(one)).toBe('ok');
  expect(dials()).toBe(2);
});

test('what did not end well is not used again', async () => {
  const { ask, dials } = await world((request, response) => {
    if (request.url === '/away') response.writeHead(302, { location: '/' });
    response.end('ok');
  });
  const one = {};
  await expect(ask(one, '/away')).rejects.toThrow('redirects are not followed');
  await ask(one);

  expect(dials()).toBe(2);
});

test('an idle connection is closed within moments, and a busy one within a minute', async () => {
  const { ask, dials, streams } = await world();
  const one = {};
  await ask(one);
  // The server of the test keeps idle ones for five seconds.
  await expect.poll(() => streams.at(-1)?.destroyed, { timeout: 4_000 }).toBe(true);
  await ask(one);
  expect(dials()).toBe(2);

  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60_000 });
  await ask(one);
  expect(dials()).toBe(3);
});
