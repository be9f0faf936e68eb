/** What a tunnel costs: one stream through it beside a raw TLS socket between the same two processes, taking turns in the same run. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { createServer, connect as tlsConnect } from 'node:tls';
import { makeCertificate } from '@gatehouse/tunnel/testing/certificate';
import { countBytes, percentile, produce, readText, roundTrip, testTargets } from '@gatehouse/tunnel/testing/streams';
import { startTestAgent } from '@gatehouse/tunnel/testing/test-agent';
import { startTestGateway } from '@gatehouse/tunnel/testing/test-gateway';

const ROUNDS = 3;
const BULK_BYTES = 25_000_000;
const PINGS = 100;
const STREAMS = 500;
const ECHO = Buffer.alloc(100_000, 'z');
const TRANSPORTS = ['raw TLS', 'upgrade', 'websocket'] as const;

type Transport = (typeof TRANSPORTS)[number];
type Open = (target: string) => Promise<Duplex>;

interface PeerOptions {
  ca: string;
  rawPort: number;
  urls: { upgrade: string; websocket: string };
}

/** The other process: two agents, and raw sockets whose first line names the target. */
async function serveAsPeer({ ca, rawPort, urls }: PeerOptions): Promise<void> {
  startTestAgent({ url: urls.upgrade, ca, transport: 'upgrade' });
  startTestAgent({ url: urls.websocket, ca, transport: 'websocket' });
  const { onStream } = testTargets();
  process.on('message', (target: string) => {
    const socket = tlsConnect({ host: 'localhost', port: rawPort, ca, allowHalfOpen: true } as object, async () => {
      socket.setNoDelay(true);
      const accept = () => socket as Duplex;
      const offered = { accept, acceptWithAnswer: accept, refuse() {} };
      await onStream(offered, { target, metadata: {}, signal: new AbortController().signal, isGone: false });
    });
    socket.on('error', () => {});
  });
  process.on('disconnect', () => process.exit());
}

async function measureAll(): Promise<void> {
  const certificate = await makeCertificate();
  const [upgrade, websocket] = await Promise.all([
    startTestGateway({ certificate }),
    startTestGateway({ certificate }),
  ]);
  const rawServer = createServer({ ...certificate, allowHalfOpen: true });
  await new Promise<void>((resolve) => rawServer.listen(0, '127.0.0.1', resolve));
  const { port: rawPort } = rawServer.address() as AddressInfo;
  const options: PeerOptions = {
    ca: certificate.ca,
    rawPort,
    urls: { upgrade: upgrade.url, websocket: websocket.url },
  };
  const peer = fork(import.meta.filename, [], { env: { ...process.env, BENCH_PEER: JSON.stringify(options) } });
  try {
    const tunnels = { upgrade: await upgrade.tunnel(), websocket: await websocket.tunnel() };
    const opens: Record<Transport, Open> = {
      'raw TLS': async (target) => {
        const accepted = once(rawServer, 'secureConnection');
        peer.send(target);
        const [socket] = await accepted;
        socket.setNoDelay(true).on('error', () => {});
        return socket;
      },
      upgrade: (target) => tunnels.upgrade.open(target),
      websocket: (target) => tunnels.websocket.open(target),
    };
    await measure(opens);
  } finally {
    peer.kill();
    rawServer.close();
    await Promise.all([upgrade.close(), websocket.close()]);
  }
}

interface Measurement {
  names: readonly string[];
  /** One number for each name. */
  of: (open: Open) => Promise<number[]>;
}

const MEASUREMENTS: Measurement[] = [
  { names: ['one stream down (MB/s)'], of: async (open) => [await down(open)] },
  { names: ['one stream up (MB/s)'], of: async (open) => [await up(open)] },
  { names: ['round trip, idle, p50 (ms)'], of: async (open) => [percentile(await idlePings(open), 0.5)] },
  {
    names: ['round trip beside bulk, p50 (ms)', 'round trip beside bulk, p99 (ms)'],
    of: async (open) => {
      const times = await busyPings(open);
      return [percentile(times, 0.5), percentile(times, 0.99)];
    },
  },
  { names: ['opening a stream (ms)'], of: async (open) => [await opening(open)] },
];

async function measure(opens: Record<Transport, Open>): Promise<void> {
  console.log(`${''.padEnd(36)}${TRANSPORTS.map((way) => way.padStart(12)).join('')}   ratios to raw TLS`);
  for (const { names, of } of MEASUREMENTS) {
    const taken: Record<Transport, number[][]> = { 'raw TLS': [], upgrade: [], websocket: [] };
    for (let round = 0; round < ROUNDS; round++) for (const way of TRANSPORTS) taken[way].push(await of(opens[way]));
    names.forEach((name, index) => {
      const medians = TRANSPORTS.map((way) =>
        percentile(
          taken[way].map((values) => values[index] ?? Number.NaN),
          0.5,
        ),
      );
      const [raw = Number.NaN, ...ours] = medians;
      const shown = medians.map((value) => value.toFixed(2).padStart(12)).join('');
      console.log(`${name.padEnd(36)}${shown}   ${ours.map((value) => (value / raw).toFixed(2)).join('  ')}`);
    });
  }
  for (const way of ['upgrade', 'websocket'] as const) {
    const start = performance.now();
    await Promise.all(Array.from({ length: STREAMS }, () => echo(opens[way])));
    console.log(`${STREAMS} streams × 100 KB echo over ${way}: ${Math.round(performance.now() - start)} ms`);
  }
}

async function down(open: Open): Promise<number> {
  const stream = await open(`source:${BULK_BYTES}`);
  const start = performance.now();
  const count = await countBytes(stream);
  stream.end();
  return count / 1000 / (performance.now() - start);
}

async function up(open: Open): Promise<number> {
  const stream = await open('sink');
  const start = performance.now();
  await produce(stream, BULK_BYTES);
  return Number(await readText(stream)) / 1000 / (performance.now() - start);
}

async function idlePings(open: Open): Promise<number[]> {
  const stream = await open('echo');
  const times: number[] = [];
  while (times.length < PINGS) times.push(await roundTrip(stream));
  stream.destroy();
  return times;
}

/** A raw socket has its bulk on a second connection: the best a tunnel could hope for. */
async function busyPings(open: Open): Promise<number[]> {
  const stream = await open('echo');
  const bulk = await open('source:10000000000');
  bulk.resume();
  await roundTrip(stream);
  const times: number[] = [];
  while (times.length < PINGS) times.push(await roundTrip(stream));
  bulk.destroy();
  stream.destroy();
  return times;
}

async function opening(open: Open): Promise<number> {
  const times: number[] = [];
  for (let count = 0; count < 30; count++) {
    const start = performance.now();
    const stream = await open('echo');
    times.push(performance.now() - start);
    stream.destroy();
  }
  return percentile(times, 0.5);
}

async function echo(open: Open): Promise<void> {
  const stream = await open('echo');
  stream.end(ECHO);
  const count = await countBytes(stream);
  if (count !== ECHO.length) throw new Error(`an echo came back with ${count} bytes`);
}

if (process.env.BENCH_PEER) await serveAsPeer(JSON.parse(process.env.BENCH_PEER));
else await measureAll();
