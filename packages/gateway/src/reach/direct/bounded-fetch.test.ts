import { connect, createServer, type Server } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { AppError } from '../../platform/std/app-error.ts';
import { createBoundedFetch } from './bounded-fetch.ts';

let server: Server | undefined;
afterEach(() => void server?.close());

/** Fetches from a server that says these bytes to whatever it is asked, and leaves the connection open. */
async function ask(bytes: string): Promise<Response> {
  const listening = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.write(bytes, 'latin1'));
  });
  server = listening;
  const port = await new Promise<number>((resolve) => {
    listening.listen(0, '127.0.0.1', () => resolve((listening.address() as { port: number }).port));
  });
  const fetch = createBoundedFetch(async () => connect(port, '127.0.0.1'));
  return await fetch(`http://127.0.0.1:${port}/`);
}

test('an answer is read', async () => {
  const response = await ask('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok');

  expect(await response.text()).toBe('ok');
});

// Whoever waits for one that never ends asks no other provider again either.
test.each([
  ['that changes to another protocol', 'HTTP/1.1 101 Go on\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'],
  ['that changes to none', 'HTTP/1.1 101 Go on\r\n\r\n'],
  ['of no class', 'HTTP/1.1 600 Beyond\r\ncontent-length: 0\r\n\r\n'],
  ['with a header that ends a line', 'HTTP/1.1 200 OK\r\nx: a\x01b\r\ncontent-length: 0\r\n\r\n'],
  ['that leads elsewhere', 'HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1/\r\ncontent-length: 0\r\n\r\n'],
])('an answer %s ends in words', async (_, bytes) => {
  await expect(ask(bytes)).rejects.toBeInstanceOf(AppError);
});
