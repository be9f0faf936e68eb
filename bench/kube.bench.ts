/** What a Kubernetes cluster costs through the gateway: lists, watches, logs, copies, keys and memory, beside the same client straight in the same run. */
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { median, runPhases, verdict } from './bench-frame.ts';
import { ask } from './bench-world.ts';
import { type KubeBenchWorld, type KubeEndpoint, LOG_BYTES, open, read, startWorld, timed } from './kube-world.ts';
import { wantedPhases } from './wanted-phases.ts';

const LIMITS = {
  kubectl: 0.8,
  bare: 0.5,
  filtered: 0.7,
  eventP99Ms: 5,
  /** Of what the least adds that can stand in between. */
  eventOfLeast: 2,
  logs: 0.8,
  copy: 0.6,
  echoP50Ms: 3,
  watchKilobytes: 60,
  growth: 1.15,
};
const ROUNDS = 5;
const WATCHES = 200;
const WATCH_TURNS = 2;
const EVENTS = 60;
/** All that hear of one have to be done with it: 400 connections of TLS in one process of ours. */
const EVENT_PACE_MS = 200;
const KEYS = 400;
/** One person's programs are held to 256 connections. */
const IDLE_WATCHES = 200;
const CHURN = 10_000;
const CHURN_AT_ONCE = 50;
const AT_ONCE = 40;
const MEGABYTE = 1024 * 1024;
const COPY_BYTES = 200 * MEGABYTE;

const PHASES = {
  lists: measureLists,
  watches: measureWatches,
  logs: measureLogs,
  copy: measureCopy,
  echo: measureEcho,
  memory: measureMemory,
  many: measureMany,
};
const wanted = wantedPhases(PHASES);
await runPhases(
  'kube',
  startWorld,
  wanted.map((name) => PHASES[name]),
);

/** How many times as fast as straight, in turns, so that whatever else runs on the machine meets both. */
async function ratioOf(ours: () => Promise<number>, straight: () => Promise<number>, rounds = ROUNDS): Promise<number> {
  await straight();
  await ours();
  const ratios: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const there = await straight();
    const here = await ours();
    ratios.push(there / here);
    console.log(`     ${here.toFixed(0)} ms, straight ${there.toFixed(0)} ms`);
  }
  return median(ratios);
}

async function measureLists({ direct, through, filtered }: KubeBenchWorld): Promise<void> {
  const get = ['get', 'pods', '-n', 'default'];
  const kubectl = await ratioOf(
    () => timed(through, get),
    () => timed(direct, get),
  );
  verdict(
    `5,000 pods by kubectl: ${kubectl.toFixed(2)} of straight (at least ${LIMITS.kubectl})`,
    kubectl >= LIMITS.kubectl,
  );
  const path = '/api/v1/namespaces/default/pods';
  const bare = await ratioOf(
    async () => (await read(through, path)).ms,
    async () => (await read(direct, path)).ms,
    ROUNDS * 2,
  );
  const { bytes } = await read(direct, path);
  console.log(`     ${(bytes / MEGABYTE).toFixed(0)} MB each`);
  verdict(`the same by a bare client: ${bare.toFixed(2)} (at least ${LIMITS.bare})`, bare >= LIMITS.bare);
  const part = await ratioOf(
    () => timed(filtered, get),
    () => timed(direct, get),
  );
  verdict(
    `half of them, filtered, by kubectl: ${part.toFixed(2)} (at least ${LIMITS.filtered})`,
    part >= LIMITS.filtered,
  );
}

interface Pair {
  straight: number[];
  ours: number[];
}

/** Pairs of watches, one straight and one through, opened in turn: what the second hears later is what the gateway adds. */
async function openPairs(direct: KubeEndpoint, through: KubeEndpoint, pathOf: (at: number) => string) {
  const pairs: Pair[] = [];
  const responses: IncomingMessage[] = [];
  for (let at = 0; at < WATCHES; at++) {
    const pair: Pair = { straight: [], ours: [] };
    pairs.push(pair);
    for (const [endpoint, times] of [
      [direct, pair.straight],
      [through, pair.ours],
    ] as const) {
      const response = await open(endpoint, pathOf(at));
      responses.push(response);
      response.on('data', (bytes: Buffer) => {
        const now = performance.now();
        for (const byte of bytes) if (byte === 0x0a) times.push(now);
      });
    }
  }
  return { pairs, close: () => responses.forEach((response) => void response.destroy()) };
}

/** What is there already is told first. */
async function heardBefore(pairs: readonly Pair[]): Promise<void> {
  await sleep(1_000);
  for (const { straight, ours } of pairs) {
    straight.length = 0;
    ours.length = 0;
  }
}

/** What each event took longer than straight, the smallest first. */
function addedOf(pairs: readonly Pair[], events: number): number[] {
  const added = pairs.flatMap(({ straight, ours }) => {
    if (straight.length !== events || ours.length !== events)
      throw new Error(`${straight.length} and ${ours.length} of ${events} events were heard`);
    return ours.map((time, event) => time - (straight[event] ?? 0));
  });
  return added.toSorted((a, b) => a - b);
}

function p99(sorted: readonly number[]): number {
  return sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN;
}

async function measureWatches(world: KubeBenchWorld): Promise<void> {
  const { cluster, direct, through, relayed } = world;
  const maps = '/api/v1/namespaces/kube-public/configmaps?watch=true';
  const apart = async (endpoint: KubeEndpoint) => {
    const { pairs, close } = await openPairs(
      direct,
      endpoint,
      (at) => `${maps}&fieldSelector=metadata.name%3Dtick-${at}`,
    );
    await heardBefore(pairs);
    for (let round = 0; round < ROUNDS; round++)
      for (let at = 0; at < WATCHES; at++) {
        cluster.send({ tick: `tick-${at}` });
        await sleep(EVENT_PACE_MS / 10);
      }
    await sleep(1_000);
    close();
    return addedOf(pairs, ROUNDS);
  };
  const together = async (endpoint: KubeEndpoint) => {
    const { pairs, close } = await openPairs(
      direct,
      endpoint,
      () => '/api/v1/namespaces/kube-system/configmaps?watch=true',
    );
    await heardBefore(pairs);
    for (let event = 0; event < EVENTS; event++) {
      cluster.send('event');
      await sleep(EVENT_PACE_MS);
    }
    await sleep(1_000);
    close();
    return addedOf(pairs, EVENTS);
  };
  for (const [what, measure] of [
    [`an event for one of ${WATCHES} watches`, apart],
    [`an event for all ${WATCHES} at once`, together],
  ] as const) {
    const found = { ours: [] as number[], least: [] as number[], ratio: [] as number[] };
    for (let turn = 0; turn < WATCH_TURNS; turn++) {
      const least = await measure(relayed);
      const ours = await measure(through);
      found.ours.push(p99(ours));
      found.least.push(p99(least));
      found.ratio.push(median(ours) / median(least));
      console.log(
        `     added p50 ${median(ours).toFixed(2)} ms, p99 ${p99(ours).toFixed(2)} ms; by a process that only hands bytes on ${median(least).toFixed(2)} and ${p99(least).toFixed(2)} ms`,
      );
    }
    const [worst, least, ratio] = [median(found.ours), median(found.least), median(found.ratio)];
    verdict(
      `${what}: added p99 ${worst.toFixed(2)} ms (below ${LIMITS.eventP99Ms}), where handing bytes on adds ${least.toFixed(2)} ms`,
      worst < LIMITS.eventP99Ms,
    );
    verdict(
      `${what}: added p50 ${ratio.toFixed(2)} times that of handing bytes on (at most ${LIMITS.eventOfLeast})`,
      ratio <= LIMITS.eventOfLeast,
    );
  }
}

async function measureLogs({ direct, through }: KubeBenchWorld): Promise<void> {
  const logs = ['logs', '-f', 'talker'];
  const ratio = await ratioOf(
    () => timed(through, logs),
    () => timed(direct, logs),
  );
  verdict(
    `a log of ${LOG_BYTES / MEGABYTE} MB by kubectl: ${ratio.toFixed(2)} of straight (at least ${LIMITS.logs})`,
    ratio >= LIMITS.logs,
  );
}

async function measureCopy({ direct, through, folder, gateway }: KubeBenchWorld): Promise<void> {
  const file = join(folder, 'large');
  writeFileSync(file, Buffer.alloc(COPY_BYTES, 'some bytes that are copied '));
  const copy = (endpoint: KubeEndpoint) => timed(endpoint, ['cp', file, `idle:${join(folder, 'copied')}`]);
  const used = async () => ((await ask(gateway, 'processor')).microseconds ?? Number.NaN) / 1_000;
  const worked: number[] = [];
  const ratio = await ratioOf(
    async () => {
      const before = await used();
      const took = await copy(through);
      worked.push((await used()) - before);
      return took;
    },
    () => copy(direct),
    3,
  );
  // The first is slower: what it runs is not compiled yet.
  console.log(`     the gateway worked ${median(worked.slice(1)).toFixed(0)} ms for each`);
  verdict(
    `cp of ${COPY_BYTES / MEGABYTE} MB: ${ratio.toFixed(2)} of straight (at least ${LIMITS.copy})`,
    ratio >= LIMITS.copy,
  );
}

/** Keys one after the other, in turns, to `cat` on a terminal. */
async function measureEcho({ direct, through }: KubeBenchWorld): Promise<void> {
  const path =
    '/api/v1/namespaces/kube-public/pods/idle/exec?command=cat&stdin=true&stdout=true&tty=true&container=main';
  const connect = async ({ url, ca, token }: KubeEndpoint) => {
    const socket = new WebSocket(`${url.replace('https:', 'wss:')}${path}`, ['v5.channel.k8s.io'], {
      ca,
      headers: { authorization: `Bearer ${token}` },
      perMessageDeflate: false,
    });
    await once(socket, 'open');
    return socket;
  };
  const key = async (socket: WebSocket) => {
    const began = performance.now();
    socket.send(Buffer.from([0, 0x61]));
    for (;;) {
      const [message] = (await once(socket, 'message')) as [Buffer];
      if (message[0] === 1 && message.length > 1) return performance.now() - began;
    }
  };
  const [straight, ours] = [await connect(direct), await connect(through)];
  const times = { straight: [] as number[], ours: [] as number[] };
  for (let at = 0; at < KEYS; at++) {
    // The line of a terminal is full at 4,095.
    times.straight.push(await key(straight));
    times.ours.push(await key(ours));
  }
  straight.terminate();
  ours.terminate();
  const added = median(times.ours) - median(times.straight);
  console.log(`     p50 ${median(times.ours).toFixed(2)} ms, straight ${median(times.straight).toFixed(2)} ms`);
  verdict(
    `a key and its echo, added p50: ${added.toFixed(2)} ms (below ${LIMITS.echoP50Ms})`,
    added < LIMITS.echoP50Ms,
  );
}

async function measureMemory({ through, gateway }: KubeBenchWorld): Promise<void> {
  const path = '/api/v1/namespaces/kube-public/secrets?watch=true';
  const used = async () => {
    await sleep(2_000);
    return (await ask(gateway, 'memory')).kilobytes ?? Number.NaN;
  };
  const openMany = (count: number) => Promise.all(Array.from({ length: count }, () => open(through, path)));
  // What the first ones load and make is not what each costs.
  for (const response of await openMany(100)) response.destroy();
  const before = await used();
  const idle = await openMany(IDLE_WATCHES);
  const each = ((await used()) - before) / idle.length;
  for (const response of idle) response.destroy();
  verdict(
    `an idle watch, of ${idle.length}: ${each.toFixed(0)} KB (at most ${LIMITS.watchKilobytes})`,
    each <= LIMITS.watchKilobytes,
  );
  await churn(CHURN / 5);
  const start = await used();
  await churn(CHURN);
  const growth = (await used()) / start;
  verdict(
    `${CHURN} opened and closed: memory ${growth.toFixed(2)} times (at most ${LIMITS.growth})`,
    growth <= LIMITS.growth,
  );

  async function churn(count: number): Promise<void> {
    let left = count;
    const worker = async () => {
      while (left > 0) {
        // Those that were closed are counted until the gateway has heard of it.
        const response = await open(through, path).catch(() => undefined);
        if (response === undefined) await sleep(20);
        else {
          left -= 1;
          response.destroy();
        }
      }
    };
    await Promise.all(Array.from({ length: CHURN_AT_ONCE }, worker));
  }
}

async function measureMany({ through }: KubeBenchWorld): Promise<void> {
  const began = performance.now();
  const ended = await Promise.all(
    Array.from({ length: AT_ONCE }, () => through.kubectl.run(['get', 'pods', '-n', 'kube-public'])),
  );
  const failed = ended.filter(({ code }) => code !== 0);
  for (const { stderr } of failed.slice(0, 3)) console.log(`     ${stderr}`);
  const seconds = ((performance.now() - began) / 1_000).toFixed(1);
  verdict(`${AT_ONCE} kubectl at once: ${failed.length} failed, ${seconds} s`, failed.length === 0);
}
