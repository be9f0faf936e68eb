import { once } from 'node:events';
import { duplexPair } from 'node:stream';
import { expect, test } from 'vitest';
import { websocketOver } from './websocket-over.ts';

test('what is sent to a cluster is sent as it is, each message in one piece, and its frames say that they are masked', async () => {
  const [ours, theirs] = duplexPair();
  const socket = websocketOver({ stream: ours, rest: Buffer.alloc(0) });
  await once(socket, 'open');
  const pieces: Buffer[] = [];
  theirs.on('data', (bytes: Buffer) => pieces.push(bytes));
  const sent = Buffer.alloc(1_000, 'some bytes of a file ');

  await new Promise((resolve) => socket.send(sent, { binary: true }, resolve));
  await expect.poll(() => Buffer.concat(pieces).length).toBe(sent.length + 8);

  const [first, second, ...key] = Buffer.concat(pieces).subarray(0, 8);
  expect([first, second, ...key]).toEqual([0x82, 0xfe, sent.length >> 8, sent.length & 0xff, 0, 0, 0, 0]);
  expect(Buffer.concat(pieces).subarray(8)).toEqual(sent);
  socket.terminate();
});
