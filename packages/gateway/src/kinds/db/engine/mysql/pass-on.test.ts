/** A session between a client and a server of which one lies. */
import { randomBytes } from 'node:crypto';
import { duplexPair } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { CAN } from './capabilities.ts';
import type { KnownThreads } from './kill-meant.ts';
import { errorPacket, packet } from './packets.ts';
import { passOn } from './pass-on.ts';

const OK = Buffer.from([0, 0, 0, 2, 0, 0, 0]);
const query = (words: string) => packet(0, Buffer.of(3), Buffer.from(words));

function world(known: KnownThreads = {}) {
  const [client, clientSide] = duplexPair();
  const [server, serverSide] = duplexPair();
  const heard = { client: [] as Buffer[], server: [] as Buffer[] };
  const malformed: string[] = [];
  const cancelled: string[] = [];
  client.on('data', (piece: Buffer) => heard.client.push(piece));
  server.on('data', (piece: Buffer) => heard.server.push(piece));
  client.on('error', () => {});
  server.on('error', () => {});
  const session = passOn({
    client: clientSide,
    first: Buffer.alloc(0),
    next: 2,
    signedIn: {
      server: serverSide,
      welcome: OK,
      thread: 7,
      version: '8',
      capabilities: { basic: CAN.protocol41 | CAN.deprecateEof | CAN.localFiles, extended: 0 },
      backslashes: true,
      rest: Buffer.alloc(0),
    },
    rules: { mayUse: (database) => database !== 'other', ...known },
    teller: { asked: () => {}, answered: () => {}, malformed: (side, why) => void malformed.push(`${side}: ${why}`) },
    cancel: async () => void cancelled.push('cancelled'),
  });
  return { client, server, heard, malformed, cancelled, session };
}

test('a client is told that it is in, and a refusal comes where its answer would', async () => {
  const { client, heard } = world();
  client.write(query('use other'));
  await expect
    .poll(() => Buffer.concat(heard.client))
    .toEqual(Buffer.concat([packet(2, OK), errorPacket(1, 1044, "Access denied to database 'other'")]));
  expect(heard.server).toEqual([]);
});

test('a server that asks for a file which nobody named is cut off, and the client hears why', async () => {
  const { client, server, heard, malformed, session } = world();
  client.write(query('select 1'));
  await expect.poll(() => heard.server.length).toBe(1);
  server.write(packet(1, Buffer.of(0xfb), Buffer.from('/etc/passwd')));
  await session.over;
  const words = "a request for the file '/etc/passwd', which the statement does not name";
  expect(malformed).toEqual([`server: ${words}`]);
  await expect.poll(() => heard.client.at(-1)).toEqual(errorPacket(1, 1835, `the database sent ${words}`));
  // Whatever the client would send now, the server hears nothing of it.
  client.write(packet(2, Buffer.from('root:x:0:0')));
  await new Promise((resolve) => setImmediate(resolve));
  expect(heard.server).toHaveLength(1);
});

test('a client that sends no packet is cut off, and the server hears nothing of it', async () => {
  const { client, heard, malformed, session } = world();
  client.write(Buffer.from([1, 0, 0, 9, 3]));
  await session.over;
  expect(malformed).toEqual(['client: a packet with the number 9 where a command begins']);
  expect(heard.server).toEqual([]);
});

test('an end in the middle of a row waits for its end, cancels, and says why under the next number', async () => {
  const { client, server, heard, cancelled, session } = world();
  client.write(query('select 1'));
  await expect.poll(() => heard.server.length).toBe(1);
  const row = packet(3, Buffer.from('\x05hello'));
  server.write(Buffer.concat([packet(1, Buffer.of(1)), packet(2, Buffer.from('\x03def')), row.subarray(0, 6)]));
  await expect.poll(() => Buffer.concat(heard.client).length).toBeGreaterThan(20);
  const ended = session.end('locked');
  await sleep(50);
  server.write(Buffer.concat([row.subarray(6), packet(4, Buffer.from('\x05world'))]));
  await ended;
  const last = errorPacket(4, 1053, 'locked');
  await expect
    .poll(() => Buffer.concat(heard.client).subarray(-last.length - row.length))
    .toEqual(Buffer.concat([row, last]));
  expect(cancelled).toEqual(['cancelled']);
});

test('random bytes of either side end a session, or wait for more, and nothing else', async () => {
  for (let round = 0; round < 200; round += 1) {
    const { client, server, session } = world();
    client.write(query('select 1'));
    (round % 2 === 0 ? client : server).write(randomBytes(200));
    await new Promise((resolve) => setImmediate(resolve));
    client.destroy();
    server.destroy();
    await session.over;
  }
});

test('a client that does not read its refusals is read no further', async () => {
  const [client, clientSide] = duplexPair();
  const [server, serverSide] = duplexPair();
  server.on('error', () => {});
  client.on('error', () => {});
  let refused = 0;
  const answered = () => {
    refused += 1;
  };
  const session = passOn({
    ...{ client: clientSide, first: Buffer.alloc(0), next: 2, cancel: async () => {} },
    signedIn: {
      ...{ server: serverSide, welcome: OK, thread: 7, version: '8', backslashes: true, rest: Buffer.alloc(0) },
      capabilities: { basic: CAN.protocol41 | CAN.deprecateEof, extended: 0 },
    },
    rules: { mayUse: () => false },
    teller: { asked: () => {}, answered, malformed: () => {} },
  });
  const many = Buffer.concat(Array.from({ length: 1_000 }, () => query('use other')));
  for (let round = 0; round < 50; round += 1) client.write(many);
  await expect.poll(() => refused).toBeGreaterThan(0);
  for (let turn = 0; turn < 1_000; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  expect(refused).toBeLessThan(20_000);
  // Once it reads, it goes on.
  client.resume();
  await expect.poll(() => refused).toBe(50_000);
  await session.end('done');
});

test.each([
  [77, 'KILL QUERY 77'],
  [undefined, 'KILL QUERY 1500000001'],
])('a KILL waits until other gateways have answered %s, and what follows it waits behind', async (thread, asked) => {
  const { promise, resolve } = Promise.withResolvers<number | undefined>();
  const questions: number[] = [];
  const { client, server, heard } = world({
    threadOf: () => undefined,
    askOthers: (named) => {
      questions.push(named);
      return promise;
    },
  });
  client.write(query('KILL QUERY 1500000001'));
  await expect.poll(() => questions).toEqual([1_500_000_001]);
  client.write(query('select 1'));
  client.write(query('select 2'));
  await sleep(50);
  expect(heard.server).toEqual([]);
  resolve(thread);
  await expect
    .poll(() => Buffer.concat(heard.server).toString('latin1'))
    .toBe(Buffer.concat([query(asked), query('select 1'), query('select 2')]).toString('latin1'));
  expect(questions).toEqual([1_500_000_001]);
  server.end();
});

test('a session that ends while others are asked ends at once', async () => {
  const { client, heard, session } = world({ threadOf: () => undefined, askOthers: () => new Promise(() => {}) });
  client.write(query('KILL QUERY 1500000001'));
  await sleep(20);
  await session.end('a lock was set');
  expect(heard.server).toEqual([]);
  await expect.poll(() => Buffer.concat(heard.client).toString()).toContain('a lock was set');
});
