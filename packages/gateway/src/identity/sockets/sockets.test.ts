import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { CLOSE_CODES } from '@gatehouse/contract/identity/change-frames';
import { signInRoutes } from '@gatehouse/contract/identity/sign-in';
import { call } from '@gatehouse/contract/wire/client';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { type IdentityGateway, startIdentityGateway } from '../../../testing/identity-gateway.ts';
import type { TestBrowser } from '../../../testing/test-browser.ts';
import { createMetrics } from '../../platform/health/metrics.ts';
import { createServer } from '../../platform/http/server.ts';

/** Short, so that nobody waits for it. */
const ASK_MS = 300;

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
  const sockets = gateway.identity.openSockets(app, { askMs: ASK_MS });
  sockets.add('/v1/echo/:room', 'address', ({ socket, caller, asked, active }, request) => {
    asked();
    socket.on('message', () => {
      active();
      socket.send('counted');
    });
    socket.send(`${caller.username} in ${JSON.stringify(request.params)}`);
  });
  sockets.add('/v1/roles', 'address', ({ socket, caller, asked }) => {
    socket.on('message', async () => {
      asked();
      socket.send(await caller.now().then(({ roles }) => roles.join(), String));
    });
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
});
afterEach(async () => {
  await app.close();
  await gateway.close();
});

function connect(token: string | undefined, path = '/v1/echo/hall'): WebSocket {
  const { port } = app.server.address() as AddressInfo;
  const cookie = [...ann.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const query = token === undefined ? '' : `?access_token=${token}`;
  return new WebSocket(`ws://127.0.0.1:${port}${path}${query}`, {
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

test.each(['/v1/echo/', `/v1/echo/${'x'.repeat(600)}`])(
  'an address without what it should name is refused: %#',
  async (path) => {
    const socket = connect(ann.bearer, path);
    const [, response] = await once(socket, 'unexpected-response');

    expect(response.statusCode).toBe(400);
    socket.on('error', () => undefined).terminate();
  },
);

test('what a user does on a socket keeps them signed in, and signing out closes it', async () => {
  const socket = connect(ann.bearer);
  await once(socket, 'message');
  for (let minute = 0; minute < 3; minute++) {
    gateway.clock.advance(50_000);
    socket.send('typing');
    await once(socket, 'message');
  }
  expect(await call(ann.send, signInRoutes.status, { query: { idleMs: 0 } })).toEqual({ message: 'ok', idleMs: 0 });

  const closed = once(socket, 'close');
  await call(ann.send, signInRoutes.signOut, {});

  const [code] = await closed;
  expect(code).toBe(4401);
});

test('a socket knows what its user holds now, not what they held when it was opened', async () => {
  const socket = connect(ann.bearer, '/v1/roles');
  await once(socket, 'open');
  const ask = async () => {
    socket.send('?');
    const [roles] = await once(socket, 'message');
    return String(roles);
  };
  expect(await ask()).toBe('access');
  // Behind everybody's back: no notice of it reaches this gateway.
  await gateway.storage.db.updateTable('user').set({ roles: '["auditor"]' }).where('name', '=', 'ann').execute();

  expect(await ask()).toBe('auditor');

  await gateway.storage.db.deleteFrom('user').where('name', '=', 'ann').execute();
  expect(await ask()).toMatch(/your sign-in has ended/);
  socket.terminate();
});

test('a socket on which nothing is asked for is closed, and says why; one that asked stays', async () => {
  const [silent, asking] = [connect(ann.bearer, '/v1/roles'), connect(ann.bearer)];
  const stays = vi.fn();
  asking.on('close', stays);

  const [code, reason] = await once(silent, 'close');

  expect([code, String(reason)]).toEqual([CLOSE_CODES.nothingAsked, 'nothing was asked for in time']);
  expect(stays).not.toHaveBeenCalled();
  asking.terminate();
});
