/** Whoever comes through the engine hears byte for byte what a client hears that is connected to the server itself. */
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Front, startFront } from '../../../../../testing/db/front.ts';
import { type SecureRedis, startSecureRedis } from '../../../../../testing/db/secure-redis.ts';
import { serveRedis } from '../../serve-redis.ts';
import type { AskedCommand } from './commands.ts';
import { command } from './resp.ts';

const ROUNDS = 40;
const COMMANDS = 60;
const PATIENCE_MS = 10_000;

let redis: SecureRedis;
let front: Front<AskedCommand, string>;
beforeAll(async () => {
  redis = await startSecureRedis();
  front = await startFront(serveRedis, {
    port: redis.plainPort,
    terms: {
      user: 'open',
      database: '',
      credential: { method: 'password', password: '' },
      secure: undefined,
      isVerified: false,
    },
  });
});
afterAll(async () => {
  await front?.close();
  await redis?.stop();
});

const LINES: readonly string[] = [
  ...[
    'SET k 1',
    'SET k text',
    'GET k',
    'GET',
    'INCR k',
    'FOO x',
    'PING',
    'PING hi',
    'SELECT 1',
    'SELECT 0',
    'SELECT 99',
  ],
  ...['LPUSH l a message', 'LRANGE l 0 5', 'HSET h f 1', 'HGETALL h', 'ZADD z 1 m', 'ZRANGE z 0 -1 WITHSCORES'],
  ...['MULTI', 'MULTI', 'EXEC', 'EXEC', 'EXEC', 'DISCARD', 'WATCH k', 'EXEC x', 'COMMAND DOCS get', 'HELLO 9'],
  ...[
    "EVAL return{1,{2,{'x',{err='E\\x20x'}}},'message',false} 0",
    "EVAL return{ok='fine'} 0",
    'EVAL return{err="BAD"} 0',
  ],
  ...['SUBSCRIBE a b', 'SUBSCRIBE a a', 'PSUBSCRIBE p*', 'SSUBSCRIBE s1 s2', 'UNSUBSCRIBE a none'],
  ...['UNSUBSCRIBE', 'UNSUBSCRIBE', 'PUNSUBSCRIBE', 'PUNSUBSCRIBE', 'SUNSUBSCRIBE', 'SUNSUBSCRIBE'],
  ...[
    'PUBLISH a m',
    'PUBLISH pp m',
    'SPUBLISH s1 m',
    'CLIENT TRACKING ON',
    'CLIENT TRACKING OFF',
    'CONFIG GET maxmem*',
  ],
  ...['attrib', 'map', 'set', 'double', 'bignum', 'null', 'true', 'verbatim'].map((type) => `DEBUG PROTOCOL ${type}`),
];
const NOT_IN_TRANSACTIONS = /SUBSCRIBE|^HELLO/;

/** By chance, and leaves the connection as it was. */
function conversation(): readonly string[] {
  const lines = ['FLUSHALL', `HELLO ${randomInt(2, 4)}`];
  let isInTransaction = false;
  while (lines.length < COMMANDS) {
    const line = LINES[randomInt(LINES.length)] as string;
    if (line === 'MULTI') isInTransaction = true;
    else if (line === 'EXEC' || line === 'DISCARD') isInTransaction = false;
    if (!isInTransaction || !NOT_IN_TRANSACTIONS.test(line)) lines.push(line);
  }
  if (isInTransaction) lines.push('DISCARD');
  return [...lines, 'UNSUBSCRIBE', 'PUNSUBSCRIBE', 'SUNSUBSCRIBE', 'QUIT'];
}

/** In pieces by chance; gives all that was heard up to the end, without the number of the connection. */
async function heardAt(port: number, bytes: Buffer): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  const heard: Buffer[] = [];
  socket.on('data', (piece: Buffer) => heard.push(piece));
  socket.on('error', () => {});
  const timer = setTimeout(() => socket.destroy(), PATIENCE_MS);
  const closed = once(socket, 'close');
  for (let at = 0; at < bytes.length; ) {
    const size = randomInt(1, 400);
    socket.write(bytes.subarray(at, at + size));
    at += size;
    if (randomInt(3) === 0) await turn();
  }
  await closed;
  clearTimeout(timer);
  return Buffer.concat(heard)
    .toString('latin1')
    .replaceAll(/\$2\r\nid\r\n:\d+/g, 'id');
}

test('commands by chance have the same answers, and each is told once', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const lines = conversation();
    const bytes = Buffer.concat(lines.map((line) => command(...line.split(' '))));
    const direct = await heardAt(redis.plainPort, Buffer.concat([command('AUTH', 'open', ''), bytes]));
    front.asked.length = 0;
    front.answered.length = 0;
    const through = await heardAt(front.port, bytes);
    const unanswered = front.answered.filter(({ outcome }) => outcome.error.startsWith('the connection ended'));

    expect(`+OK\r\n${through}`, lines.join('\n')).toBe(direct);
    expect([front.malformed, unanswered], lines.join('\n')).toEqual([[], []]);
    expect(front.answered.map(({ query }) => query)).toEqual(front.asked.map(({ query }) => query.text));
  }
});
