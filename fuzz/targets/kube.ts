/** Streams of Kubernetes from both sides: a hostile cluster behind the gateway, and programs with a pass before it, in SPDY frames and websocket channels. */
import { createServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { KUBE_DOOR, kubePassRoutes } from '@gatehouse/contract/kinds/kube/kube-pass';
import { kubeRoutes } from '@gatehouse/contract/kinds/kube/kubernetes';
import { call } from '@gatehouse/contract/wire/client';
import { controlFrame, dataHead, uint32 } from '@gatehouse/gateway/kinds/kube/engine/spdy/frames';
import { BlockWriter } from '@gatehouse/gateway/kinds/kube/engine/spdy/header-blocks';
import { acceptOf } from '@gatehouse/gateway/kinds/kube/engine/streams/websocket-over';
import { makeCertificate } from '@gatehouse/tunnel/testing/certificate';
import { ODD_NUMBERS, type Random } from '../random.ts';
import type { FuzzTarget } from '../target.ts';
import { LABELS, type Victim } from '../victim.ts';

const NAME = 'kube';
const PATIENCE_MS = 60;
const TYPES = ['error', 'stdin', 'stdout', 'stderr', 'resize', 'data', 'nonsense'];
const KEY = 'AAAAAAAAAAAAAAAAAAAAAA==';
const STATUS = '{"metadata":{},"status":"Success"}';

export const kube: FuzzTarget = {
  name: 'kube',
  what: 'streams',
  secure: false,
  throwers: 8,
  async prepare(victim, random) {
    const certificate = await makeCertificate(['127.0.0.1']);
    const own = random.fork();
    const server = createServer(certificate, (request, response) => {
      request.resume();
      const isReview = request.url?.includes('selfsubjectaccessreviews') === true;
      const body = isReview ? '{"status":{"allowed":true}}' : '{"kind":"Status","code":404}';
      response.writeHead(isReview ? 201 : 404, { 'content-type': 'application/json' }).end(body);
    });
    server.on('upgrade', (request, socket) => answer(socket, request.headers, own));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const body = { name: NAME, server: `https://127.0.0.1:${port}`, ca: certificate.ca, labels: LABELS };
    await call(victim.owner, kubeRoutes.add, {
      params: { clusterId: '-current-' },
      body: { ...body, credential: { token: 'fuzz' } },
    });
    const params = { clusterId: '-current-', name: NAME };
    const { token } = await call(victim.ann.send, kubePassRoutes.give, { params, body: {} });
    await requireStream(victim, token, random);
    return {
      throwOnce: (chosen) => visit(victim, token, chosen),
      async close() {
        server.closeAllConnections();
        server.close();
      },
    };
  },
};

/** The hostile cluster: it says yes, mostly as it should, and then anything. */
function answer(socket: Duplex, headers: Record<string, unknown>, random: Random): void {
  socket.on('error', () => {});
  socket.resume();
  const isSpdy = headers.upgrade === 'SPDY/3.1';
  const key = String(headers['sec-websocket-key'] ?? '');
  const offered = String(headers[isSpdy ? 'x-stream-protocol-version' : 'sec-websocket-protocol']).split(',')[0];
  const lines = isSpdy
    ? ['Upgrade: SPDY/3.1', `X-Stream-Protocol-Version: ${offered}`]
    : ['Upgrade: websocket', `Sec-WebSocket-Accept: ${acceptOf(key)}`, `Sec-WebSocket-Protocol: ${offered}`];
  const yes = Buffer.from(`HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\n${lines.join('\r\n')}\r\n\r\n`);
  socket.write(random.chance(0.05) ? random.mutate(yes) : yes);
  const blocks = new BlockWriter();
  const replies = [1, 3, 5, 7].map((id) => controlFrame(2, 0, uint32(id), blocks.write({})));
  if (isSpdy) socket.write(Buffer.concat(random.chance(0.8) ? replies : replies.slice(random.below(4))));
  socket.write(isSpdy ? spdy(random, 1) : channels(random, false));
  setTimeout(() => (random.chance(0.5) ? socket.end() : socket.destroy()), random.below(PATIENCE_MS));
}

/** One that must get through, or all that is thrown would be thrown at a closed door. */
async function requireStream(victim: Victim, pass: string, random: Random): Promise<void> {
  for (let tries = 0; tries < 20; tries += 1) {
    const heard = await upgraded(victim, pass, { isSpdy: tries % 2 === 0, what: 'exec' }, random);
    heard.socket.destroy();
    if (heard.isOpen) return;
  }
  throw new Error('no stream was opened through the gateway');
}

async function visit(victim: Victim, pass: string, random: Random): Promise<number> {
  const isSpdy = random.chance(0.6);
  const what = random.pick(['exec', 'exec', 'attach', 'portforward']);
  const { socket, isOpen } = await upgraded(victim, pass, { isSpdy, what }, random);
  const pieces = 1 + random.below(4);
  for (let left = pieces; isOpen && left > 0; left -= 1) {
    const bytes = isSpdy || what === 'portforward' ? spdy(random, 0) : channels(random, true);
    socket.write(isSpdy || what !== 'portforward' ? bytes : message(bytes, true));
    if (random.chance(0.3)) await sleep(random.below(10));
  }
  await sleep(random.below(PATIENCE_MS));
  socket.destroy();
  return isOpen ? pieces : 0;
}

interface Wanted {
  isSpdy: boolean;
  what: string;
}

async function upgraded({ dial, host, port }: Victim, pass: string, { isSpdy, what }: Wanted, random: Random) {
  const socket: Socket = dial();
  socket.on('error', () => {});
  const query = `command=x&stdin=1&stdout=1${random.chance(0.5) ? '&tty=1' : '&stderr=1'}`;
  const protocol = what === 'portforward' ? 'portforward.k8s.io' : 'v4.channel.k8s.io';
  const channel = what === 'portforward' ? 'SPDY/3.1+portforward.k8s.io' : random.pick(['v5', 'v4']);
  const lines = isSpdy
    ? ['Upgrade: SPDY/3.1', `X-Stream-Protocol-Version: ${protocol}`]
    : [
        ...['Upgrade: websocket', `Sec-WebSocket-Key: ${KEY}`, 'Sec-WebSocket-Version: 13'],
        `Sec-WebSocket-Protocol: ${channel.startsWith('v') ? `${channel}.channel.k8s.io` : channel}`,
      ];
  socket.write(
    `${isSpdy ? 'POST' : 'GET'} ${KUBE_DOOR}${NAME}/api/v1/namespaces/a/pods/b/${what}?${query} HTTP/1.1\r\nHost: ${host}:${port}\r\n` +
      `Authorization: Bearer ${pass}\r\nConnection: Upgrade\r\n${lines.join('\r\n')}\r\n\r\n`,
  );
  const isOpen = await new Promise<boolean>((resolve) => {
    socket.once('data', (bytes: Buffer) => resolve(bytes.includes(' 101 ')));
    socket.once('close', () => resolve(false));
    // A busy machine opens eight at once in more than a second each, and what is not waited for is thrown at nothing.
    setTimeout(() => resolve(false), 10_000);
  });
  socket.resume();
  return { socket, isOpen };
}

/** Frames as they should be, and then not. `parity`: of the numbers that the other side gives its streams. */
function spdy(random: Random, parity: number): Buffer {
  const blocks = new BlockWriter();
  const id = () => uint32(random.chance(0.9) ? 2 * random.below(6) + 1 - parity : random.pick(ODD_NUMBERS) % 2 ** 32);
  const frames = [
    () =>
      controlFrame(
        1,
        random.below(4),
        id(),
        uint32(0),
        Buffer.alloc(2),
        blocks.write({ streamtype: random.pick(TYPES), port: '80', requestid: '1' }),
      ),
    () => controlFrame(2, random.below(2), id(), blocks.write({})),
    () => controlFrame(3, 0, id(), uint32(random.below(12))),
    () => controlFrame(6, 0, id()),
    () => controlFrame(7, 0, id(), uint32(0)),
    () => controlFrame(8, 0, id(), blocks.write({ a: 'b'.repeat(random.below(20_000)) })),
    () => controlFrame(random.below(20), random.below(256), random.bytes(random.below(40))),
    () => {
      const bytes = random.chance(0.2) ? Buffer.from(STATUS) : random.bytes(random.below(2_000));
      return Buffer.concat([dataHead(2 * random.below(6) + 1, bytes.length, random.below(2)), bytes]);
    },
    () => dataHead(random.below(9), random.pick(ODD_NUMBERS) % 2 ** 24, 0),
  ];
  const opened = [1, 3, 5, 7].map((number, at) =>
    controlFrame(
      1,
      0,
      uint32(number),
      uint32(0),
      Buffer.alloc(2),
      blocks.write({ streamtype: TYPES[at]!, port: '80' }),
    ),
  );
  const rest = Array.from({ length: random.below(8) }, () => random.pick(frames)());
  const whole = Buffer.concat(parity === 0 && random.chance(0.8) ? [...opened, ...rest] : rest);
  return random.chance(0.3) ? random.mutate(whole) : whole;
}

function channels(random: Random, masked: boolean): Buffer {
  const one = () => {
    const channel = random.chance(0.9) ? random.below(6) : 255;
    const bytes = random.pick([
      Buffer.from(STATUS),
      Buffer.from('{"Width":80,"Height":24}'),
      random.bytes(random.below(500)),
    ]);
    return message(Buffer.concat([Buffer.of(channel), bytes]), masked);
  };
  const whole = Buffer.concat(Array.from({ length: 1 + random.below(6) }, one));
  return random.chance(0.3) ? random.mutate(whole) : whole;
}

/** A binary message; a mask of zeros changes nothing. */
function message(bytes: Buffer, masked: boolean): Buffer {
  const mask = masked ? 0x80 : 0;
  const head = Buffer.from([0x82, mask | 126, bytes.length >> 8, bytes.length & 0xff]);
  return Buffer.concat([head, masked ? Buffer.alloc(4) : Buffer.alloc(0), bytes.subarray(0, 0xffff)]);
}
