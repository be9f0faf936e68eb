import { type ChildProcess, fork } from 'node:child_process';
import { createPrivateKey } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeAll, expect, test } from 'vitest';
import type { AgentProcessOptions, ProcessFigures } from '../testing/agent-process.ts';
import { makeCertificate, type TestCertificate } from '../testing/certificate.ts';
import { countBytes, percentile, roundTrip, until } from '../testing/streams.ts';
import { newAgentKey } from '../testing/test-agent.ts';
import { startTestGateway, type TestGateway } from '../testing/test-gateway.ts';
import type { Tunnel } from './gateway-tunnel.ts';
import { agentKeyOf } from './handshake/agent-key.ts';
import { STREAM_WINDOW_BYTES } from './http2/session-options.ts';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

let certificate: TestCertificate;
const cleanUps: (() => unknown)[] = [];

beforeAll(async () => {
  certificate = await makeCertificate();
});

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

function start(file: string, options: object): ChildProcess {
  const child = fork(join(import.meta.dirname, '..', 'testing', file), [JSON.stringify(options)], {
    execArgv: ['--expose-gc'],
  });
  cleanUps.push(() => child.kill('SIGKILL'));
  return child;
}

function startAgent(url: string, options: Partial<AgentProcessOptions> = {}): ChildProcess {
  const key = newKey();
  return start('agent-process.ts', { url, ca: certificate.ca, key, backOff: { baseMs: 50, capMs: 500 }, ...options });
}

function newKey(): string {
  return newAgentKey().export({ type: 'pkcs8', format: 'pem' }).toString();
}

async function figuresOf(agent: ChildProcess): Promise<ProcessFigures> {
  agent.send('figures');
  const [figures] = await once(agent, 'message');
  return figures;
}

async function ownFigures(): Promise<{ heapBytes: number; resources: number }> {
  for (let round = 0; round < 2; round++) {
    collectGarbage();
    await sleep(50);
  }
  return { heapBytes: process.memoryUsage().heapUsed, resources: process.getActiveResourcesInfo().length };
}

async function gatewayHere(): Promise<TestGateway> {
  const gateway = await startTestGateway({ certificate });
  cleanUps.push(() => gateway.close());
  return gateway;
}

/** The long storm is the whole gateway's (`churn.integration.test.ts` of its agents); here it is TLS that is torn down. */
const CYCLES = 30;
/** Of the heap, in the last two thirds of them. */
const MAX_GROWTH = 2 * 2 ** 20;
/** A cut has to tear down full buffers; that what fills them is quick besides would only cost. */
const FULL_MS = 10;

test.each(['upgrade', 'websocket'] as const)(
  `an agent over TLS by %s survives ${CYCLES} violent reconnects with streams open, and neither side leaks`,
  async (transport) => {
    const gateway = await gatewayHere();
    const agent = startAgent(gateway.url, { transport, backOff: { baseMs: 1, capMs: 5 } });
    let opened = 0;
    let early: { here: Awaited<ReturnType<typeof ownFigures>>; there: ProcessFigures } | undefined;

    const abuse = async (tunnel: Tunnel, index: number) => {
      const stream = await tunnel.open(index % 3 === 0 ? 'echo' : 'source:1000000000');
      opened += 1;
      if (index % 3 === 0) void flood(stream, FULL_MS);
      if (index % 5 > 0) stream.resume();
      if (index % 7 === 0) setTimeout(() => stream.destroy(), 10);
    };
    const settled = async () => ({ here: await ownFigures(), there: await figuresOf(agent) });

    for (let cycle = 0; cycle < CYCLES; cycle++) {
      const tunnel = await gateway.tunnel();
      const opening = Array.from({ length: 20 }, (_, index) => abuse(tunnel, index).catch(() => {}));
      await sleep(Math.random() * 40);
      if (cycle % 4 === 3) void tunnel.close('enough', { drainMs: 0 });
      else for (const socket of gateway.sockets) cycle % 2 === 0 ? socket.destroy() : socket.resetAndDestroy();
      await tunnel.closed;
      await Promise.all(opening);
      if (cycle === Math.floor(CYCLES / 3)) {
        await gateway.tunnel();
        early = await settled();
      }
    }
    await gateway.tunnel();
    const late = await settled();

    expect(agent.exitCode).toBeNull();
    expect(opened).toBeGreaterThan(CYCLES);
    expect(gateway.tunnels.size).toBe(1);
    expect(gateway.sockets.size).toBe(1);
    const mebibytes = (bytes = 0) => (bytes / 2 ** 20).toFixed(1);
    console.log(
      `${CYCLES} reconnects, ${opened} streams; heap MiB here ${mebibytes(early?.here.heapBytes)} → ${mebibytes(late.here.heapBytes)}, ` +
        `agent ${mebibytes(early?.there.heapBytes)} → ${mebibytes(late.there.heapBytes)}; ` +
        `resources here ${early?.here.resources} → ${late.here.resources}, agent ${early?.there.resources} → ${late.there.resources}`,
    );
    expect(late.here.heapBytes - (early?.here.heapBytes ?? 0)).toBeLessThan(MAX_GROWTH);
    expect(late.there.heapBytes - (early?.there.heapBytes ?? 0)).toBeLessThan(MAX_GROWTH);
    expect(late.here.resources - (early?.here.resources ?? 0)).toBeLessThan(5);
    expect(late.there.resources - (early?.there.resources ?? 0)).toBeLessThan(5);
  },
);

test.each(['idle', 'uploading'])('an agent killed while %s is noticed at once, and replaced', async (work) => {
  const gateway = await gatewayHere();
  const key = newKey();
  const first = startAgent(gateway.url, { key });
  const tunnel = await gateway.tunnel();
  const stream = await tunnel.open('sink');
  if (work === 'uploading') {
    void flood(stream);
    await sleep(200);
  }
  const failed = new Promise((resolve) => stream.once('error', resolve));

  const start = performance.now();
  first.kill('SIGKILL');
  expect(await tunnel.closed).toMatchObject({ code: 'lost' });
  expect(await failed).toMatchObject({ code: 'reset' });
  expect(performance.now() - start).toBeLessThan(10_000);

  startAgent(gateway.url, { key });
  expect((await gateway.tunnel()).agentKey).toEqual(tunnel.agentKey);
});

test('an agent finds its gateway again after that was killed without warning', async () => {
  const key = newKey();
  const { fingerprint } = agentKeyOf(createPrivateKey(key));
  const first = start('gateway-process.ts', { certificate });
  const [{ port }] = await once(first, 'message');
  startAgent(`https://localhost:${port}/v1/tunnel`, { key });
  const [joined] = await once(first, 'message');
  expect(joined).toEqual({ agent: fingerprint });

  first.kill('SIGKILL');
  await once(first, 'exit');
  const second = start('gateway-process.ts', { certificate, port });
  const heard: unknown[] = [];
  second.on('message', (message) => heard.push(message));

  await until(() => heard.length === 2, 'the agent is at the second gateway');
  expect(heard).toEqual([{ port }, { agent: fingerprint }]);
});

test('an agent that hangs is noticed within 15 s, and comes back when it wakes', async () => {
  const gateway = await gatewayHere();
  const agent = startAgent(gateway.url);
  const tunnel = await gateway.tunnel();

  const start = performance.now();
  agent.kill('SIGSTOP');
  expect(await tunnel.closed).toMatchObject({ code: 'silent' });
  const noticedMs = performance.now() - start;
  agent.kill('SIGCONT');

  expect(noticedMs).toBeLessThan(25_000);
  expect(noticedMs).toBeGreaterThan(5_000);
  expect((await gateway.tunnel()).agentKey).toEqual(tunnel.agentKey);
});

test.each(['upgrade', 'websocket'] as const)('a thousand streams over one %s echo 100 KB each', async (transport) => {
  const gateway = await gatewayHere();
  startAgent(gateway.url, { transport });
  const tunnel = await gateway.tunnel();
  const sent = Buffer.alloc(100_000, 'z');

  const start = performance.now();
  const echo = async () => {
    const stream = await tunnel.open('echo');
    stream.end(sent);
    return await countBytes(stream);
  };
  const counts = await Promise.all(Array.from({ length: 1000 }, echo));
  console.log(`1000 × 100 KB echoed over ${transport} in ${Math.round(performance.now() - start)} ms`);

  expect(counts.every((count) => count === sent.length)).toBe(true);
  await until(() => tunnel.openStreams === 0, 'all have gone');
});

test('keystrokes stay quick beside bulk in both directions, and a stopped reader bounds the agent', async () => {
  const gateway = await gatewayHere();
  const agent = startAgent(gateway.url);
  const tunnel = await gateway.tunnel();
  const echo = await tunnel.open('echo');
  const bulk = await tunnel.open('source:1000000000');
  let came = 0;
  bulk.on('data', ({ length }: Buffer) => {
    came += length;
  });
  const up = await tunnel.open('sink');
  void flood(up);
  await sleep(200);

  const times: number[] = [];
  const overtook: number[] = [];
  while (times.length < 100) {
    const before = came;
    times.push(await roundTrip(echo));
    overtook.push(came - before);
  }
  const [p50, p99] = [percentile(times, 0.5), percentile(times, 0.99)];
  console.log(`round trip beside bulk: p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms`);
  // Bytes and not time: an echo that queued behind the bulk would wait for all of its window.
  expect(percentile(overtook, 0.5)).toBeLessThan(STREAM_WINDOW_BYTES);
  bulk.destroy();
  up.destroy();
  // The agent hears of it a little later.
  const produced = async () => (await figuresOf(agent)).produced;
  let before = await produced();
  for (let earlier = -1; before !== earlier; before = await produced()) {
    earlier = before;
    await sleep(200);
  }
  const stopped = await tunnel.open('source:1000000000');
  stopped.pause();
  await sleep(500);
  const more = (await produced()) - before;
  console.log(`a stopped reader let the agent produce ${(more / 1e6).toFixed(2)} MB`);
  expect(more).toBeLessThan(4_000_000);
});

/** Keeps every buffer on the way full; when it is, it looks again after the pause. */
async function flood(stream: Duplex, pauseMs = 1): Promise<void> {
  const block = Buffer.alloc(64 * 1024);
  while (!stream.destroyed) if (!stream.write(block)) await sleep(pauseMs);
}
