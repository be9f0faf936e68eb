import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '@gatehouse/testkit/free-port';
import { type GatewayProcess, startGateway } from '@gatehouse/testkit/gateway-process';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SwarmFigures, SwarmOptions, SwarmOrder } from '../../../../testing/agent-swarm.ts';

const COUNT = 1000;

let gateway: GatewayProcess;
let diagnostics: string;
let swarm: ChildProcess | undefined;
beforeAll(async () => {
  diagnostics = `127.0.0.1:${await freePort()}`;
  gateway = await startGateway({ GATEHOUSE_DIAG_LISTEN: diagnostics });
});
afterAll(async () => {
  swarm?.kill('SIGKILL');
  await gateway.stop();
});

function startSwarm(options: SwarmOptions): ChildProcess {
  return fork(join(import.meta.dirname, '../../../../testing/agent-swarm.ts'), [JSON.stringify(options)]);
}

async function ask(order: SwarmOrder): Promise<SwarmFigures> {
  swarm?.send(order);
  const [figures] = await once(swarm!, 'message');
  return figures;
}

async function allConnected(seconds: number): Promise<SwarmFigures> {
  const end = Date.now() + seconds * 1000;
  for (;;) {
    const figures = await ask('figures');
    if (figures.connected === COUNT) return figures;
    if (Date.now() > end) throw new Error(`${figures.connected} of ${COUNT} are connected after ${seconds} s`);
    await sleep(200);
  }
}

async function gauge(name: string): Promise<number> {
  const text = await (await fetch(`http://${diagnostics}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1]);
}

/** The most that came within any span of that length. */
function busiest(times: readonly number[], spanMs: number): number {
  const sorted = times.toSorted((a, b) => a - b);
  return Math.max(...sorted.map((start, index) => sorted.slice(index).filter((at) => at < start + spanMs).length));
}

test('a thousand agents join, are heard, lose their gateway without warning, and come back one after the other', {
  timeout: 600_000,
}, async () => {
  const { stdout } = await gateway.command('tokens', 'add', '--type=node', '--ttl=1h', '--format', 'json');
  const { token } = JSON.parse(stdout);
  swarm?.kill('SIGKILL');
  const began = Date.now();
  swarm = startSwarm({ origin: gateway.origin, token, count: COUNT });
  // Nothing is promised about how long a thousand keys and signatures take on a machine that has other work.
  await allConnected(240);
  const joinedMs = Date.now() - began;
  await expect.poll(async () => (await ask('figures')).taken, { timeout: 10_000 }).toBe(COUNT);

  // A thousand at once: whoever is not answered in time on a busy machine beats again, as agents do.
  await expect.poll(async () => (await ask('beat')).leastTaken, { timeout: 60_000 }).toBeGreaterThanOrEqual(2);
  const listed: { connected: boolean; resources: number }[] = JSON.parse(
    (await gateway.command('agents', 'ls', '--format', 'json')).stdout,
  );
  expect(listed.filter(({ connected, resources }) => connected && resources === 1)).toHaveLength(COUNT);

  await gateway.crashAndRestart();
  const restarted = Date.now();
  const watched = watch(gateway.origin);
  // Nor about that many handshakes.
  const { connectedAt } = await allConnected(240);
  const back = connectedAt.map((at) => at - restarted);
  const { slowestMs, peak } = await watched.stop();
  console.log(
    `${COUNT} agents joined in ${joinedMs} ms; after kill -9 the last was back ${Math.max(...back)} ms after the start, ` +
      `${busiest(back, 1000)} in the busiest second, ${peak} handshakes at once at most, slowest call ${slowestMs} ms`,
  );

  expect(busiest(back, 1000)).toBeLessThan(COUNT * 0.6);
  expect(peak).toBeLessThanOrEqual(64);
  expect(slowestMs).toBeLessThan(15_000);
  // An agent knows that it is connected before its gateway has counted it.
  await expect.poll(() => gauge('gatehouse_agents_connected')).toBe(COUNT);
  await expect.poll(() => gauge('gatehouse_tunnel_handshakes')).toBe(0);
});

/** Somebody uses the console meanwhile, and somebody looks at the figures. */
function watch(origin: string): { stop(): Promise<{ slowestMs: number; peak: number }> } {
  let slowestMs = 0;
  let peak = 0;
  let running = true;
  const calling = (async () => {
    while (running) {
      const start = performance.now();
      await (await fetch(`${origin}/v1/webapi/ping`)).text();
      slowestMs = Math.max(slowestMs, Math.round(performance.now() - start));
      peak = Math.max(peak, await gauge('gatehouse_tunnel_handshakes'));
      await sleep(50);
    }
  })();
  return {
    async stop() {
      running = false;
      await calling;
      return { slowestMs, peak };
    },
  };
}
