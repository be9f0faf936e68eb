/** Channels of SSH servers that come too late, or that nobody reads to the end: they are closed, and that is told. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import ssh2, { type Connection, type ServerChannel, type Session } from 'ssh2';
import { expect, onTestFinished, test } from 'vitest';
import { tellOwnClose } from '../../../platform/crypto/ssh/ssh2/bounded-peer.ts';
import { openSubsystem } from './open-sftp.ts';

async function connected(onSession: (session: Session) => void) {
  const keys = ssh2.utils.generateKeyPairSync('ecdsa', { bits: 256 });
  const server = new ssh2.Server({ hostKeys: [keys.private] }, (connection: Connection) => {
    connection.on('error', () => {});
    connection.on('authentication', (context) => context.accept());
    connection.on('session', (accept) => onSession(accept()));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const client = new ssh2.Client();
  client.on('error', () => {});
  onTestFinished(() => {
    client.end();
    server.close();
  });
  const closed = new Promise<void>((resolve) => void client.once('close', () => resolve()));
  const ready = once(client, 'ready');
  client.connect({ host: '127.0.0.1', port: (server.address() as AddressInfo).port, username: 'ann' });
  await ready;
  return { client, closed };
}

test('files that a server begins to serve too late are given up, and their channel is closed', async () => {
  const late = Promise.withResolvers<ServerChannel>();
  const { client, closed } = await connected((session) =>
    session.on('subsystem', (accept) => setTimeout(() => late.resolve(accept() as ServerChannel), 300)),
  );

  await expect(openSubsystem({ client, closed }, 'web-1', 100)).rejects.toThrow('did not begin to serve files');
  const channel = await late.promise;
  channel.resume();
  await once(channel, 'close');
});

test('a channel that we closed is told to be closed, though nobody has read what came', async () => {
  const { client } = await connected((session) =>
    session.on('exec', (accept) => {
      const channel = accept();
      channel.on('error', () => {});
      channel.write(Buffer.alloc(100_000));
    }),
  );
  const channel = await new Promise<ssh2.ClientChannel>((resolve) =>
    client.exec('any', (_, opened) => resolve(opened)),
  );
  tellOwnClose(channel);
  let isTold = false;
  channel.once('close', () => {
    isTold = true;
  });
  while (channel.readableLength < 100_000) await sleep(10);
  const told = once(channel, 'close');
  channel.destroy();

  await told;
  expect(isTold).toBe(true);
});
