import { ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import Fastify from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { limitSlowBodies, mayTakeLong } from './slow-bodies.ts';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

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

const BODY = 'HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 4\r\n\r\n{';

test.each([
  ['went over to another protocol', 'GET / HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'],
  ['broke off in its body', `POST / ${BODY}`],
  ['was refused, and broke off in its body', `POST /nowhere ${BODY}`],
])('a request that %s is let go of with its socket, and not when the time for bodies is over', async (_, text) => {
  const app = Fastify();
  limitSlowBodies(app);
  const requests: WeakRef<object>[] = [];
  app.addHook('onRequest', async (request) => {
    requests.push(new WeakRef(request));
  });
  app.route({ method: ['GET', 'POST'], url: '/', handler: (_request, reply) => void reply.hijack() });
  app.server.on('upgrade', (request, socket) => {
    socket.on('error', () => {}).resume();
    socket.on('end', () => socket.destroy());
    app.routing(request, new ServerResponse(request));
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  onTestFinished(() => app.close());
  for (let count = 0; count < 10; count += 1) {
    const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1').on('error', () => {});
    socket.write(text);
    await expect.poll(() => requests.length).toBe(count + 1);
    socket.destroy();
  }

  await expectLetGo(requests);
});

test('a request without a socket keeps nothing until the time for bodies is over', async () => {
  const app = Fastify();
  limitSlowBodies(app);
  const requests: WeakRef<object>[] = [];
  app.addHook('onRequest', async (request) => {
    requests.push(new WeakRef(request));
  });
  app.post('/', async () => 'done');
  for (let count = 0; count < 10; count += 1) await app.inject({ method: 'POST', url: '/', payload: { count } });

  expect(requests).toHaveLength(10);
  await expectLetGo(requests);
});

async function expectLetGo(requests: readonly WeakRef<object>[]): Promise<void> {
  const left = () => {
    collectGarbage();
    return requests.filter((each) => each.deref()).length;
  };
  // The last may still be in somebody's hands.
  await expect.poll(left, { interval: 20 }).toBeLessThan(3);
}
