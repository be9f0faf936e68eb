/** What was let in at the SSH door, once it must not go on: the store is lost, or what it stands on was taken back. */
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { sshCertificateRoutes } from '@gatehouse/contract/identity/ssh-certificates';
import { call } from '@gatehouse/contract/wire/client';
import ssh2, { type Client, type ClientChannel } from 'ssh2';
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from 'vitest';
import { type ServerWorld, startServerWorld } from '../../../testing/connection-tests/server-world.ts';
import { openSshDoor } from '../../../testing/sessions/ssh-doors.ts';
import { certificateKey, signPlainly } from '../../kinds/node/engine/ssh2-patches/certificates.ts';
import { FROZEN_AFTER_MS } from '../../platform/change-feed/lost-store.ts';
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
afterEach(() => world.gateway.beSilentFor(0));

const byName = () => `${login}@web-1`;

/** Let in with a certificate of ann's, whatever it names. */
async function comeAsAnn(username: string): Promise<Client> {
  const key = generateKeyPairSync('ed25519').privateKey;
  const { cert } = await call(world.ann.send, sshCertificateRoutes.issue, {
    body: { pub_key: publicKeyLine(ed25519Blob(key)) },
  });
  const shown = certificateKey(key, Buffer.from(cert.split(' ')[1] ?? '', 'base64'), () => true);
  const client = new ssh2.Client();
  onTestFinished(() => void client.end());
  const ready = once(client, 'ready');
  client.on('error', () => {});
  client.connect({
    ...{ host: '127.0.0.1', port, username, hostVerifier: () => true },
    algorithms: { serverHostKey: ['ssh-ed25519'] },
    authHandler: [{ type: 'publickey', username, key: shown }] as never,
  });
  signPlainly(client, [shown]);
  await ready;
  return client;
}

function forward(client: Client, host: string, to: number): Promise<ClientChannel> {
  return new Promise((resolve, reject) =>
    client.forwardOut('127.0.0.1', 0, host, to, (error, channel) => (error ? reject(error) : resolve(channel))),
  );
}

/** Through a jump: who it is was said on the way. */
async function jumped(outer: Client, username: string): Promise<Client> {
  const sock = await forward(outer, 'web-1', 22);
  const client = new ssh2.Client();
  onTestFinished(() => void client.end());
  client.on('error', () => {});
  const ready = once(client, 'ready');
  client.connect({
    ...{ sock, username, hostVerifier: () => true, authHandler: ['none'] },
    algorithms: { serverHostKey: ['ssh-ed25519'] },
  });
  await ready;
  return client;
}

/** Answers each byte with the same. */
async function echo(): Promise<number> {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.pipe(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return (server.address() as { port: number }).port;
}

test('while nobody can tell who may what, neither commands nor files nor forwards go on', async () => {
  const client = await comeAsAnn(byName());
  const command = await new Promise<ClientChannel>((resolve, reject) =>
    client.exec('cat', (error, channel) => (error ? reject(error) : resolve(channel))),
  );
  let words = '';
  command.stderr.on('data', (bytes: Buffer) => {
    words += bytes;
  });
  const files = await new Promise<ClientChannel>((resolve, reject) =>
    client.subsys('sftp', (error, channel) => (error ? reject(error) : resolve(channel))),
  );
  const forwarded = await forward(client, '127.0.0.1', await echo());
  for (const channel of [command, forwarded]) {
    channel.write('before');
    expect(String((await once(channel, 'data'))[0])).toBe('before');
  }
  const closed = [command, files, forwarded].map((channel) => {
    channel.resume();
    return once(channel, 'close');
  });

  world.gateway.beSilentFor(FROZEN_AFTER_MS + 1);

  await Promise.all(closed);
  expect(words).toContain('gatehouse: the gateway has lost its database');
}, 20_000);

test('a jump within a jump leads nowhere, whatever it calls itself', async () => {
  const outer = await comeAsAnn('jump');
  const inner = await jumped(outer, 'no\u001bname');

  await expect(forward(inner, 'web-1', 22)).rejects.toThrow(/name a server/);
});
