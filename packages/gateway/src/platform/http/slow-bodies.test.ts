import { type AddressInfo, connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import Fastify from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { limitSlowBodies, mayTakeLong } from './slow-bodies.ts';

const WITHIN_MS = 80;

async function sendSlowly(path: string, headers = ''): Promise<string> {
  const app = Fastify();
  limitSlowBodies(app, WITHIN_MS);
  const begun = Promise.withResolvers<void>();
  app.addHook('onRequest', async () => begun.resolve());
  app.post('/json', async () => 'done');
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, body, done) => done(null, body));
    scope.post('/bytes', async (request) => {
      mayTakeLong(request);
      let count = 0;
      for await (const piece of request.raw) count += (piece as Buffer).length;
      return `${count} bytes`;
    });
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  onTestFinished(() => app.close());
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1').on('error', () => {});
  let heard = '';
  socket.on('data', (bytes) => {
    heard += bytes;
  });
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  socket.write(
    `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n${headers || 'connection: close\r\n'}`,
  );
  socket.write('content-length: 4\r\n\r\n{');
  await begun.promise;
  await sleep(2 * WITHIN_MS);
  if (!socket.destroyed) socket.write('  }');
  await closed;
  return heard;
}

test('a body that takes too long is cut off', async () => {
  expect(await sendSlowly('/json')).toBe('');
});

test('words about an upgrade that is none give nobody more time', async () => {
  expect(await sendSlowly('/json', 'upgrade: x\r\n')).toBe('');
});

test('an upload may take longer', async () => {
  expect(await sendSlowly('/bytes')).toContain('4 bytes');
});
