import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { agentRoutes } from '@gatehouse/contract/reach/agents/agents';
import { call } from '@gatehouse/contract/wire/client';
import { afterEach, expect, test } from 'vitest';
import type { SwarmFigures, SwarmOptions } from '../../../../testing/agent-swarm.ts';
import { type IdentityGateway, startIdentityGateway } from '../../../../testing/identity-gateway.ts';
import { newJoinToken } from '../../../../testing/test-agent.ts';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

const TIMEOUT_MS = 240_000;
/** Of the heap, between a third of the way and the end: a connection of which all is kept is more than 10 KiB. */
const MAX_GROWTH = 1.5 * 2 ** 20;
/** How long a stream that takes no more is left alone. */
const FULL_MS = 10;

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

async function start(transport: 'upgrade' | 'websocket') {
  const gateway = await startIdentityGateway();
  cleanUps.push(() => gateway.close());
  await gateway.addUser('admin', { roles: ['editor'] });
  const { send } = await gateway.signedIn('admin');
  await gateway.app.listen({ host: '127.0.0.1', port: 0 });
  const sockets = new Set<Socket>();
  gateway.app.server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  const { port } = gateway.app.server.address() as AddressInfo;
  const options: SwarmOptions = {
    origin: `http://127.0.0.1:${port}`,
    token: await newJoinToken(send),
    count: 1,
    transport,
    backOff: { baseMs: 1, capMs: 5 },
  };
  const agent = fork(join(import.meta.dirname, '../../../../testing/agent-swarm.ts'), [JSON.stringify(options)], {
    execArgv: ['--expose-gc'],
  });
  cleanUps.push(() => agent.kill('SIGKILL'));
  const id = async () => (await call(send, agentRoutes.list, {}))[0]?.id ?? '';
  await expect.poll(id, { timeout: 10_000 }).not.toBe('');
  return { gateway, sockets, agent, id: await id() };
}

async function until(holds: () => boolean, what: string): Promise<void> {
  const end = Date.now() + 30_000;
  while (!holds()) {
    if (Date.now() > end) throw new Error(`waited in vain until ${what}`);
    await sleep(5);
  }
}

/** Keeps every buffer on the way full, which is what a cut has to tear down; that it is quick besides would only cost. */
async function flood(stream: Duplex): Promise<void> {
  const block = Buffer.alloc(64 * 1024);
  while (!stream.destroyed) if (!stream.write(block)) await sleep(FULL_MS);
}

async function settled(gateway: IdentityGateway, agent: ChildProcess) {
  for (let round = 0; round < 2; round++) {
    collectGarbage();
    await sleep(50);
  }
  agent.send('figures');
  const [there]: SwarmFigures[] = await once(agent, 'message');
  const metrics = await gateway.registry.metrics();
  const gauge = (name: string) => Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(metrics)?.[1]);
  return {
    heapBytes: process.memoryUsage().heapUsed,
    resources: process.getActiveResourcesInfo().length,
    there: there!,
    agents: gauge('gatehouse_agents_connected'),
    handshakes: gauge('gatehouse_tunnel_handshakes'),
  };
}

test.each([
  ['upgrade', 203],
  ['websocket', 63],
] as const)(
  'an agent that comes back over %s %i times, each time with streams open, leaves nothing behind',
  { timeout: TIMEOUT_MS },
  async (transport, cycles) => {
    const { gateway, sockets, agent, id } = await start(transport);
    const { connections } = gateway;
    const open = new Set<Duplex>();
    let opened = 0;
    let early: Awaited<ReturnType<typeof settled>> | undefined;

    const abuse = async (index: number) => {
      const stream = await connections.open(id, index % 3 === 0 ? 'echo' : 'source');
      opened += 1;
      open.add(stream);
      stream.on('error', () => {});
      stream.on('close', () => open.delete(stream));
      if (index % 3 === 0) void flood(stream);
      if (index % 5 > 0) stream.resume();
      if (index % 7 === 0) setTimeout(() => stream.destroy(), 10);
    };
    const back = (before: number | undefined, cycle: number) =>
      until(
        () => connections.isConnected(id) && connections.connectedAt(id) !== before,
        `it is back after cycle ${cycle}`,
      );

    await back(undefined, -1);
    for (let cycle = 0; cycle < cycles; cycle++) {
      // A clock that moves tells one connection from the next.
      const before = connections.connectedAt(id);
      gateway.clock.advance(10);
      const opening = Array.from({ length: 9 }, (_, index) => abuse(index).catch(() => {}));
      await sleep(Math.random() * 30);
      if (cycle % 4 === 3) void connections.disconnect(id, 'enough', { retry: true });
      else for (const socket of sockets) cycle % 2 === 0 ? socket.destroy() : socket.resetAndDestroy();
      await Promise.all(opening);
      await back(before, cycle);
      if (cycle === Math.floor(cycles / 3)) early = await settled(gateway, agent);
    }
    await until(() => open.size === 0, 'every stream is closed');
    await sleep(500);
    const late = await settled(gateway, agent);

    const mebibytes = (bytes = 0) => (bytes / 2 ** 20).toFixed(1);
    console.log(
      `${cycles} reconnects over ${transport}, ${opened} streams; heap MiB here ${mebibytes(early?.heapBytes)} → ${mebibytes(late.heapBytes)}, ` +
        `agent ${mebibytes(early?.there.heapBytes)} → ${mebibytes(late.there.heapBytes)}; resources here ${early?.resources} → ${late.resources}, ` +
        `agent ${early?.there.resources} → ${late.there.resources}`,
    );
    expect(agent.exitCode).toBeNull();
    expect(opened).toBeGreaterThan(cycles);
    expect([late.agents, late.handshakes, sockets.size]).toEqual([1, 0, 1]);
    expect(late.heapBytes - (early?.heapBytes ?? 0)).toBeLessThan(MAX_GROWTH);
    expect(late.there.heapBytes - (early?.there.heapBytes ?? 0)).toBeLessThan(MAX_GROWTH);
    expect(late.resources - (early?.resources ?? 0)).toBeLessThan(5);
    expect(late.there.resources - (early?.there.resources ?? 0)).toBeLessThan(5);
    for (const socket of sockets)
      expect(socket.listenerCount('close') + socket.listenerCount('error')).toBeLessThan(12);
  },
);
