import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type IdentityGateway, startIdentityGateway } from '../../../../testing/identity-gateway.ts';
import {
  type JoinedAgent,
  join,
  newJoinToken,
  startAgent,
  type TestAgent,
  tunnelUrl,
} from '../../../../testing/test-agent.ts';

let gateway: IdentityGateway;
let agent: JoinedAgent;
let started: TestAgent;
const sockets = new Set<Socket>();

beforeEach(async () => {
  gateway = await startIdentityGateway();
  await gateway.addUser('admin', { roles: ['editor'] });
  const { send } = await gateway.signedIn('admin');
  await gateway.app.listen({ host: '127.0.0.1', port: 0 });
  gateway.app.server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  agent = await join(gateway.send, { token: await newJoinToken(send), name: 'web-1' });
});
afterEach(async () => {
  await started.close({ drainMs: 0 });
  await gateway.close();
});

async function connect(baseMs: number): Promise<void> {
  const backOff = { baseMs, capMs: baseMs };
  started = startAgent(agent, { url: tunnelUrl(gateway.app), backOff, random: () => 1 });
  await expect.poll(() => started.taken.length, { timeout: 5_000 }).toBe(1);
}

/** The gateway's clock stands still unless it is moved; the sweep of the inventory follows it. */
async function pass(ms: number): Promise<void> {
  for (let past = 0; past < ms; past += 100) {
    gateway.clock.advance(100);
    await sleep(100);
  }
}

const nodes = () => gateway.storage.db.selectFrom('resource').select('name').execute();

test('a server whose agent lost the line for a moment does not leave the list', async () => {
  await connect(500);
  for (const socket of sockets) socket.destroy();

  for (let look = 0; look < 10; look++) {
    expect(await nodes()).toEqual([{ name: 'web-1' }]);
    await pass(500);
  }

  expect(gateway.connections.isConnected(agent.id)).toBe(true);
});

test('a server whose agent does not come back leaves the list within five seconds', async () => {
  await connect(60_000);
  const began = gateway.clock.now;
  for (const socket of sockets) socket.destroy();

  await pass(2_000);
  expect(await nodes()).toEqual([{ name: 'web-1' }]);
  while ((await nodes()).length > 0) await pass(100);

  expect(gateway.clock.now - began).toBeLessThan(5_500);
});
