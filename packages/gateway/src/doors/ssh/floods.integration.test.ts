/** Programs at the SSH door that are too many, say too much or read nothing: what they cost stays small, and others are served. */
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { connect as dial, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { sshCertificateRoutes } from '@gatehouse/contract/identity/ssh-certificates';
import { call } from '@gatehouse/contract/wire/client';
import { SOON_MS } from '@gatehouse/testkit/soon';
import ssh2, { type Client, type ClientChannel } from 'ssh2';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { type ServerWorld, startServerWorld } from '../../../testing/connection-tests/server-world.ts';
import { doorClient, openSshDoor } from '../../../testing/sessions/ssh-doors.ts';
import { certificateKey, signPlainly } from '../../kinds/node/engine/ssh2-patches/certificates.ts';
import { ed25519Blob, publicKeyLine } from '../../platform/crypto/ssh/public-key.ts';

let world: ServerWorld;
let port: number;
let login: string;
beforeAll(async () => {
  world = await startServerWorld();
  await world.trustGateway();
  await world.add({ name: 'web-1' });
  port = await openSshDoor(world.gateway);
  login = world.logins[0];
});
afterAll(() => world?.close());

const MIB = 1024 * 1024;
setFlagsFromString('--expose-gc');
const gc = runInNewContext('gc') as () => void;
const usedBytes = () => {
  gc();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
};

/** What of ssh2 a program that keeps no rules would use. */
interface Raw {
  _sock: Socket;
  _protocol: {
    ping(): void;
    rekey(): void;
    windowChange(channel: number, rows: number, cols: number, height: number, width: number): void;
    signal(channel: number, name: string): void;
  };
}
const rawOf = (client: Client) => client as unknown as Raw;

async function comeAsAnn(username: string): Promise<Client> {
  const { privateKey } = generateKeyPairSync('ed25519');
  const { cert } = await call(world.ann.send, sshCertificateRoutes.issue, {
    body: { pub_key: publicKeyLine(ed25519Blob(privateKey)) },
  });
  const shown = certificateKey(privateKey, Buffer.from(cert.split(' ')[1] ?? '', 'base64'), () => true);
  const client = new ssh2.Client();
  onTestFinished(() => void client.end());
  client.on('error', () => {});
  const ready = once(client, 'ready');
  client.connect({
    ...{ host: '127.0.0.1', port, username, hostVerifier: () => true },
    algorithms: { serverHostKey: ['ssh-ed25519'] },
    authHandler: [{ type: 'publickey', username, key: shown }] as never,
  });
  signPlainly(client, [shown]);
  await ready;
  return client;
}

/** Shakes hands, and never says who it is. */
async function unproved(): Promise<Client> {
  const client = new ssh2.Client();
  onTestFinished(() => void client.end());
  client.on('error', () => {});
  const asked = new Promise<void>((resolve) => {
    client.connect({
      ...{ host: '127.0.0.1', port, username: 'nobody', hostVerifier: () => true },
      algorithms: { serverHostKey: ['ssh-ed25519'] },
      authHandler: (() => resolve()) as never,
    });
  });
  await asked;
  return client;
}

const execute = (client: Client, command: string, options: object = {}): Promise<ClientChannel> =>
  new Promise((resolve, reject) =>
    client.exec(command, options, (error, channel) => (error ? reject(error) : resolve(channel))),
  );
const isClosed = (client: Client) => new Promise<true>((resolve) => client.once('close', () => resolve(true)));

test('ten thousand that say nothing cost little, a hundred of them are kept, and whoever comes beside them is served', async () => {
  const before = usedBytes();
  const sockets = new Set<Socket>();
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  let most = 0;
  // Each ten from an address of their own: what is bounded here is all of them.
  for (let ten = 0; ten < 1_000; ten++) {
    const localAddress = `127.1.${Math.floor(ten / 250)}.${(ten % 250) + 1}`;
    const dialled = Array.from({ length: 10 }, () => {
      const socket = dial({ port, host: '127.0.0.1', localAddress });
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => sockets.delete(socket));
      socket.resume();
      return new Promise((resolve) => {
        socket.once('data', resolve);
        socket.once('close', resolve);
      });
    });
    await Promise.all(dialled);
    most = Math.max(most, sockets.size);
  }
  const grown = usedBytes() - before;

  // Those that lost their places to others hear of it a little later.
  expect(most).toBeLessThanOrEqual(130);
  await vi.waitFor(() => expect(sockets.size).toBe(100));
  expect(grown).toBeLessThan(40 * MIB);
  // While they stay.
  const client = await doorClient(port, world.ann);
  await vi.waitFor(
    async () =>
      expect(await client.ssh(`${login}@web-1@gate`, 'echo served')).toMatchObject({ code: 0, stdout: 'served\n' }),
    { timeout: SOON_MS },
  );
});

test('who exchanges keys again and again before saying who it is loses the connection', async () => {
  const client = await unproved();
  const closed = isClosed(client);
  let rekeys = 0;
  const { _protocol: protocol } = rawOf(client);
  client.on('handshake', () => {
    rekeys += 1;
    protocol.rekey();
  });
  protocol.rekey();

  expect(await closed).toBe(true);
  expect(rekeys).toBeLessThanOrEqual(3);
});

test('who talks without end before saying who it is loses the connection', async () => {
  const client = await unproved();
  const closed = isClosed(client);
  const { _protocol: protocol, _sock: socket } = rawOf(client);
  let sent = 0;
  const timer = setInterval(() => {
    for (let turn = 0; turn < 500; turn++) protocol.ping();
    sent = socket.bytesWritten;
  }, 1);

  expect(await closed).toBe(true);
  clearInterval(timer);
  expect(sent).toBeLessThan(16 * MIB);
});

test('keys may be exchanged now and then by somebody who is known, and not without end', async () => {
  const client = await comeAsAnn(`${login}@web-1`);
  const { _protocol: protocol } = rawOf(client);
  for (let turn = 0; turn < 10; turn++) {
    const exchanged = once(client, 'handshake');
    protocol.rekey();
    await exchanged;
  }
  const still = await execute(client, 'echo still');
  const [bytes] = (await once(still, 'data')) as [Buffer];
  expect(String(bytes)).toBe('still\n');

  const closed = isClosed(client);
  client.on('handshake', () => protocol.rekey());
  protocol.rekey();
  expect(await closed).toBe(true);
});

test('sizes and signals without number hold up nobody, and the last size is the one that stays', async () => {
  const client = await comeAsAnn(`${login}@web-1`);
  const channel = await execute(client, 'read x; stty size; read x', { pty: { rows: 24, cols: 80 } });
  let heard = '';
  channel.on('data', (bytes: Buffer) => {
    heard += bytes;
  });
  const { id } = (channel as unknown as { outgoing: { id: number } }).outgoing;
  const { _protocol: protocol } = rawOf(client);
  for (let turn = 0; turn < 5_000; turn++) {
    protocol.windowChange(id, 20 + (turn % 30), 100, 0, 0);
    protocol.signal(id, 'USR1');
  }
  protocol.windowChange(id, 41, 133, 0, 0);
  const other = await doorClient(port, world.ann);

  expect(await other.ssh(`${login}@web-1@gate`, 'echo meanwhile')).toMatchObject({ code: 0 });
  channel.write('\n');
  await vi.waitFor(() => expect(heard).toContain('41 133'), { timeout: SOON_MS });
});

test('an address of any length is not asked for, nor written down', async () => {
  const client = await comeAsAnn(`${login}@web-1`);
  const refused = await new Promise<Error | undefined>((resolve) =>
    client.forwardOut('127.0.0.1', 0, 'a'.repeat(20_000), 80, (error) => resolve(error)),
  );

  expect(refused?.message).toContain('that is no address');
  expect((await world.gateway.events()).filter(({ code }) => code === 'T3003E')).toEqual([]);
});

test('what many jumps print and nobody reads lies with those who print it, and comes whole once it is read', async () => {
  const outer = await comeAsAnn('jump');
  const MUCH = 20 * MIB;
  const many = await Promise.all(
    Array.from({ length: 4 }, async () => {
      const way = await new Promise<ClientChannel>((resolve, reject) =>
        outer.forwardOut('127.0.0.1', 0, 'web-1', 22, (error, channel) => (error ? reject(error) : resolve(channel))),
      );
      const inner = new ssh2.Client();
      inner.on('error', () => {});
      const ready = once(inner, 'ready');
      inner.connect({
        ...{ sock: way, username: login, hostVerifier: () => true },
        algorithms: { serverHostKey: ['ssh-ed25519'] },
        authHandler: ['none'] as never,
      });
      await ready;
      const channel = await execute(inner, `read x; head -c ${MUCH} /dev/zero`);
      const heard = { bytes: 0, isOver: false };
      channel.on('data', (bytes: Buffer) => {
        heard.bytes += bytes.length;
      });
      channel.once('close', () => {
        heard.isOver = true;
      });
      return { channel, heard };
    }),
  );
  const before = usedBytes();
  const { _sock: socket } = rawOf(outer);
  socket.pause();
  for (const { channel } of many) channel.write('\n');
  // Until nothing more comes to lie here.
  let [last, most, calm] = [0, 0, 0];
  for (let turn = 0; turn < 100 && calm < 10; turn++) {
    await sleep(50);
    const now = usedBytes();
    calm = Math.abs(now - last) < MIB ? calm + 1 : 0;
    [last, most] = [now, Math.max(most, now)];
  }

  expect(most - before).toBeLessThan(40 * MIB);
  socket.resume();
  await vi.waitFor(() => expect(many.every(({ heard }) => heard.isOver)).toBe(true), { timeout: 2 * SOON_MS });
  expect(many.map(({ heard }) => heard.bytes)).toEqual(many.map(() => MUCH));
});
