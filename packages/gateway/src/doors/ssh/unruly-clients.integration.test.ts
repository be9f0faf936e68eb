/** Programs that were let in and keep no order in what they say of their channels: each costs its own connection at most, and leaves nothing behind. */
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { sshCertificateRoutes } from '@gatehouse/contract/identity/ssh-certificates';
import { sessionRoutes } from '@gatehouse/contract/sessions/sessions';
import { call } from '@gatehouse/contract/wire/client';
import { SOON_MS } from '@gatehouse/testkit/soon';
import fc from 'fast-check';
import ssh2, { type Client } from 'ssh2';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type ServerWorld, startServerWorld } from '../../../testing/connection-tests/server-world.ts';
import { openSshDoor } from '../../../testing/sessions/ssh-doors.ts';
import { certificateKey, signPlainly } from '../../kinds/node/engine/ssh2-patches/certificates.ts';
import { ed25519Blob, publicKeyLine } from '../../platform/crypto/ssh/public-key.ts';

let world: ServerWorld;
let port: number;
let shown: object;
beforeAll(async () => {
  world = await startServerWorld();
  await world.trustGateway();
  await world.add({ name: 'web-1' });
  port = await openSshDoor(world.gateway);
  const key = generateKeyPairSync('ed25519').privateKey;
  const { cert } = await call(world.ann.send, sshCertificateRoutes.issue, {
    body: { pub_key: publicKeyLine(ed25519Blob(key)) },
  });
  shown = certificateKey(key, Buffer.from(cert.split(' ')[1] ?? '', 'base64'), () => true);
});
afterAll(() => world?.close());

async function come(): Promise<Client> {
  const client = new ssh2.Client();
  const username = `${world.logins[0]}@web-1`;
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

/** What of ssh2 a program that keeps no rules would say; each takes the number of a channel first. */
type Raw = Record<string, (...args: unknown[]) => void>;

const BYTES = Buffer.alloc(1_000, 0x41);
const SAID: readonly ((raw: Raw, id: number) => void)[] = [
  (raw, id) => raw.session?.(id, 100_000, 32_768),
  (raw, id) => raw.session?.(id, 0, 64),
  (raw, id) => raw.directTcpip?.(id, 100_000, 32_768, { srcIP: 'x', srcPort: 1, dstIP: '127.0.0.1', dstPort: 1 }),
  (raw, id) => raw.openssh_directStreamLocal?.(id, 100_000, 32_768, { socketPath: '/none' }),
  (raw, id) => raw.exec?.(id, 'cat', true),
  (raw, id) => raw.shell?.(id, false),
  (raw, id) => raw.subsystem?.(id, 'sftp', true),
  (raw, id) => raw.pty?.(id, 0xffff_ffff, 0, 0, 0, 'x'.repeat(100), {}, true),
  (raw, id) => raw.env?.(id, 'LANG', 'C\u0000\u001b', true),
  (raw, id) => raw.windowChange?.(id, 0, 0xffff_ffff, 0, 0),
  (raw, id) => raw.openssh_agentForward?.(id, true),
  (raw, id) => raw.x11Forward?.(id, { single: true, protocol: 'x', cookie: 'ab', screen: 0 }, true),
  (raw, id) => raw.channelData?.(id, BYTES),
  (raw, id) => raw.channelExtData?.(id, BYTES, 1),
  (raw, id) => raw.channelEOF?.(id),
  (raw, id) => raw.channelClose?.(id),
  (raw, id) => raw.channelSuccess?.(id),
  (raw, id) => raw.channelFailure?.(id),
  (raw, id) => raw.channelWindowAdjust?.(id, 0xffff_ffff),
  (raw, id) => raw.channelOpenConfirm?.(id, id, 0xffff_ffff, 32_768),
  (raw, id) => raw.channelOpenFail?.(id, 1, 'x'.repeat(30_000)),
  (raw) => raw.tcpipForward?.('127.0.0.1', 0, true),
  (raw) => raw.cancelTcpipForward?.('127.0.0.1', 1, true),
  (raw) => raw.openssh_streamLocalForward?.('/none', true),
  (raw) => raw.requestSuccess?.(),
  (raw) => raw.requestFailure?.(),
];
const said = fc.array(
  fc.record({ what: fc.nat({ max: SAID.length - 1 }), id: fc.nat({ max: 2 }), waits: fc.boolean() }),
  {
    minLength: 3,
    maxLength: 40,
  },
);

test('whatever is said of channels, others are served, and nothing of it runs on', async () => {
  const begins = { what: 0, id: 0, waits: true };
  await fc.assert(
    fc.asyncProperty(said, async (lines) => {
      const client = await come();
      const closed = new Promise<void>((resolve) => client.once('close', () => resolve()));
      const { _protocol: raw } = client as unknown as { _protocol: Raw };
      for (const { what, id, waits } of [begins, ...lines]) {
        try {
          SAID[what]?.(raw, id);
        } catch {
          // Not even said: the connection is over.
        }
        if (waits) await new Promise((resolve) => setTimeout(resolve, 2));
      }
      client.end();
      await closed;
    }),
    { numRuns: 50 },
  );
  const others = await come();
  const well = await new Promise<string>((resolve, reject) =>
    others.exec('echo well', (error, channel) =>
      error ? reject(error) : channel.once('data', (bytes: Buffer) => resolve(String(bytes))),
    ),
  );
  expect(well).toBe('well\n');
  others.end();
  const open = async () =>
    (await call(world.ann.send, sessionRoutes.list, { params: { clusterId: 'localhost' } })).sessions;
  await vi.waitFor(async () => expect(await open()).toEqual([]), { timeout: SOON_MS, interval: 500 });
});
