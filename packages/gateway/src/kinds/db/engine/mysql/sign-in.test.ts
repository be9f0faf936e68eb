/** What a hostile server, or somebody in between, gets out of a sign-in: nothing. And what a stand-in for MySQL 8 does get. */
import { createHash } from 'node:crypto';
import { duplexPair } from 'node:stream';
import { expect, test } from 'vitest';
import type { ServerTerms } from '../server-terms.ts';
import { CAN } from './capabilities.ts';
import { type Greeting, meetServer, readGreeting, writeGreeting } from './greeting.ts';
import { errorPacket, packet } from './packets.ts';
import { signIn } from './sign-in.ts';

const PASSWORD = 'hunter2';
const TERMS: ServerTerms = {
  user: 'app',
  database: 'shop',
  credential: { method: 'password', password: PASSWORD },
  secure: undefined,
  isVerified: false,
};
const BASIC = CAN.protocol41 | CAN.secureConnection | CAN.pluginAuth | CAN.deprecateEof;
const HELLO = {
  capabilities: { basic: BASIC, extended: 0 },
  charset: 45,
  maxPacket: 1_000,
  attributes: Buffer.alloc(0),
};
const NONCE = Buffer.from('a number of 20 bytes');
const OK = Buffer.from([0, 0, 0, 2, 0, 0, 0]);

/** As a server says it; ours leaves TLS out. */
function greets({ basic = BASIC, method = 'mysql_native_password', version = '8.0.36' } = {}): Buffer {
  const greeting: Greeting = {
    version,
    thread: 7,
    nonce: NONCE,
    capabilities: { basic, extended: 0 },
    charset: 45,
    status: 2,
    method,
  };
  const bytes = writeGreeting(greeting, method, NONCE);
  const low = 4 + 1 + version.length + 1 + 13;
  bytes.writeUInt16LE(bytes.readUInt16LE(low) | (basic & CAN.ssl), low);
  return bytes;
}

const asks = (method: string, data = Buffer.concat([NONCE, Buffer.of(0)])) =>
  Buffer.concat([Buffer.from(`\xfe${method}\0`, 'latin1'), data]);

/** Says one thing after the other, each when it has heard something, under the number that is next. */
async function against(greeting: Buffer, says: readonly Buffer[], terms: ServerTerms = TERMS, ms = 2_000) {
  const [gateway, server] = duplexPair();
  const heard: Buffer[] = [];
  const left = [...says];
  let sequence = 0;
  server.on('data', (piece: Buffer) => {
    heard.push(piece);
    sequence = (piece[3] ?? 0) + 1;
    // The one that asks for TLS is not answered.
    const next = terms.secure && piece.length === 36 ? undefined : left.shift();
    if (next) server.write(packet(sequence, next));
  });
  server.write(greeting);
  const signal = AbortSignal.timeout(ms);
  const outcome = await meetServer(gateway, signal)
    .then((met) => signIn(met, terms, HELLO, signal))
    .catch((error: unknown) => error);
  return { outcome, heard, all: Buffer.concat(heard).toString('latin1') };
}

test.each([
  [
    'the password itself, without TLS',
    [asks('mysql_clear_password')],
    /wants the password itself, without TLS that is checked/,
  ],
  [
    'the whole of it by caching_sha2, without TLS',
    [asks('caching_sha2_password'), Buffer.of(1, 4)],
    /wants the password itself/,
  ],
  ['a method that nobody has', [asks('dialog')], /signed in to by 'dialog', which is not known here/],
  ['a method of the last century', [Buffer.of(0xfe)], /'mysql_old_password'/],
  ['a method named like a property', [asks('constructor')], /'constructor', which is not known/],
  ['a short number used once', [asks('mysql_native_password', Buffer.from('abc'))], /too short/],
  ['no number for ed25519', [asks('client_ed25519')], /too short/],
  ['more of a method that has no more', [Buffer.of(1, 4)], /answers with 1/],
  ['rows', [Buffer.from('\x03def')], /answers with 3/],
  [
    'one method after the other without end',
    Array.from({ length: 9 }, () => asks('mysql_native_password')),
    /never comes to an end/,
  ],
  ['its own error', [errorPacket(0, 1045, 'no such user').subarray(4)], /no such user/],
] as const)('a server that answers with %s learns no password', async (_what, says, words) => {
  const { outcome, all } = await against(greets(), says);
  expect(String(outcome)).toMatch(words);
  expect(all).not.toContain(PASSWORD);
});

test.each([
  ['an error', errorPacket(0, 1040, 'Too many connections'), /Too many connections/],
  ['another protocol', packet(0, Buffer.of(9)), /protocol 9/],
  ['a page', Buffer.from('HTTP/1.1 400 Bad Request'), /says it has 5526600 bytes/],
  ['an old version', greets({ basic: CAN.pluginAuth }), /too old/],
  ['half a greeting', packet(0, Buffer.from('\x0a8.0\0abc')), /shorter than/],
])('a server that greets with %s hears nothing', async (_what, greeting, words) => {
  const { outcome, all } = await against(greeting, []);
  expect(String(outcome)).toMatch(words);
  expect(all).toBe('');
});

test('a packet that is left out is noticed', async () => {
  const [gateway, server] = duplexPair();
  server.once('data', () => server.write(packet(5, OK)));
  server.write(greets());
  const signal = AbortSignal.timeout(2_000);
  const met = await meetServer(gateway, signal);
  await expect(signIn(met, TERMS, HELLO, signal)).rejects.toThrow(/the number 5 where 2 is next/);
});

test('a server that says nothing is not waited for without end', async () => {
  expect(String((await against(Buffer.alloc(0), [], TERMS, 50)).outcome)).toMatch(/no answer in time/);
});

test.each([
  ['cannot', greets(), /does not speak TLS/],
  [
    'says more behind its greeting',
    Buffer.concat([greets({ basic: BASIC | CAN.ssl }), packet(2, OK)]),
    /more before TLS/,
  ],
])('a server that %s is told no name where TLS is wanted', async (_what, greeting, words) => {
  const secure = () => Promise.reject(new Error('went on'));
  const { outcome, all } = await against(greeting, [], { ...TERMS, secure });
  expect(String(outcome)).toMatch(words);
  expect(all).not.toContain('app');
});

const inTls: ServerTerms = { ...TERMS, secure: async (bare) => bare };

test.each([
  ['TLS that nobody has checked', { ...inTls, isVerified: false }, /wants the password itself/],
  [
    'no password here',
    { ...inTls, isVerified: true, credential: { method: 'certificate' } as const },
    /signed in to by certificate/,
  ],
])('the whole password is not said with %s', async (_what, terms, words) => {
  const { all, outcome } = await against(greets({ basic: BASIC | CAN.ssl }), [asks('mysql_clear_password')], terms);
  expect(String(outcome)).toMatch(words);
  expect(all).not.toContain(PASSWORD);
});

test('names with a zero in them reach no server', async () => {
  const { outcome, all } = await against(greets(), [], { ...TERMS, user: 'app\0other' });
  expect(String(outcome)).toMatch(/zero byte/);
  expect(all).toBe('');
});

const sha256 = (...parts: readonly (string | Buffer)[]) => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
};

/** What MySQL 8 itself would compare. */
function expectedProof(): Buffer {
  const once = sha256(PASSWORD);
  const mask = sha256(sha256(once), NONCE);
  return Buffer.from(once.map((byte, at) => byte ^ (mask[at] ?? 0)));
}

test('caching_sha2_password: a server that knows the password hears a proof alone', async () => {
  const { outcome, heard, all } = await against(
    greets({ method: 'caching_sha2_password' }),
    [Buffer.of(1, 3)],
    TERMS,
    300,
  );
  expect(heard[0]?.includes(expectedProof())).toBe(true);
  expect(all).not.toContain(PASSWORD);
  // It says that all is well in one more packet, which this one does not.
  expect(String(outcome)).toMatch(/no answer in time/);
});

test('caching_sha2_password: inside TLS that is checked, a server that asks hears the whole of it', async () => {
  const greeting = greets({ basic: BASIC | CAN.ssl, method: 'caching_sha2_password' });
  const { outcome, heard } = await against(greeting, [Buffer.of(1, 4), OK], { ...inTls, isVerified: true });
  expect(outcome).toMatchObject({ thread: 7, version: '8.0.36', backslashes: true });
  expect(heard[0]).toHaveLength(36);
  expect(heard.at(-1)).toEqual(packet(4, PASSWORD));
});

test('what is good for minutes is made once TLS stands, and signs in as whom it says', async () => {
  const order: string[] = [];
  const terms: ServerTerms = {
    ...{ ...TERMS, isVerified: true, credential: { method: 'password', password: '' } },
    async secure(bare) {
      order.push('secured');
      return bare;
    },
    async issue() {
      order.push('issued');
      return { user: 'robot', credential: { method: 'password', password: 'token' } };
    },
  };
  const greeting = greets({ basic: BASIC | CAN.ssl });
  const { all } = await against(greeting, [asks('mysql_clear_password'), OK], terms);

  expect(order).toEqual(['secured', 'issued']);
  expect(all).toContain('robot\0');
  expect(all).toContain('token\0');
  expect(all).not.toContain('app\0');
});

test('a greeting is read as it was written', () => {
  const read = readGreeting(greets({ basic: BASIC | CAN.ssl, method: 'caching_sha2_password' }).subarray(4));
  expect(read).toMatchObject({
    version: '8.0.36',
    thread: 7,
    nonce: NONCE,
    charset: 45,
    method: 'caching_sha2_password',
  });
  expect(read.capabilities.basic).toBe(BASIC | CAN.ssl);
});

test('the version of MariaDB is told without the one that it puts before it for old replicas', async () => {
  const { outcome } = await against(greets({ version: '5.5.5-10.11.19-MariaDB' }), [OK]);

  expect(outcome).toMatchObject({ version: '10.11.19-MariaDB' });
});
