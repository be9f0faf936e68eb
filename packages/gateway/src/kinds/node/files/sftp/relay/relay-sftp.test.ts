import { type Duplex, duplexPair } from 'node:stream';
import { ANSWER, OPEN_FLAG, REQUEST, STATUS } from '@gatehouse/contract/kinds/node/files/sftp';
import { encodePacket, type Field } from '@gatehouse/tunnel/sftp/encode-packet';
import { PacketReader } from '@gatehouse/tunnel/sftp/packet-reader';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { SftpObservation } from './observation.ts';
import { relaySftp, type SftpRelayOptions } from './relay-sftp.ts';

const NO_ATTRIBUTES = { raw: Buffer.alloc(4) };
const REPLY = { ok: STATUS.ok, words: 'Success', language: '' };

/** A client and a server in the test's own hands, with the relay between them. */
function world(options: Partial<SftpRelayOptions> = {}) {
  const [client, near] = duplexPair();
  const [server, far] = duplexPair();
  const observed: SftpObservation[] = [];
  const relay = relaySftp({
    client: near,
    server: far,
    onObserved: async (observation) => void observed.push(observation),
    ...options,
  });
  for (const stream of [client, server, near, far]) stream.on('error', () => {});
  far.once('close', () => server.destroy());
  return { client: side(client), server: side(server), observed, relay, near };
}

function side(stream: Duplex) {
  const packets = new PacketReader((length) => new Error(`no packet has ${length} bytes`));
  const got: Buffer[] = [];
  let wake = () => {};
  stream.on('data', (piece: Buffer) => {
    for (const packet of packets.push(piece)) got.push(Buffer.from(packet));
    wake();
  });
  stream.on('close', () => wake());
  return {
    stream,
    send: (type: number, ...fields: Field[]) => stream.write(encodePacket(type, fields)),
    async next(): Promise<Buffer> {
      while (got.length === 0) {
        if (stream.destroyed) throw new Error('nothing more comes');
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      return got.shift() as Buffer;
    },
  };
}

async function greeted(options: Partial<SftpRelayOptions> = {}) {
  const made = world(options);
  made.client.send(REQUEST.init, 6);
  expect([...(await made.server.next())]).toEqual([REQUEST.init, 0, 0, 0, 3]);
  made.server.send(ANSWER.version, 3, 'posix-rename@openssh.com', '1', 'evil@example.com', '1');
  expect(await made.client.next()).toEqual(
    encodePacket(ANSWER.version, [3, 'posix-rename@openssh.com', '1']).subarray(4),
  );
  return made;
}

type World = Awaited<ReturnType<typeof greeted>>;

/** Asks, lets the server answer, and gives what the client got. */
async function exchange({ client, server }: World, ask: [number, ...Field[]], answer: [number, ...Field[]]) {
  client.send(...ask);
  const asked = await server.next();
  expect(asked).toEqual(encodePacket(ask[0], ask.slice(1) as Field[]).subarray(4));
  server.send(...answer);
  const got = await client.next();
  expect(got).toEqual(encodePacket(answer[0], answer.slice(1) as Field[]).subarray(4));
}

const ok = (id: number): [number, ...Field[]] => [ANSWER.status, id, REPLY.ok, REPLY.words, REPLY.language];

test('a file that is written and closed is told with its path and its bytes', async () => {
  const made = await greeted();
  await exchange(made, [REQUEST.realpath, 1, '.'], [ANSWER.name, 1, 1, '/home/ann', 'long', NO_ATTRIBUTES]);
  await exchange(
    made,
    [REQUEST.open, 2, 'notes', OPEN_FLAG.write | OPEN_FLAG.create, NO_ATTRIBUTES],
    [ANSWER.handle, 2, Buffer.from([0, 0, 0, 7])],
  );
  await exchange(made, [REQUEST.write, 3, Buffer.from([0, 0, 0, 7]), 0n, 'twelve bytes'], ok(3));
  await exchange(made, [REQUEST.read, 4, Buffer.from([0, 0, 0, 7]), 0n, 100], [ANSWER.data, 4, 'abc']);
  await exchange(made, [REQUEST.close, 5, Buffer.from([0, 0, 0, 7])], ok(5));
  made.client.stream.end();
  made.server.stream.end();

  expect(await made.relay.ended).toBeUndefined();
  expect(made.observed).toEqual([
    { operation: 'open', path: 'notes', flags: 10, home: '/home/ann' },
    { operation: 'close', path: 'notes', transferred: { read: 3, written: 12 }, home: '/home/ann' },
  ]);
});

test.each<[string, [number, ...Field[]], Partial<SftpObservation>]>([
  ['remove', [REQUEST.remove, 1, '/a'], { operation: 'remove', path: '/a' }],
  ['mkdir', [REQUEST.mkdir, 1, '/a', NO_ATTRIBUTES], { operation: 'mkdir', path: '/a' }],
  ['rmdir', [REQUEST.rmdir, 1, '/a'], { operation: 'rmdir', path: '/a' }],
  ['rename', [REQUEST.rename, 1, '/a', '/b'], { operation: 'rename', path: '/a', to: '/b' }],
  [
    'posix-rename',
    [REQUEST.extended, 1, 'posix-rename@openssh.com', '/a', '/b'],
    { operation: 'rename', path: '/a', to: '/b' },
  ],
  [
    'symlink, its target first',
    [REQUEST.symlink, 1, '/there', '/link'],
    { operation: 'symlink', path: '/link', to: '/there' },
  ],
  [
    'hardlink',
    [REQUEST.extended, 1, 'hardlink@openssh.com', '/there', '/link'],
    { operation: 'hardlink', path: '/link', to: '/there' },
  ],
  [
    'setstat',
    [REQUEST.setstat, 1, '/a', 4, 0o644],
    { operation: 'setstat', path: '/a', attributes: { permissions: 0o644 } },
  ],
  [
    'lsetstat',
    [REQUEST.extended, 1, 'lsetstat@openssh.com', '/a', 2, 1000, 1001],
    { operation: 'setstat', path: '/a', attributes: { uid: 1000, gid: 1001 } },
  ],
])('%s is told, done or refused', async (_, ask, told) => {
  const made = await greeted();
  await exchange(made, ask, ok(1));
  await exchange(made, ask, [ANSWER.status, 1, STATUS.permissionDenied, 'no\u001b[31m way', '']);

  expect(made.observed).toEqual([
    { ...told, home: '' },
    { ...told, home: '', error: expect.stringMatching(/^no.*way$/) },
  ]);
  expect(made.observed[1]?.error).not.toContain('\u001b');
  made.relay.end('the test is over');
});

test('nobody hears that something is done before it is kept, and what cannot be kept ends it', async () => {
  const kept = Promise.withResolvers<void>();
  const made = await greeted({ onObserved: () => kept.promise });
  made.client.send(REQUEST.remove, 1, '/a');
  await made.server.next();
  made.server.send(...ok(1));
  // Others are answered meanwhile.
  await exchange(made, [REQUEST.stat, 2, '/b'], [ANSWER.attributes, 2, NO_ATTRIBUTES]);
  kept.resolve();
  expect((await made.client.next()).readUInt32BE(1)).toBe(1);

  const failing = await greeted({ onObserved: () => Promise.reject(new Error('no room')) });
  failing.client.send(REQUEST.remove, 1, '/a');
  await failing.server.next();
  failing.server.send(...ok(1));
  expect(await failing.relay.ended).toMatch('audit log');
});

test.each<[string, [number, ...Field[]], number]>([
  ['an extension nobody knows', [REQUEST.extended, 9, 'run@example.com', 'rm -rf /'], STATUS.unsupported],
  ['an extension with the name of a method', [REQUEST.extended, 9, 'constructor', '/'], STATUS.unsupported],
  ['what only gateways ask agents for', [REQUEST.extended, 9, 'remove-tree@gatehouse', '/'], STATUS.unsupported],
  ['a request of a later version', [22, 9, '/a'], STATUS.unsupported],
  ['a handle nobody gave', [REQUEST.read, 9, 'none', 0n, 10], STATUS.failure],
])('%s is answered here and never reaches the server', async (_, ask, status) => {
  const made = await greeted();
  made.client.send(...ask);
  const answer = await made.client.next();

  expect([answer[0], answer.readUInt32BE(1), answer.readUInt32BE(5)]).toEqual([ANSWER.status, 9, status]);
  await exchange(made, [REQUEST.stat, 10, '/b'], [ANSWER.attributes, 10, NO_ATTRIBUTES]);
  made.relay.end('the test is over');
});

test('copies on the server count on both sides', async () => {
  const made = await greeted();
  await exchange(made, [REQUEST.open, 1, '/from', 1, NO_ATTRIBUTES], [ANSWER.handle, 1, 'a']);
  await exchange(made, [REQUEST.open, 2, '/to', 2, NO_ATTRIBUTES], [ANSWER.handle, 2, 'b']);
  await exchange(made, [REQUEST.extended, 3, 'copy-data', 'a', 0n, 500n, 'b', 0n], ok(3));
  await exchange(made, [REQUEST.close, 4, 'a'], ok(4));
  made.relay.end('cut');

  expect(await made.relay.ended).toBe('cut');
  expect(made.observed.slice(2)).toEqual([
    { operation: 'close', path: '/from', transferred: { read: 500, written: 0 }, home: '' },
    { operation: 'close', path: '/to', transferred: { read: 0, written: 500 }, home: '', error: expect.any(String) },
  ]);
});

test.each<[string, (made: World) => void, RegExp]>([
  ['cut short', ({ client }) => client.send(REQUEST.open, 1, '/a'), /cut short/],
  ['longer than it is', ({ client }) => client.send(REQUEST.remove, 1, '/a', 'more'), /behind its end/],
  ['endless', ({ client }) => client.stream.write(Buffer.from([0x7f, 0, 0, 0])), /no SFTP/],
  ['empty', ({ client }) => client.stream.write(Buffer.alloc(4)), /no SFTP/],
  ['a second greeting', ({ client }) => client.send(REQUEST.init, 3), /no request/],
  ['with attributes of later versions', ({ client }) => client.send(REQUEST.setstat, 1, '/a', 0x10), /attributes/],
  [
    'under a number that waits',
    ({ client }) => [client.send(REQUEST.stat, 1, '/a'), client.send(REQUEST.stat, 1, '/a')],
    /twice/,
  ],
])('a request that is %s ends it with a clear reason', async (_, send, reason) => {
  const made = await greeted();
  send(made);

  expect(await made.relay.ended).toMatch(reason);
  expect(made.near.destroyed).toBe(false);
});

test.each<[string, [number, ...Field[]], RegExp]>([
  ['what nobody asked', [ANSWER.status, 77, 0, '', ''], /nobody asked/],
  ['another kind of answer', [ANSWER.handle, 1, 'h'], /something else/],
  ['more than was asked for', [ANSWER.data, 2, 'x'.repeat(11)], /more of a file/],
  ['a second version', [ANSWER.version, 3], /no answer|nobody asked/],
])('a server that answers %s ends it with a clear reason', async (_, answer, reason) => {
  const made = await greeted();
  await exchange(made, [REQUEST.open, 9, '/a', 1, NO_ATTRIBUTES], [ANSWER.handle, 9, 'h']);
  made.client.send(REQUEST.stat, 1, '/a');
  made.client.send(REQUEST.read, 2, 'h', 0n, 10);
  await made.server.next();
  await made.server.next();
  made.server.send(...answer);

  expect(await made.relay.ended).toMatch(reason);
});

test('more than so many handles are not opened, and more than so many requests wait', async () => {
  const made = await greeted({ limits: { handles: 1, asked: 2 } });
  await exchange(made, [REQUEST.open, 1, '/a', 1, NO_ATTRIBUTES], [ANSWER.handle, 1, 'h']);
  made.client.send(REQUEST.open, 2, '/b', 1, NO_ATTRIBUTES);
  expect((await made.client.next()).subarray(9).toString()).toContain('too many');

  await exchange(made, [REQUEST.close, 2, 'h'], ok(2));
  // Also when they are asked for at once.
  for (const id of [6, 7]) made.client.send(REQUEST.open, id, '/c', 1, NO_ATTRIBUTES);
  expect((await made.client.next()).subarray(9).toString()).toContain('too many');
  expect((await made.server.next()).readUInt32BE(1)).toBe(6);
  made.server.send(ANSWER.handle, 6, 'i');
  await made.client.next();

  for (const id of [3, 4, 5]) made.client.send(REQUEST.stat, id, '/a');
  await made.server.next();
  await made.server.next();
  await new Promise((resolve) => setTimeout(resolve, 30));
  made.server.send(ANSWER.attributes, 3, NO_ATTRIBUTES);

  expect((await made.server.next()).readUInt32BE(1)).toBe(5);
  made.relay.end('the test is over');
});

const field: fc.Arbitrary<Field> = fc.oneof(
  fc.constantFrom<Field>('/a', 'h', '', 0, 1, 4, 10, 0n, 500n, NO_ATTRIBUTES),
  fc.nat(0xffff_ffff),
  fc.uint8Array({ maxLength: 30 }),
  fc.uint8Array({ maxLength: 12 }).map((raw) => ({ raw })),
);
const id = fc.nat(6);
const request = fc.tuple(fc.constantFrom(...Object.values(REQUEST), 0, 21, 255), id, fc.array(field, { maxLength: 5 }));
const answer = fc.tuple(fc.constantFrom(...Object.values(ANSWER), 0, 99), id, fc.array(field, { maxLength: 4 }));

test('whatever either side sends, it ends in words or goes on, and never throws', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof(request, fc.uint8Array({ maxLength: 20 })), { maxLength: 30 }),
      fc.array(fc.oneof(answer, fc.uint8Array({ maxLength: 20 })), { maxLength: 30 }),
      async (requests, answers) => {
        const made = await greeted();
        const throwAt = (stream: Duplex, things: readonly (Uint8Array | [number, number, Field[]])[]) => {
          for (const thing of things) {
            if (stream.destroyed) return;
            if (thing instanceof Uint8Array) stream.write(thing);
            else stream.write(encodePacket(thing[0], [thing[1], ...thing[2]]));
          }
        };
        throwAt(made.client.stream, requests);
        throwAt(made.server.stream, answers);
        made.client.stream.end();
        made.server.stream.end();

        expect(await made.relay.ended).not.toBe('something of SFTP could not be handled');
      },
    ),
    { numRuns: 400 },
  );
});
