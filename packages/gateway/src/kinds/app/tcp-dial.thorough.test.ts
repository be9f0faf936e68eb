/** What a client sends while its TCP application is still being dialled waits with the client, and arrives in order. */

import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { apiTokenRoutes } from '@gatehouse/contract/access/api-tokens';
import { APP_TCP_SOCKET } from '@gatehouse/contract/kinds/app/apps';
import { call } from '@gatehouse/contract/wire/client';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { startAppWorld } from '../../../testing/apps/app-world.ts';
import { join, newJoinToken, startAgent, tunnelUrl } from '../../../testing/test-agent.ts';

const MIB = 1024 * 1024;
const SENT = 48;

test('nothing is kept for a client while its application is dialled, and nothing is lost', async () => {
  const world = await startAppWorld();
  onTestFinished(() => world.close());
  let arrived = 0;
  const target = createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', ({ length }) => {
      arrived += length;
    });
  });
  target.listen(0, '127.0.0.1');
  await once(target, 'listening');
  onTestFinished(() => void target.close());
  const token = await newJoinToken(world.admin.send, { roles: ['App'], offers: { apps: ['slow'] } } as never);
  const dialled = Promise.withResolvers<void>();
  const reached = Promise.withResolvers<void>();
  const uri = `tcp://127.0.0.1:${(target.address() as AddressInfo).port}`;
  const agent = startAgent(await join(world.admin.send, { token, name: 'edge' }), {
    url: tunnelUrl(world.gateway.app),
    resources: [{ kind: 'app', id: 'slow', name: 'slow', labels: { env: 'dev' }, spec: { uri } }],
    onDial() {
      dialled.resolve();
      return reached.promise;
    },
  });
  onTestFinished(() => agent.close({ reason: 'over', drainMs: 0 }));
  await expect.poll(() => agent.taken.at(-1)?.refused).toEqual([]);
  await world.gateway.settled();
  const credential = await call(world.ann.send, apiTokenRoutes.create, { body: { name: 'cli', scope: 'all' } });
  const path = APP_TCP_SOCKET.replace(':clusterId', 'localhost').replace(':name', 'slow');
  const socket = new WebSocket(`ws://127.0.0.1:${world.port}${path}`, { headers: { host: 'localhost:3080' } });
  onTestFinished(() => socket.terminate());
  await once(socket, 'open');
  socket.send(JSON.stringify({ type: 'hello', token: credential.token }));
  await dialled.promise;

  for (let at = 0; at < SENT; at++) socket.send(Buffer.alloc(MIB - 64, at));
  await sleep(700);
  // What the kernel holds for both sides is all that has left.
  expect(socket.bufferedAmount).toBeGreaterThan((SENT / 2) * MIB);

  reached.resolve();
  await expect.poll(() => arrived, { timeout: 15_000 }).toBe(SENT * (MIB - 64));
});
