import { duplexPair } from 'node:stream';
import { expect, test } from 'vitest';
import { ByteSource } from '../byte-source.ts';
import { greetClient } from './greet-client.ts';
import { CANCEL_REQUEST, GSS_REQUEST, message, numbers, SSL_REQUEST } from './messages.ts';

const VERSION = 196_608;
const startup = (...texts: readonly string[]) => message('', numbers(VERSION), ...texts, Buffer.of(0));

async function greeted(pieces: readonly Buffer[], ms = 2_000) {
  const [gateway, client] = duplexPair();
  const heard: Buffer[] = [];
  const left = [...pieces];
  client.on('data', (piece: Buffer) => {
    heard.push(piece);
    const next = left.shift();
    if (next) client.write(next);
  });
  client.write(left.shift() ?? Buffer.alloc(0));
  const outcome = await greetClient(gateway, new ByteSource(gateway), AbortSignal.timeout(ms)).catch(
    (error: unknown) => error,
  );
  return { outcome, heard: Buffer.concat(heard).toString() };
}

test('a client that asks for GSS and TLS hears no, and then says what it wants', async () => {
  const pieces = [
    message('', numbers(GSS_REQUEST)),
    message('', numbers(SSL_REQUEST)),
    startup('user', 'me', 'database', 'd', 'options', '-c x=1'),
  ];
  const { outcome, heard } = await greeted(pieces);

  expect(heard).toBe('NN');
  expect(outcome).toEqual({
    wants: 'session',
    version: VERSION,
    user: 'me',
    database: 'd',
    parameters: new Map([['options', '-c x=1']]),
  });
});

test('one that only cancels says with which key', async () => {
  const { outcome } = await greeted([message('', numbers(CANCEL_REQUEST), Buffer.from('12345678'))]);

  expect(outcome).toEqual({ wants: 'cancel', key: Buffer.from('12345678') });
});

test.each([
  ['replication', startup('user', 'me', 'replication', 'database'), /replication does not pass/],
  ['another version', message('', numbers(131_072)), /protocol 2 is not spoken/],
  [
    'bytes behind the request for TLS',
    Buffer.concat([message('', numbers(SSL_REQUEST)), startup('user', 'me')]),
    /more before TLS/,
  ],
  ['a first message of 10 MB', Buffer.from([0, 0x98, 0x96, 0x80]), /says it has 10000000 bytes/],
  ['a first message of no size', numbers(4), /says it has 4 bytes/],
  ['parameters without end', message('', numbers(VERSION), Buffer.from('user\0me')), /do not end/],
  ['a name twice', startup('user', 'a', 'user', 'b'), /says 'user' twice/],
])('%s is refused', async (_what, bytes, words) => {
  expect(String((await greeted([bytes])).outcome)).toMatch(words);
});

test('one that asks for TLS without end is refused', async () => {
  const pieces = Array.from({ length: 9 }, () => message('', numbers(SSL_REQUEST)));

  expect(String((await greeted(pieces)).outcome)).toMatch(/again and again/);
});

test('one that says nothing is not waited for without end', async () => {
  expect(String((await greeted([], 50)).outcome)).toMatch(/no answer in time/);
});
