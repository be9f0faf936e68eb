/** A hostile agent, while people open terminals on it: frames that lie, floods of small ones, reports of nonsense, a spoiled tunnel, strangers at its door. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { type Duplex, Transform } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { SHELL_FRAMES } from '@gatehouse/contract/reach/agents/shell-frames';
import { TUNNEL_PATH } from '@gatehouse/contract/reach/tunnel/handshake';
import { encodeShellFrame } from '@gatehouse/tunnel/shell-frame-codec';
import { connectAgent, enrol, STATE, STATE_FRAME, untilListed } from '../agents.ts';
import { ODD_NUMBERS, type Random } from '../random.ts';
import type { FuzzTarget } from '../target.ts';
import { openTerminal } from '../terminals.ts';
import { LABELS, type Victim } from '../victim.ts';

const SERVER = 'hostile';
const SPOILED = 'spoiled';

export const agent: FuzzTarget = {
  name: 'agent',
  what: 'frames',
  secure: false,
  throwers: 6,
  async prepare(victim, random) {
    let frames = 0;
    const own = random.fork();
    const lie = (shell: Duplex) => void lieAbout(shell, own.fork(), () => (frames += 1));
    const hostile = connectAgent(victim, await enrol(victim, SERVER), lie, {
      onReports: (reports) => void reportNonsense(reports, own.fork(), () => (frames += 1)),
    });
    const wire = await startSpoiledWire(victim.port, own.fork());
    const spoiled = connectAgent(victim, await enrol(victim, SPOILED), lie, { port: wire.port });
    await untilListed(victim, SERVER);
    return {
      async throwOnce(random) {
        const before = frames;
        if (random.chance(0.8)) await lookAt(victim, random.chance(0.9) ? SERVER : SPOILED, random);
        else await knock(victim, random);
        return frames - before;
      },
      async close() {
        await hostile.close({ drainMs: 0 });
        await spoiled.close({ drainMs: 0 });
        wire.close();
      },
    };
  },
};

/** Opens a terminal as a browser does, reads or does not, and goes. */
async function lookAt(victim: Victim, server: string, random: Random): Promise<void> {
  const socket = openTerminal(victim, server, { rests: () => random.chance(0.3) });
  let seen = 0;
  socket.on('message', (data: Buffer, isBinary) => {
    if (!isBinary) return;
    seen = Number(data.readBigUInt64BE(1)) + data.length - 9;
    if (random.chance(0.8)) socket.send(JSON.stringify({ type: 'seen', offset: seen }));
  });
  const until = random.chance(0.2) ? 400 : 60;
  await Promise.race([once(socket, 'close').catch(() => {}), sleep(10 + random.below(until))]);
  if (random.chance(0.7) && socket.readyState === socket.OPEN) socket.send(JSON.stringify({ type: 'end' }));
  await sleep(random.below(10));
  socket.terminate();
}

/** Somebody at the agents' door who has no key. */
async function knock(victim: Victim, random: Random): Promise<void> {
  const socket = victim.dial({ from: `127.0.${random.below(200)}.${1 + random.below(250)}` });
  socket.on('error', () => {});
  socket.resume();
  const upgrade = random.pick(['gatehouse-tunnel', 'gatehouse-tunnel/1', 'websocket', 'h2c']);
  const key = 'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n';
  socket.write(
    `GET ${TUNNEL_PATH} HTTP/1.1\r\nHost: ${victim.host}:${victim.port}\r\nConnection: Upgrade\r\nUpgrade: ${upgrade}\r\n${key}\r\n`,
  );
  socket.write(random.bytes(random.below(2000)));
  await Promise.race([once(socket, 'close').catch(() => {}), sleep(random.below(50))]);
  socket.destroy();
}

async function lieAbout(shell: Duplex, random: Random, count: () => void): Promise<void> {
  if (random.chance(0.7)) shell.resume();
  const start = random.chance(0.2) ? random.pick(ODD_NUMBERS) : 0;
  const state = { ...STATE, start, end: random.chance(0.2) ? random.pick(ODD_NUMBERS) : start };
  const first = random.chance(0.5) ? STATE_FRAME : Buffer.concat(encodeShellFrame({ type: 'state', state }));
  count();
  if (random.chance(0.95)) shell.write(first);
  let offset = start;
  const at = (length: number) => {
    offset += length;
    return offset - length;
  };
  const flood = random.chance(0.1) ? shellFrame(random, at) : undefined;
  for (let n = 0; n < 400 && !shell.destroyed; n++) {
    const bytes = flood ? Buffer.concat(Array.from({ length: 200 }, () => flood)) : shellFrame(random, at);
    for (let frames = flood ? 200 : 1; frames > 0; frames--) count();
    const sent = random.chance(0.05) ? random.mutate(bytes) : bytes;
    if (random.chance(0.1)) for (const byte of sent.subarray(0, 64)) shell.write(Buffer.of(byte));
    else if (!shell.write(sent)) await Promise.race([once(shell, 'drain'), sleep(50)]).catch(() => {});
    if (random.chance(0.2)) await sleep(random.below(4));
  }
  if (random.chance(0.5)) shell.end();
  else shell.destroy();
}

function shellFrame(random: Random, at: (length: number) => number): Buffer {
  const odd = random.pick(ODD_NUMBERS);
  const text = random.bytes(random.below(random.chance(0.05) ? 60_000 : 300));
  const how = random.below(9);
  if (how < 3) return encoded({ type: 'output', offset: at(text.length), bytes: text });
  if (how === 3) return encoded({ type: 'output', offset: odd, bytes: text });
  if (how === 4)
    return encoded({ type: 'size', offset: random.chance(0.5) ? at(0) : odd, cols: odd % 65_536, rows: 24 });
  if (how === 5) return encoded({ type: 'program', program: `p${random.below(100)}`.repeat(1 + random.below(90)) });
  if (how === 6) return encoded({ type: 'taken', writer: '0123456789abcdef', offset: odd });
  if (how === 7) return encoded({ type: 'echo', offset: random.chance(0.5) ? at(0) : odd, echo: random.chance(0.5) });
  const types = Object.values(SHELL_FRAMES);
  const head = Buffer.alloc(5);
  head[0] = random.chance(0.8) ? random.pick(types) : random.below(256);
  head.writeUInt32BE(random.chance(0.8) ? text.length : odd % 2 ** 32, 1);
  return Buffer.concat([head, text]);
}

function encoded(frame: Parameters<typeof encodeShellFrame>[0]): Buffer {
  return Buffer.concat(encodeShellFrame(frame));
}

const APP_ADDRESSES = [
  'http://127.0.0.1:9',
  'http://127.0.0.1/ł',
  'tcp://127.0.0.1:9',
  'http://\u010d',
  'cloud://aws',
  'x',
];
/** Expressions that take long to read, or cannot be read. */
const HEADER_VALUES = [
  '{{internal.',
  '{{internal.team}}',
  `{{regexp.replace(external.x, "${'a{1000}'.repeat(73)}", "b")}}`,
  `{{regexp.replace(external.x, "${'(a|b)*'.repeat(100)}", "b")}}`,
  `{{email.local(${'"'.repeat(2000)}`,
  `{{${'x'.repeat(4000)}(a)}}`,
  '\r\nx: y',
];

async function reportNonsense(reports: Duplex, random: Random, count: () => void): Promise<void> {
  for (let seq = 2; !reports.destroyed; seq++) {
    await sleep(200);
    const node = {
      kind: 'node',
      id: 'x',
      name: 'x'.repeat(random.below(300)),
      labels: LABELS,
      spec: { type: 'agent' },
    };
    const many = random.chance(0.1) ? 1000 : random.below(10);
    const resources = [node, null, ...Array.from({ length: many }, (_, n) => offeredApp(random, n))];
    const text = Buffer.from(
      JSON.stringify({ type: 'report', seq, resources: resources.slice(random.below(3), 1000) }),
    );
    const head = Buffer.alloc(4);
    head.writeUInt32BE(text.length);
    for (const _ of resources) count();
    // One that cannot be read ends the stream, and with it the reports of this connection: rarely.
    reports.write(Buffer.concat([head, random.chance(0.02) ? random.mutate(text) : text]));
  }
}

function offeredApp(random: Random, n: number): object {
  const headers = Array.from({ length: random.below(3) }, () => ({ name: 'x', value: random.pick(HEADER_VALUES) }));
  const labels = random.chance(0.5) ? LABELS : { changing: String(random.below(1000)) };
  const name = random.chance(0.9) ? `fuzz-${n}` : random.pick(['websocket', 'hostile', 'A', 'xn--', 'x'.repeat(80)]);
  const publicAddr = random.chance(0.1)
    ? random.pick(['localhost', 'fuzz.example', 'app.localhost', '127.0.0.1'])
    : undefined;
  return {
    kind: 'app',
    id: name,
    name,
    labels,
    spec: { uri: random.pick(APP_ADDRESSES), publicAddr, rewrite: { headers } },
  };
}

/** Between an agent and its gateway: now and then a byte is another one when it arrives. */
async function startSpoiledWire(port: number, random: Random) {
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1');
    let passed = 0;
    const spoil = new Transform({
      transform(piece: Buffer, _, done) {
        passed += piece.length;
        // After the handshake: what comes before is refused without being read further.
        done(null, passed > 2000 && random.chance(0.05) ? random.mutate(piece) : piece);
      },
    });
    for (const end of [near, far, spoil]) {
      end.on('error', () => {});
      end.on('close', () => {
        near.destroy();
        far.destroy();
      });
    }
    near.pipe(spoil).pipe(far).pipe(near);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { port: (server.address() as AddressInfo).port, close: () => server.close() };
}
