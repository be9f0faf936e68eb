/// <reference path="../../platform/crypto/ssh/ssh2/ssh2-internals.d.ts" />
/** Programs at the SSH door that mean it ill: what they have not proved they do not get, and what they send is bounded in number, in bytes and in time. */
import { generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, connect as dial, type Socket } from 'node:net';
import { sshCertificateRoutes } from '@gatehouse/contract/identity/ssh-certificates';
import { sessionRoutes } from '@gatehouse/contract/sessions/sessions';
import { call } from '@gatehouse/contract/wire/client';
import { SOON_MS } from '@gatehouse/testkit/soon';
import ssh2, { type Client, type ClientChannel } from 'ssh2';
import utils from 'ssh2/lib/protocol/utils.js';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { type ServerWorld, startServerWorld } from '../../../testing/connection-tests/server-world.ts';
import { doorClient, openSshDoor } from '../../../testing/sessions/ssh-doors.ts';
import { certificateKey, signPlainly } from '../../kinds/node/engine/ssh2-patches/certificates.ts';
import { mintCertificate } from '../../platform/crypto/ssh/certificate.ts';
import { ed25519Blob, publicKeyLine } from '../../platform/crypto/ssh/public-key.ts';
import { sshString } from '../../platform/crypto/ssh/ssh-wire.ts';

let world: ServerWorld;
let port: number;
let login: string;
let slow: { socket: Socket; since: number; closed: Promise<number> };
beforeAll(async () => {
  world = await startServerWorld();
  await world.trustGateway();
  await world.add({ name: 'web-1' });
  port = await openSshDoor(world.gateway);
  login = world.logins[0];
  slow = slowIdent();
});
afterAll(async () => {
  slow?.socket.destroy();
  await world?.close();
});

/** A byte of its name each second: it is looked at by the last test. */
function slowIdent() {
  const socket = dial(port, '127.0.0.1');
  const since = Date.now();
  socket.on('error', () => {});
  const timer = setInterval(() => socket.writable && socket.write('x'), 1_000);
  const closed = new Promise<number>((resolve) =>
    socket.once('close', () => {
      clearInterval(timer);
      resolve(Date.now() - since);
    }),
  );
  socket.resume();
  return { socket, since, closed };
}

interface Raw {
  _protocol: {
    authPK(user: string, key: object): void;
    authNone(user: string): void;
    channelData(id: number, bytes: Buffer): void;
    _packetRW: { write: { allocStart: number; alloc(bytes: number): Buffer; finalize(packet: Buffer): Buffer } };
    _handlers: Record<string, (...args: unknown[]) => void>;
  };
}
const rawOf = (client: Client) => (client as unknown as Raw)._protocol;
const makeKey = () => generateKeyPairSync('ed25519').privateKey;
const byName = () => `${login}@web-1`;

interface Opened {
  client: Client;
  key: object;
}

async function issued(key: KeyObject, ttl?: number): Promise<{ blob: Buffer; serial: string }> {
  const { cert, serial } = await call(world.ann.send, sshCertificateRoutes.issue, {
    body: { pub_key: publicKeyLine(ed25519Blob(key)), ...(ttl === undefined ? {} : { ttl }) },
  });
  return { blob: Buffer.from(cert.split(' ')[1] ?? '', 'base64'), serial };
}

/** Comes with that certificate; resolves when it is let in, rejects with how it was refused. */
async function come(key: KeyObject, blob: Buffer, username = byName()): Promise<Opened> {
  const client = new ssh2.Client();
  onTestFinished(() => void client.end());
  const shown = certificateKey(key, blob, () => true);
  const ready = once(client, 'ready');
  client.on('error', () => {});
  client.connect({
    ...{ host: '127.0.0.1', port, username, hostVerifier: () => true },
    algorithms: { serverHostKey: ['ssh-ed25519'] },
    authHandler: [{ type: 'publickey', username, key: shown }] as never,
  });
  signPlainly(client, [shown]);
  await ready;
  return { client, key: shown };
}

async function comeAsAnn(username?: string): Promise<Client> {
  const key = makeKey();
  return (await come(key, (await issued(key)).blob, username)).client;
}

/** One that has shaken hands and says itself what it wants. */
async function unproved(username: string): Promise<{ client: Client; told: () => string[] }> {
  const client = new ssh2.Client();
  onTestFinished(() => void client.end());
  client.on('error', () => {});
  const told: string[] = [];
  let begun: (() => void) | undefined;
  const asked = new Promise<void>((resolve) => {
    begun = resolve;
  });
  client.connect({
    ...{ host: '127.0.0.1', port, username, hostVerifier: () => true },
    algorithms: { serverHostKey: ['ssh-ed25519'] },
    authHandler: (() => begun?.()) as never,
  });
  client.once('close', () => told.push('closed'));
  await asked;
  const { _handlers: handlers } = rawOf(client);
  handlers.USERAUTH_PK_OK = () => told.push('would do');
  handlers.USERAUTH_FAILURE = () => told.push('refused');
  handlers.USERAUTH_SUCCESS = () => told.push('let in');
  return { client, told: () => told };
}

function session(client: Client, command: string): Promise<ClientChannel> {
  return new Promise((resolve, reject) =>
    client.exec(command, (error, channel) => (error ? reject(error) : resolve(channel))),
  );
}

function forward(client: Client, to: number): Promise<ClientChannel> {
  return new Promise((resolve, reject) =>
    client.forwardOut('127.0.0.1', 0, '127.0.0.1', to, (error, channel) => (error ? reject(error) : resolve(channel))),
  );
}

/** Whatever its name; ssh2 sends only those that it knows. */
function sendSignal(client: Client, channel: number, name: string): void {
  const protocol = rawOf(client);
  const { write } = protocol._packetRW;
  const number = Buffer.alloc(4);
  number.writeUInt32BE(channel);
  const body = Buffer.concat([Buffer.from([98]), number, sshString('signal'), Buffer.from([0]), sshString(name)]);
  const packet = write.alloc(body.length);
  body.copy(packet, write.allocStart);
  utils.sendPacket(protocol, write.finalize(packet));
}

/** Something that is connected to, and reads nothing. */
async function sink(): Promise<{ port: number; sockets: Socket[] }> {
  const sockets: Socket[] = [];
  const server = createServer({ pauseOnConnect: true }, (socket) => {
    socket.on('error', () => {});
    sockets.push(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { port: (server.address() as { port: number }).port, sockets };
}

const live = async () =>
  (await call(world.ann.send, sessionRoutes.list, { params: { clusterId: 'localhost' } })).sessions.length;

test('a key that is only asked about lets nobody in', async () => {
  const key = makeKey();
  const { blob } = await issued(key);
  const { client, told } = await unproved(byName());
  rawOf(client).authPK(
    byName(),
    certificateKey(key, blob, () => false),
  );
  await vi.waitFor(() => expect(told()).toEqual(['would do']), { timeout: SOON_MS });
  const opened = session(client, 'echo in');

  await expect(opened).rejects.toThrow();
});

test('another name midway is the end of it', async () => {
  const { client, told } = await unproved(byName());
  rawOf(client).authNone(byName());
  await vi.waitFor(() => expect(told()).toEqual(['refused']), { timeout: SOON_MS });
  rawOf(client).authNone('root@web-1');

  await vi.waitFor(() => expect(told()).toEqual(['refused', 'closed']), { timeout: SOON_MS });
});

test('certificates of others, of another certificate and of another key let nobody in, and the log is not filled by them', async () => {
  const [key, other] = [makeKey(), makeKey()];
  const { blob } = await issued(key);
  const made = (authority: KeyObject) =>
    mintCertificate(authority, {
      ...{ kind: 'user', subject: ed25519Blob(other), keyId: 'user=ann sign-in=x', principals: ['gatehouse-person'] },
      ...{ validAfter: Date.now() - 60_000, validBefore: Date.now() + 60_000 },
    });
  const before = (await world.gateway.events()).filter(({ code }) => code === 'T3007W').length;

  await expect(come(other, made(makeKey()))).rejects.toThrow(/authentication methods failed/);
  // Signed by what the gateway certified.
  await expect(come(other, made(key))).rejects.toThrow(/authentication methods failed/);
  // A certificate of ann's, shown by who does not have its key.
  await expect(come(other, blob)).rejects.toThrow(/authentication methods failed/);
  for (let turn = 0; turn < 30; turn++) await come(other, made(key)).catch(() => {});

  const told = (await world.gateway.events()).filter(({ code }) => code === 'T3007W').length - before;
  expect(told).toBeGreaterThanOrEqual(3);
  expect(told).toBeLessThanOrEqual(20);
});

test('names that steer a terminal name no server', async () => {
  const client = await comeAsAnn(`${login}\u001b[2J@web-1`);
  await expect(session(client, 'true')).rejects.toThrow(/name a server/);
});

test('at most ten of one address have proved nothing, and whoever leaves makes room', async () => {
  const sockets = Array.from({ length: 30 }, () => dial(port, '127.0.0.1'));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  let refused = 0;
  for (const socket of sockets) {
    socket.on('error', () => {});
    socket.resume();
    socket.once('close', () => {
      refused += 1;
    });
  }
  // The slow one is the tenth.
  await vi.waitFor(() => expect(refused).toBe(21), { timeout: SOON_MS });
  for (const socket of sockets) socket.destroy();

  await vi.waitFor(async () => expect(await comeAsAnn()).toBeDefined(), { timeout: SOON_MS });
});

test('64 channels are open at once, those that are still on their way counted', async () => {
  const client = await comeAsAnn();
  const { port: to } = await sink();
  const answers = await Promise.allSettled(Array.from({ length: 100 }, () => forward(client, to)));
  const refused = answers.filter((answer) => answer.status === 'rejected');

  expect(refused).toHaveLength(36);
  expect(String(refused[0]?.reason)).toContain('at most 64 channels at once');
  for (const answer of answers) if (answer.status === 'fulfilled') answer.value.close();
  await vi.waitFor(async () => (await forward(client, to)).close(), { timeout: SOON_MS });
});

test('a session that is closed before anything runs in it is forgotten', async () => {
  const client = await comeAsAnn();
  const raw = rawOf(client) as unknown as {
    openssh?: never;
    session(id: number, window: number, packet: number): void;
    channelClose(id: number): void;
    _handlers: Record<string, (...args: unknown[]) => void>;
  };
  const closed: unknown[] = [];
  raw._handlers.CHANNEL_OPEN_CONFIRMATION = (_, info) => raw.channelClose((info as { sender: number }).sender);
  raw._handlers.CHANNEL_CLOSE = (_, id) => closed.push(id);
  for (let id = 1_000; id < 1_200; id++) raw.session(id, 100_000, 32_000);

  await vi.waitFor(() => expect(closed.length).toBeGreaterThanOrEqual(64), { timeout: SOON_MS });
});

test('who sends beyond the window of a forward that nobody reads is cut, and fills nothing', async () => {
  const client = await comeAsAnn();
  const { port: to } = await sink();
  const channel = await forward(client, to);
  let isClosed = false;
  channel.once('close', () => {
    isClosed = true;
  });
  channel.resume();
  const { id } = (channel as unknown as { outgoing: { id: number } }).outgoing;
  const bytes = Buffer.alloc(32_000);
  for (let turn = 0; turn < 1_500 && !isClosed; turn++) {
    rawOf(client).channelData(id, bytes);
    if (turn % 50 === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  }

  await vi.waitFor(() => expect(isClosed).toBe(true), { timeout: SOON_MS });
});

test('who leaves while nobody reads what they typed has left, with what they ran', async () => {
  const ann = await doorClient(port, world.ann);
  const child = ann.start('ssh', ['-F', ann.config, `${byName()}@gate`, 'echo begun; exec sleep 300']);
  child.stdin?.on('error', () => {});
  // In pieces: how much of one is written, nobody tells.
  for (let piece = 0; piece < 1_000; piece += 1) child.stdin?.write(Buffer.alloc(16_000));
  await once(child.stdout!, 'data');
  await vi.waitFor(async () => expect(await live()).toBeGreaterThan(0), { timeout: SOON_MS });
  // The pipes on the way fill.
  await vi.waitFor(() => expect(child.stdin?.writableLength).toBeLessThan(16_000_000), { timeout: SOON_MS });
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  child.kill('SIGKILL');

  await vi.waitFor(async () => expect(await live()).toBe(0), { timeout: SOON_MS, interval: 200 });
});

test('a connection is over with the certificate it stands on, and opens nothing more', async () => {
  const key = makeKey();
  const { client } = await come(key, (await issued(key, 8)).blob);
  const channel = await session(client, 'echo begun; sleep 60');
  let words = '';
  channel.stderr.on('data', (bytes: Buffer) => {
    words += bytes;
  });
  channel.resume();
  await once(client, 'close');

  expect(words).toContain('gatehouse: your certificate ended');
});

test('one that was approved for one session begins it in time or not at all', async () => {
  const { certificates } = world.gateway.ssh;
  const [mine] = await call(world.ann.send, sshCertificateRoutes.list, {});
  const key = makeKey();
  const { line } = await certificates.issue(
    { username: 'ann', signInId: mine?.signIn ?? '' },
    {
      key: { type: 'ssh-ed25519', blob: ed25519Blob(key) } as never,
      ...{ expires: Date.now() + 30_000, address: '127.0.0.1' },
      limits: {
        ...{ request: '00000000-0000-4000-8000-000000000000', address: '127.0.0.1' },
        ...{ server: 'web-1', login, command: '' },
      },
    },
  );
  const { client } = await come(key, Buffer.from(line.split(' ')[1] ?? '', 'base64'));
  world.gateway.clock.now = Date.now() + 40_000;
  onTestFinished(() => {
    world.gateway.clock.now = Date.now();
  });
  const channel = await session(client, 'echo late');
  let words = '';
  channel.stderr.on('data', (bytes: Buffer) => {
    words += bytes;
  });
  channel.resume();
  await once(channel, 'close');

  expect(words).toContain('approved for one session');
});

test('signals that nobody can pass on harm neither the command nor its connection', async () => {
  const client = await comeAsAnn();
  const channel = await session(client, 'trap "echo caught; exit 0" USR1; echo begun; while :; do sleep 0.1; done');
  const { id } = (channel as unknown as { outgoing: { id: number } }).outgoing;
  let heard = '';
  channel.on('data', (bytes: Buffer) => {
    heard += bytes;
  });
  await vi.waitFor(() => expect(heard).toBe('begun\n'), { timeout: SOON_MS });
  for (const name of ['WINCH', 'STOP', 'constructor', 'x'.repeat(1_000), 'USR1']) sendSignal(client, id, name);

  await vi.waitFor(() => expect(heard).toBe('begun\ncaught\n'), { timeout: SOON_MS });
});

test('nonsense in the place of packets harms nobody else', async () => {
  const others = await comeAsAnn();
  for (let turn = 0; turn < 40; turn++) {
    const socket = dial(port, '127.0.0.1');
    socket.on('error', () => {});
    socket.resume();
    const closed = once(socket, 'close');
    const bytes = randomBytes(1 + ((turn * 97) % 4_000));
    // A length that is believed, too large or too small, and no end of a name.
    if (turn % 3 === 0) bytes.writeUInt8(turn % 2, 0);
    socket.write(turn % 4 === 0 ? bytes : Buffer.concat([Buffer.from('SSH-2.0-fuzz\r\n'), bytes]));
    setTimeout(() => socket.destroy(), 200);
    await closed;
  }
  const channel = await session(others, 'echo well');

  expect(String((await once(channel, 'data'))[0])).toBe('well\n');
});

test('a name that comes letter by letter is waited for half a minute', async () => {
  const ms = await slow.closed;

  expect(ms).toBeGreaterThan(20_000);
  expect(ms).toBeLessThan(40_000);
});
