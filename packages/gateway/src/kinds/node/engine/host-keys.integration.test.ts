/** Against a real sshd: which servers are believed, and which are not. */
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import type { TestSshd } from '@gatehouse/testkit/sshd';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  execute,
  listen,
  newKey,
  nodeFor,
  type SshWorld,
  startOwn,
  startSshWorld,
} from '../../../../testing/kinds/node/ssh-world.ts';
import { ed25519Blob, fingerprint, parsePublicKey, publicKeyLine } from '../../../platform/crypto/ssh/public-key.ts';
import { scanHostKeys } from './scan-host-keys.ts';

let world: SshWorld;
beforeAll(async () => {
  world = await startSshWorld();
});
afterAll(() => world?.close());

describe('host keys', () => {
  test('that are pinned are believed, of whichever type', async () => {
    for (const type of ['ed25519', 'ecdsa', 'rsa'] as const) {
      const node = nodeFor(world.sshd, { hostKeys: [world.sshd.hostKey(type)] });
      expect((await world.open({ node })).hostKey).toBe(fingerprint(parsePublicKey(world.sshd.hostKey(type)).blob));
    }
  });

  test('that changed are refused with both fingerprints and the command that accepts the new one', async () => {
    const own = await startOwn();
    const old = own.hostKey();
    await own.replaceHostKeys();
    const [was, is] = [old, own.hostKey()].map((line) => fingerprint(parsePublicKey(line).blob));

    await expect(world.open({ node: nodeFor(own, { hostKeys: [old] }) }, own)).rejects.toMatchObject({
      reason: 'host_key',
      code: 'target_unreachable',
      message: `the host key of 'web-1' at ${own.addr} is not the pinned one: it shows ${is} (ssh-ed25519), expected was ${was}`,
      next: expect.stringContaining(`gatehouse nodes trust-host-key web-1 --fingerprint ${is}`),
      hostKey: { fingerprint: is, type: 'ssh-ed25519', pinned: [was] },
    });
    expect(own.log()).not.toContain('Accepted');
  });

  test('of another type than the pinned one are refused by name', async () => {
    const own = await startOwn({ hostKeys: ['rsa'] });

    await expect(
      world.open({ node: nodeFor(own, { hostKeys: [world.sshd.hostKey('ed25519')] }) }, own),
    ).rejects.toMatchObject({
      reason: 'host_key',
      hostKey: { type: 'ssh-rsa' },
    });
  });

  test('are never believed when nothing is pinned', async () => {
    await expect(world.open({ node: nodeFor(world.sshd) })).rejects.toMatchObject({ reason: 'host_key' });
  });

  test('are all found by a scan, each proved by the server', async () => {
    expect(await scanHostKeys({ dial: () => world.dial(), addr: world.sshd.addr })).toEqual([
      world.sshd.hostKey('ed25519'),
      world.sshd.hostKey('ecdsa'),
      world.sshd.hostKey('rsa'),
    ]);
  });
});

describe('host certificates', () => {
  test.each([
    ['ed25519', 'ed25519'],
    ['ed25519', 'rsa'],
    ['ecdsa', 'ecdsa'],
  ] as const)('of %s keys by authorities with %s keys are believed', async (type, signer) => {
    const own = await startOwn({ hostKeys: [type] });
    const trusted = (await own.certify('web-1.example,127.0.0.1', { type, authority: signer })).split(' ').slice(0, 2);
    const node = nodeFor(own, { hostAuthorities: [trusted.join(' ')] });

    const connection = await world.open({ node }, own);

    expect(await execute(connection, 'id -un')).toBe(world.logins[0]!);
    expect(connection.hostKey).toBe(fingerprint(parsePublicKey(own.hostKey(type)).blob));
  });

  test('are refused for another name, by another authority, when they have ended, and when nobody is trusted', async () => {
    const own = await startOwn();
    const line = async (...args: Parameters<TestSshd['certify']>) =>
      (await own.certify(...args)).split(' ').slice(0, 2).join(' ');
    const refused = (hostAuthorities: string[]) =>
      expect(world.open({ node: nodeFor(own, { hostAuthorities }) }, own)).rejects;
    const good = await line('127.0.0.1');

    await refused([publicKeyLine(ed25519Blob(newKey()))]).toMatchObject({
      message: expect.stringContaining('is not trusted'),
    });
    await refused([]).toMatchObject({ reason: 'host_key' });
    await line('other.example');
    await refused([good]).toMatchObject({
      message: "the server 'web-1' is not believed: its certificate is not for '127.0.0.1' but for other.example",
    });
    await line('127.0.0.1', { more: ['-V', '20200101:20200102'] });
    await refused([good]).toMatchObject({ message: expect.stringContaining('its certificate ended at 2020-01-02') });
    expect(own.log()).not.toContain('Accepted');
  });

  test('that were stolen do not help a server without the key inside', async () => {
    const own = await startOwn();
    const trusted = (await own.certify('127.0.0.1')).split(' ').slice(0, 2).join(' ');
    const thief = await startOwn();
    await thief.certify('127.0.0.1');
    const replaced = await showingTheOthers(thief, own);

    const refused = world.open({
      stream: await world.dial(replaced.port),
      node: nodeFor(own, { hostAuthorities: [trusted] }),
    });

    await expect(refused).rejects.toMatchObject({ stage: 'handshake', message: expect.stringContaining('signature') });
    expect(replaced.count).toBe(1);
    expect(thief.log()).not.toContain('Accepted');
  });

  test('hold through many new exchanges of keys in one connection', async () => {
    const own = await startOwn({ settings: ['RekeyLimit 1M'] });
    const trusted = (await own.certify('127.0.0.1')).split(' ').slice(0, 2).join(' ');
    const connection = await world.open({ node: nodeFor(own, { hostAuthorities: [trusted] }) }, own);
    let exchanges = 0;
    connection.client.on('handshake', () => {
      exchanges += 1;
    });

    const bytes = await new Promise<number>((resolve, reject) =>
      connection.client.exec('head -c 20000000 /dev/zero', (error, channel) => {
        if (error) return reject(error);
        let count = 0;
        channel.on('data', (chunk: Buffer) => {
          count += chunk.length;
        });
        channel.on('close', () => resolve(count));
      }),
    );

    expect(bytes).toBe(20_000_000);
    expect(exchanges).toBeGreaterThanOrEqual(15);
  });
});

/** A server that shows the certificate of another one in place of its own, as a thief of certificates would. */
async function showingTheOthers(thief: TestSshd, owner: TestSshd) {
  const certificateOf = (server: TestSshd) =>
    Buffer.from(readFileSync(join(server.folder, 'host_ed25519-cert.pub'), 'utf8').split(' ')[1]!, 'base64');
  const [own, stolen] = [certificateOf(thief), certificateOf(owner)];
  expect(stolen).toHaveLength(own.length);
  const replaced = { port: 0, count: 0 };
  replaced.port = await listen((client) => {
    const server = connect(thief.port, '127.0.0.1');
    server.on('error', () => {});
    client.pipe(server);
    server.on('data', (chunk: Buffer) => {
      const at = chunk.indexOf(own);
      if (at >= 0) {
        stolen.copy(chunk, at);
        replaced.count += 1;
      }
      client.write(chunk);
    });
    server.on('close', () => client.destroy());
  });
  return replaced;
}
