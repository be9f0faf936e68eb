import { duplexPair } from 'node:stream';
import { expect, test } from 'vitest';
import { ByteSource } from '../byte-source.ts';
import { CAN } from './capabilities.ts';
import { greetClient } from './greet-client.ts';
import { type Greeting, readGreeting } from './greeting.ts';
import { measured, packet } from './packets.ts';

const COMPRESS = 0x20;
const ATTRIBUTES_OF_QUERIES = 0x800_0000;
const GREETING: Greeting = {
  version: '5.5.5-10.11.19-MariaDB',
  thread: 4_000_000_001,
  nonce: Buffer.alloc(20, 1),
  capabilities: { basic: 0xffff_ffff & ~CAN.longPassword & ~CAN.sessionTrack, extended: 0xff },
  charset: 45,
  status: 2,
  method: 'caching_sha2_password',
};
const SAID = CAN.protocol41 | CAN.secureConnection | CAN.pluginAuth | CAN.connectWithDb | CAN.connectAttributes;

function hello({ basic = SAID as number, method = 'mysql_native_password' } = {}): Buffer {
  const head = Buffer.alloc(32);
  head.writeUInt32LE(basic >>> 0, 0);
  head.writeUInt32LE(1_000, 4);
  head[8] = 33;
  head.writeUInt32LE(0xff, 28);
  return packet(1, head, 'me', Buffer.from('\x03abc'), 'mine', method, measured(Buffer.from('\x01a\x01b')));
}

/** The client says one after the other, each when it has heard something. */
async function greeted(pieces: readonly Buffer[], ms = 2_000) {
  const [gateway, client] = duplexPair();
  const heard: Buffer[] = [];
  const left = [...pieces];
  client.on('data', (piece: Buffer) => {
    heard.push(piece);
    const next = left.shift();
    if (next) client.write(next);
  });
  const outcome = await greetClient(gateway, new ByteSource(gateway), GREETING, AbortSignal.timeout(ms)).catch(
    (error: unknown) => error,
  );
  await new Promise((resolve) => setImmediate(resolve));
  return { outcome, heard };
}

test('a client is greeted as by the server, without what does not pass here', async () => {
  const { heard } = await greeted([hello()]);
  const told = readGreeting((heard[0] as Buffer).subarray(4));
  expect(told).toMatchObject({ version: GREETING.version, thread: GREETING.thread, charset: 45 });
  const { basic, extended } = told.capabilities;
  for (const never of [CAN.ssl, COMPRESS, ATTRIBUTES_OF_QUERIES, CAN.sessionTrack]) expect(basic & never).toBe(0);
  expect([(basic & CAN.deprecateEof) !== 0, extended]).toEqual([true, 0xc]);
  expect(told.nonce).not.toEqual(GREETING.nonce);
});

test('what it says of itself is read, and no more of what it can is taken than was offered', async () => {
  const { outcome } = await greeted([hello({ basic: SAID | COMPRESS | CAN.sessionTrack })]);
  expect(outcome).toEqual({
    user: 'me',
    database: 'mine',
    capabilities: { basic: SAID, extended: 0xc },
    charset: 33,
    maxPacket: 1_000,
    attributes: Buffer.from('\x01a\x01b'),
    next: 2,
  });
});

test.each([
  ['caching_sha2_password', Buffer.alloc(32, 1), 'caching_sha2_password', 5, 3],
  ['caching_sha2_password', Buffer.alloc(0), 'caching_sha2_password', 4, 2],
  ['mysql_clear_password', Buffer.alloc(20, 1), 'mysql_native_password', 4, 2],
])('a client with %s is asked in its own way', async (method, proof, asked, next, packets) => {
  const { outcome, heard } = await greeted([hello({ method }), packet(3, proof)]);
  expect(outcome).toMatchObject({ next });
  expect(heard[1]?.toString('latin1')).toContain(`\xfe${asked}\0`);
  expect(heard).toHaveLength(packets);
});

const only = (size: number) => packet(1, hello().subarray(4, 4 + size));

test.each([
  ['a request for TLS', packet(1, Buffer.from([0, 0x0a, 0, 0]), Buffer.alloc(28)), /TLS is not spoken here/],
  ['an old protocol', packet(1, Buffer.alloc(40)), /too old/],
  ['a few bytes', packet(1, Buffer.from('hello')), /too old/],
  ['ten megabytes', Buffer.from([0x80, 0x96, 0x98, 1]), /says it has 10000000 bytes/],
  ['nothing', packet(1), /says it has 0 bytes/],
  ['another number', packet(0, hello().subarray(4)), /number 0 where 1 is next/],
  ['a name without end', only(34), /does not end/],
  ['a password longer than its packet', only(37), /shorter than/],
])('%s is refused', async (_what, bytes, words) => {
  expect(String((await greeted([bytes])).outcome)).toMatch(words);
});

test('one that says nothing is not waited for without end', async () => {
  expect(String((await greeted([], 50)).outcome)).toMatch(/no answer in time/);
});
