/** What the door of applications costs: requests, a large download, latency and open websockets, beside nginx with one worker in the same run. */
import { Agent as HttpAgent, request as httpRequest } from 'node:http';
import { Agent, request } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { type BenchWorld, download, loadWith, PROGRAMS, startWorld } from './apps-world.ts';
import { median, runPhases, verdict } from './bench-frame.ts';
import { ask, requirePrograms } from './bench-world.ts';
import { wantedPhases } from './wanted-phases.ts';

const LIMITS = { requests: 0.5, download: 0.7, addedP99Ms: 3, memoryGrowth: 1.15 };
const ROUNDS = 5;
const SECONDS = 3;
/** Until everything a request passes is compiled. */
const WARM_SECONDS = 5;
const PACE = 500;
const PACED_SECONDS = 6;
const SOCKETS = 2_000;
const TALK_SECONDS = 15;
const USER_AGENT = 'gatehouse-bench';

const PHASES = {
  requests: measureRequests,
  download: measureDownload,
  latency: measureLatency,
  sockets: measureSockets,
};
const wanted = wantedPhases(PHASES);
requirePrograms(PROGRAMS);
await runPhases(
  'apps',
  startWorld,
  wanted.map((name) => PHASES[name]),
);

function headersFor({ gateway: { port, cookies } }: BenchWorld, app: string): Record<string, string> {
  // As wrk knows it: under another case it would send two.
  return { Host: `${app}.localhost:${port}`, 'user-agent': USER_AGENT, cookie: cookies[app] ?? '' };
}

function origin({ gateway: { port } }: BenchWorld): string {
  return `https://127.0.0.1:${port}`;
}

/** In turns, so that whatever else runs on the machine meets both. */
async function measureRequests(measured: BenchWorld): Promise<void> {
  const ratios: number[] = [];
  const headers = headersFor(measured, 'web');
  await loadWith(`${origin(measured)}/small`, headers, WARM_SECONDS);
  for (let round = 0; round < ROUNDS; round++) {
    const nginx = await loadWith(`${measured.nginx}/small`, {}, SECONDS);
    const before = await ask(measured.gateway.child, 'processor');
    const ours = await loadWith(`${origin(measured)}/small`, headers, SECONDS);
    const after = await ask(measured.gateway.child, 'processor');
    const cost = ((after.microseconds ?? 0) - (before.microseconds ?? 0)) / (ours * SECONDS);
    ratios.push(ours / nginx);
    console.log(
      `     ${ours.toFixed(0)} requests/s, nginx ${nginx.toFixed(0)}, ${cost.toFixed(0)} µs of processor each`,
    );
  }
  const ratio = median(ratios);
  verdict(`small requests: ${ratio.toFixed(2)} of nginx (at least ${LIMITS.requests})`, ratio >= LIMITS.requests);
}

async function measureDownload(measured: BenchWorld): Promise<void> {
  const ratios: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const nginx = await download(`${measured.nginx}/big`, {});
    const ours = await download(`${origin(measured)}/big`, headersFor(measured, 'web'));
    ratios.push(ours / nginx);
    console.log(`     ${megabytes(ours)} MB/s, nginx ${megabytes(nginx)}`);
  }
  const ratio = median(ratios);
  verdict(`1 GB download: ${ratio.toFixed(2)} of nginx (at least ${LIMITS.download})`, ratio >= LIMITS.download);
}

async function measureLatency(measured: BenchWorld): Promise<void> {
  const plain = new HttpAgent({ keepAlive: true, maxSockets: 64 });
  const agent = new Agent({ keepAlive: true, maxSockets: 64, rejectUnauthorized: false });
  const direct = (done: () => void) => {
    const sent = httpRequest(`${measured.direct}/small`, { agent: plain }, (response) =>
      response.resume().on('end', done),
    );
    sent.end();
  };
  const through = (done: () => void) => {
    const options = { agent, headers: headersFor(measured, 'web') };
    const sent = request(`${origin(measured)}/small`, options, (response) => response.resume().on('end', done));
    sent.end();
  };
  await paced(through, 1);
  const added: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const [without, ours] = [await paced(direct, PACED_SECONDS), await paced(through, PACED_SECONDS)];
    added.push(ours.p99 - without.p99);
    console.log(
      `     median ${ours.median.toFixed(2)} ms, p99 ${ours.p99.toFixed(2)} ms; without a proxy ${without.median.toFixed(2)} and ${without.p99.toFixed(2)}`,
    );
  }
  agent.destroy();
  plain.destroy();
  const p99 = median(added);
  verdict(
    `added p99 at ${PACE} requests/s: ${p99.toFixed(2)} ms (under ${LIMITS.addedP99Ms})`,
    p99 < LIMITS.addedP99Ms,
  );
}

/** Begun at fixed times, whatever became of those before. */
async function paced(send: (done: () => void) => void, seconds: number): Promise<{ median: number; p99: number }> {
  const took: number[] = [];
  const began = performance.now();
  const total = PACE * seconds;
  let sent = 0;
  while (sent < total) {
    for (const due = Math.min(total, ((performance.now() - began) * PACE) / 1000); sent < due; sent++) {
      const at = performance.now();
      send(() => took.push(performance.now() - at));
    }
    await sleep(1);
  }
  while (took.length < total) await sleep(5);
  took.sort((a, b) => a - b);
  return { median: took[Math.floor(total / 2)] ?? 0, p99: took[Math.floor(total * 0.99)] ?? 0 };
}

async function measureSockets(measured: BenchWorld): Promise<void> {
  const { child, port } = measured.gateway;
  const before = await ask(child, 'memory');
  const sockets: WebSocket[] = [];
  for (let count = 0; count < SOCKETS; count += 50) {
    sockets.push(...(await Promise.all(Array.from({ length: 50 }, () => openSocket(measured, port)))));
  }
  await talk(sockets, 3);
  const opened = await ask(child, 'memory');
  const heard = await talk(sockets, TALK_SECONDS);
  const after = await ask(child, 'memory');
  for (const socket of sockets) socket.terminate();
  const growth = (after.megabytes ?? 0) / (opened.megabytes ?? 1);
  const each = (((opened.megabytes ?? 0) - (before.megabytes ?? 0)) * 1024) / SOCKETS;
  console.log(`     ${each.toFixed(0)} KB for each, ${heard} messages through them`);
  verdict(
    `memory with ${SOCKETS} websockets: ${(opened.megabytes ?? 0).toFixed(0)} MB, ${(after.megabytes ?? 0).toFixed(0)} MB after ${TALK_SECONDS} s of talk (× ${growth.toFixed(2)}, at most ${LIMITS.memoryGrowth})`,
    growth <= LIMITS.memoryGrowth,
  );
}

function openSocket(measured: BenchWorld, port: number): Promise<WebSocket> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(`wss://127.0.0.1:${port}/`, {
      headers: headersFor(measured, 'sockets'),
      rejectUnauthorized: false,
      perMessageDeflate: false,
    });
    socket.on('open', () => resolve(socket));
    socket.on('error', reject);
  });
}

/** Each says something once a second and is answered; gives how often they were. */
async function talk(sockets: readonly WebSocket[], seconds: number): Promise<number> {
  let heard = 0;
  const count = () => {
    heard += 1;
  };
  for (const socket of sockets) socket.on('message', count);
  for (let second = 0; second < seconds; second++) {
    const began = performance.now();
    for (const socket of sockets) socket.send('x'.repeat(100));
    await sleep(Math.max(0, 1_000 - (performance.now() - began)));
  }
  for (const socket of sockets) socket.off('message', count);
  return heard;
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(0);
}
