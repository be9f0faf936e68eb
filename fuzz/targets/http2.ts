/** Raw frames of HTTP/2, to the console's host and an application's: broken headers, floods of small frames, streams in every wrong state. */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { http2Headers } from '@gatehouse/gateway/testing/apps/raw-http2';
import { ODD_NUMBERS, type Random } from '../random.ts';
import type { FuzzTarget } from '../target.ts';
import type { Victim } from '../victim.ts';
import { AGENT, addApplication, cookieOfApp } from '../world.ts';

const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
const FRAME = {
  data: 0,
  headers: 1,
  priority: 2,
  reset: 3,
  settings: 4,
  push: 5,
  ping: 6,
  goaway: 7,
  window: 8,
  more: 9,
};
const NAME = 'over-two';
const METHODS = ['GET', 'HEAD', 'POST', 'CONNECT', 'PRI', 'x y', ''];
const FIELDS: readonly (readonly [string, string])[] = [
  ['te', 'trailers'],
  ['te', 'gzip'],
  ['connection', 'close'],
  ['transfer-encoding', 'chunked'],
  ['upgrade', 'websocket'],
  ['http2-settings', 'x'],
  [':protocol', 'websocket'],
  [':status', '200'],
  ['content-length', '5'],
  ['content-length', '-1'],
  ['Upper', 'x'],
  ['host', 'other'],
  ['cookie', 'a=b'],
  ['x', '\x00\r\nx: y'],
  ['', 'empty'],
  ['expect', '100-continue'],
  ['range', 'bytes=0-'],
];

export const http2: FuzzTarget = {
  name: 'http2',
  what: 'frames',
  secure: true,
  throwers: 8,
  async prepare(victim) {
    const app = await addApplication(victim, NAME, (_, response) => void response.end('fine'));
    const cookie = await cookieOfApp(victim, NAME);
    return { throwOnce: (random) => throwOnce(victim, cookie, random), close: app.close };
  },
};

async function throwOnce(victim: Victim, cookie: string, random: Random): Promise<number> {
  const servername = random.chance(0.8) ? `${NAME}.${victim.host}` : victim.host;
  const socket = victim.dial({ servername, alpn: 'h2', from: `127.0.${random.below(200)}.${1 + random.below(250)}` });
  socket.on('error', () => {});
  if (random.chance(0.9)) socket.resume();
  const sent = [PREFACE, frame(FRAME.settings, 0, 0, Buffer.alloc(0))];
  const count = 1 + random.below(12);
  for (let n = 0; n < count; n++) sent.push(frameOf(victim, cookie, random));
  // A flood of one kind: rapid resets, empty headers that go on, pings, settings.
  if (random.chance(0.05)) sent.push(...Array.from({ length: 500 }, (_, n) => floodFrame(random.seed % 5, n)));
  let bytes: Buffer = Buffer.concat(sent);
  if (random.chance(0.2)) bytes = random.mutate(bytes);
  socket.write(bytes);
  await Promise.race([once(socket, 'close').catch(() => {}), sleep(5 + random.below(40))]);
  if (random.chance(0.5)) socket.end();
  socket.destroy();
  return sent.length;
}

function frameOf({ host, port }: Victim, cookie: string, random: Random): Buffer {
  const stream = random.chance(0.8) ? 1 + 2 * random.below(6) : random.pick(ODD_NUMBERS) % 2 ** 31;
  const flags = random.chance(0.7) ? random.pick([0, 1, 4, 5]) : random.below(256);
  const type = random.chance(0.5) ? FRAME.headers : random.below(12);
  if (type !== FRAME.headers) return frame(type, flags, stream, payloadOf(type, random));
  const authority = random.chance(0.8) ? `${NAME}.${host}:${port}` : random.pick([host, '', 'x', `${host}:${port}`]);
  const headers: (readonly [string, string])[] = [
    [':method', random.chance(0.8) ? 'GET' : random.pick(METHODS)],
    [':scheme', random.chance(0.9) ? 'https' : 'ftp'],
    [':path', random.chance(0.8) ? '/' : random.pick(['', '*', 'x', '//', '/%', '/\xff'])],
    [':authority', authority],
    ['cookie', cookie],
    ['user-agent', AGENT],
  ];
  for (let more = random.below(3); more > 0; more--) headers.push(random.pick(FIELDS));
  const block = http2Headers(random.chance(0.9) ? headers : headers.slice(random.below(5)));
  return frame(
    FRAME.headers,
    flags | (random.chance(0.9) ? 4 : 0),
    stream,
    random.chance(0.8) ? block : random.mutate(block),
  );
}

function payloadOf(type: number, random: Random): Buffer {
  if (type === FRAME.settings) {
    const settings = Buffer.alloc(6 * random.below(4));
    for (let at = 0; at < settings.length; at += 6) {
      settings.writeUInt16BE(random.below(9), at);
      settings.writeUInt32BE(random.pick(ODD_NUMBERS) % 2 ** 32, at + 2);
    }
    return settings;
  }
  if (type === FRAME.window || type === FRAME.reset) {
    const number = Buffer.alloc(4);
    number.writeUInt32BE(random.pick(ODD_NUMBERS) % 2 ** 32);
    return number;
  }
  if (type === FRAME.ping) return random.bytes(8);
  return random.bytes(random.below(random.chance(0.1) ? 17_000 : 40));
}

function floodFrame(kind: number, n: number): Buffer {
  if (kind === 0) return frame(FRAME.ping, 0, 0, Buffer.alloc(8));
  if (kind === 1) return frame(FRAME.settings, 0, 0, Buffer.alloc(0));
  if (kind === 2) return frame(FRAME.more, 0, 1, Buffer.alloc(0));
  if (kind === 3) return frame(FRAME.priority, 0, 1 + 2 * n, Buffer.alloc(5));
  return n % 2 === 0
    ? frame(
        FRAME.headers,
        5,
        1001 + n,
        http2Headers([
          [':method', 'GET'],
          [':scheme', 'https'],
          [':path', '/'],
          [':authority', NAME],
        ]),
      )
    : frame(FRAME.reset, 0, 1000 + n, Buffer.from([0, 0, 0, 8]));
}

function frame(type: number, flags: number, stream: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head[3] = type;
  head[4] = flags & 0xff;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}
