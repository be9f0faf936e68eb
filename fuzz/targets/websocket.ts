/** Frames on every websocket, from strangers and from somebody signed in: broken framing, hostile lengths, and messages that almost fit. */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { SOCKETS } from '@gatehouse/contract/api/sockets';
import { TUNNEL_PATH } from '@gatehouse/contract/reach/tunnel/handshake';
import { connectAgent, enrol, openingOf, tameShell, untilListed } from '../agents.ts';
import { ODD_NUMBERS, type Random } from '../random.ts';
import type { FuzzTarget } from '../target.ts';
import type { Victim } from '../victim.ts';
import { addApplicationAt } from '../world.ts';

const SERVER = 'tame';
const APP = 'tcp-app';
const OPCODES = [0, 1, 1, 1, 2, 2, 2, 8, 9, 10, 3, 7, 11, 15];

export const websocket: FuzzTarget = {
  name: 'websocket',
  what: 'frames',
  secure: false,
  throwers: 8,
  async prepare(victim) {
    const agent = connectAgent(victim, await enrol(victim, SERVER), tameShell);
    await untilListed(victim, SERVER);
    await addApplicationAt(victim, APP, 'tcp://127.0.0.1:9');
    return {
      throwOnce: (random) => throwOnce(victim, random),
      close: () => agent.close({ drainMs: 0 }),
    };
  },
};

async function throwOnce(victim: Victim, random: Random): Promise<number> {
  const path = random
    .pick(SOCKETS.filter((address) => address !== TUNNEL_PATH))
    .replace(':clusterId', '-current-')
    .replace(':name', APP);
  const { ann, host, port, origin } = victim;
  const query = random.chance(0.5) ? `?access_token=${ann.token}&params=${encodeURIComponent(paramsOf(random))}` : '';
  const socket = victim.dial({ from: `127.0.${random.below(200)}.${1 + random.below(250)}` });
  socket.on('error', () => {});
  if (random.chance(0.8)) socket.resume();
  const extension = random.chance(0.3) ? 'Sec-WebSocket-Extensions: permessage-deflate\r\n' : '';
  const signedIn = random.chance(0.95) ? `Cookie: ${ann.cookie}\r\nOrigin: ${origin}\r\n` : '';
  socket.write(
    `GET ${path}${query} HTTP/1.1\r\nHost: ${host}:${port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n` +
      `Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n${signedIn}${extension}\r\n`,
  );
  if (random.chance(0.9)) socket.write(frame(random, 1, JSON.stringify({ type: 'hello', token: ann.token })));
  if (random.chance(0.7)) socket.write(frame(random, 1, JSON.stringify(openingOf(SERVER))));
  const count = 1 + random.below(30);
  for (let n = 0; n < count && !socket.destroyed; n++) {
    const message = random.chance(0.7) ? messageOf(random) : random.bytes(random.below(200));
    const bytes = frame(random, random.pick(OPCODES), message, random.chance(0.1));
    socket.write(random.chance(0.1) ? random.mutate(bytes) : bytes);
    if (random.chance(0.2)) await sleep(random.below(6));
  }
  await Promise.race([once(socket, 'close').catch(() => {}), sleep(random.below(60))]);
  if (random.chance(0.3)) socket.end();
  socket.destroy();
  return count + 2;
}

function paramsOf(random: Random): string {
  const params = { login: 'fuzz', server_id: SERVER, term: { h: random.pick(ODD_NUMBERS), w: 80 } };
  const text = JSON.stringify(params);
  return random.chance(0.7)
    ? JSON.stringify({ ...params, term: { h: 24, w: 80 } })
    : random.mutate(Buffer.from(text)).toString('latin1');
}

function messageOf(random: Random): Buffer {
  const number = random.pick(ODD_NUMBERS);
  const head = Buffer.alloc(9);
  head[0] = random.pick([0x11, 0x01, 0]);
  head.writeBigUInt64BE(BigInt(number), 1);
  const messages: unknown[] = [
    { type: 'seen', offset: number },
    { type: 'resize', cols: number, rows: 24 },
    { type: 'resize', cols: 1 + random.below(4000), rows: 1 + random.below(4000) },
    { type: 'ping', id: number },
    { type: 'end', reason: 'x'.repeat(random.below(600)) },
    { type: 'look', sids: Array.from({ length: random.below(40) }, () => crypto.randomUUID()) },
    { type: 'attach', sid: crypto.randomUUID(), cols: 80, rows: 24, writer: '0'.repeat(16) },
    { type: 'factor', answer: null },
    { type: 'end' },
    openingOf(SERVER),
    [[[[]]]],
    null,
    '\u{1f600}',
  ];
  if (random.chance(0.4)) return Buffer.concat([head, random.bytes(random.below(100))]);
  const text = Buffer.from(JSON.stringify(random.pick(messages)));
  return random.chance(0.3) ? random.mutate(text) : text;
}

/** Masked and with the right length, unless it is broken on purpose. */
function frame(random: Random, opcode: number, message: string | Buffer, broken = false): Buffer {
  const payload = Buffer.from(message);
  const fin = broken && random.chance(0.5) ? 0 : 0x80;
  const reserved = broken && random.chance(0.3) ? random.pick([0x40, 0x20, 0x10]) : 0;
  const masked = broken && random.chance(0.3) ? 0 : 0x80;
  const length = broken && random.chance(0.4) ? random.pick(ODD_NUMBERS) : payload.length;
  const head: number[] = [fin | reserved | opcode];
  if (length < 126) head.push(masked | length);
  else if (length < 65_536) head.push(masked | 126, length >> 8, length & 0xff);
  else {
    const wide = Buffer.alloc(8);
    wide.writeBigUInt64BE(BigInt(length));
    head.push(masked | 127, ...wide);
  }
  // A mask of zeros leaves the payload as it is.
  return Buffer.concat([Buffer.from(head), masked ? Buffer.alloc(4) : Buffer.alloc(0), payload]);
}
