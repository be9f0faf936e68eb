import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { signInRoutes } from '@gatehouse/contract/auth/sign-in';
import { call } from '@gatehouse/contract/client';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { createMetrics } from '../../diagnostics/metrics.ts';
import { createServer } from '../../http/server.ts';
import { type IdentityGateway, startIdentityGateway } from '../../testing/identity-gateway.ts';
import type { TestBrowser } from '../../testing/test-browser.ts';

let gateway: IdentityGateway;
let app: FastifyInstance;
let ann: TestBrowser;

/** A feature of its own with one socket of the reference's sort: it says who is there and counts what they type. */
beforeEach(async () => {
  gateway = await startIdentityGateway({ inactivityTimeoutMs: 60_000 });
  await gateway.addUser('ann');
  ann = await gateway.signedIn('ann');
  const { metrics } = createMetrics({ version: 'test', processMetrics: 'none' });
  const log = pino({ level: 'silent' });
  app = createServer({ log, metrics, trustedProxies: [], hostNames: ['localhost'], strictTransport: false });
  gateway.identity.openSockets(app).add('/v1/echo/:room', 'address', ({ socket, actor, active }, request) => {
    socket.on('message', () => active());
    socket.send(`${actor.username} in ${JSON.stringify(request.params)}`);
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
});
afterEach(async () => {
  await app.close();
  await gateway.close();
});

function connect(token: string | undefined): WebSocket {
  const { port } = app.server.address() as AddressInfo;
  const cookie = [...ann.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const query = token === undefined ? '' : `?access_token=${token}`;
  return new WebSocket(`ws://127.0.0.1:${port}/v1/echo/hall${query}`, {
    headers: { host: 'localhost:3080', origin: 'http://localhost:3080', cookie },
  });
}

test('a socket of the wire reference takes its token from the address and knows its user and parameters', async () => {
  const socket = connect(ann.bearer);

  const [message] = await once(socket, 'message');

  expect(String(message)).toBe('ann in {"room":"hall"}');
  socket.terminate();
});

test.each([
  ['no token', undefined],
  ['a wrong one', 'f'.repeat(64)],
  ['an empty one', ''],
])('with %s in the address the socket is refused', async (_, token) => {
  const socket = connect(token);
  const [, response] = await once(socket, 'unexpected-response');

  expect(response.statusCode).toBe(403);
  socket.on('error', () => undefined).terminate();
});

test('what a user does on a socket keeps them signed in, and signing out closes it', async () => {
  const socket = connect(ann.bearer);
  await once(socket, 'message');
  for (let minute = 0; minute < 3; minute++) {
    gateway.clock.advance(50_000);
    socket.send('typing');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  expect(await call(ann.send, signInRoutes.status, { query: { idleMs: 0 } })).toEqual({ message: 'ok' });

  await call(ann.send, signInRoutes.signOut, {});

  const [code] = await once(socket, 'close');
  expect(code).toBe(4401);
});
