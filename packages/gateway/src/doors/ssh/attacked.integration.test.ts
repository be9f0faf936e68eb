/** Programs at the SSH door that try how much they get: sessions and channels beyond what they may have, commands, variables and names of any length. */
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { connect as dial } from 'node:net';
import { sshCertificateRoutes } from '@gatehouse/contract/identity/ssh-certificates';
import { sessionRoutes } from '@gatehouse/contract/sessions/sessions';
import { call } from '@gatehouse/contract/wire/client';
import { SOON_MS } from '@gatehouse/testkit/soon';
import ssh2, { type Client, type ClientChannel } from 'ssh2';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { type ServerWorld, startServerWorld } from '../../../testing/connection-tests/server-world.ts';
import { doorClient, openSshDoor } from '../../../testing/sessions/ssh-doors.ts';
import { connectTerminal, opening, tabOf } from '../../../testing/sessions/terminal-client.ts';
import type { TestBrowser } from '../../../testing/test-browser.ts';
import { certificateKey, signPlainly } from '../../kinds/node/engine/ssh2-patches/certificates.ts';
import { ed25519Blob, publicKeyLine } from '../../platform/crypto/ssh/public-key.ts';

let world: ServerWorld;
let port: number;
let login: string;
beforeAll(async () => {
  world = await startServerWorld();
  await world.trustGateway();
  await world.gateway.app.listen({ host: '127.0.0.1', port: 0 });
  await world.add({ name: 'web-1' });
  await world.makeRole('twice', '{options: {max_sessions: 2}, allow: {}}');
  await world.gateway.addUser('bob', { roles: ['dev', 'twice'] });
  port = await openSshDoor(world.gateway);
  login = world.logins[0];
});
afterAll(() => world?.close());
const byName = () => `${login}@web-1@gate`;
const byJump = () => `${login}@web-1.localhost`;

async function comeAs(who: TestBrowser, username: string): Promise<Client> {
  const { privateKey } = generateKeyPairSync('ed25519');
  const { cert } = await call(who.send, sshCertificateRoutes.issue, {
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

async function jump(outer: Client): Promise<Client> {
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
  return inner;
}

const execute = (client: Client, command: string, options: object = {}): Promise<ClientChannel> =>
  new Promise((resolve, reject) =>
    client.exec(command, options, (error, channel) => (error ? reject(error) : resolve(channel))),
  );

test.each(['aes128-gcm@openssh.com', 'aes128-ctr'])(
  'a command as long as systems run them runs, and a longer one is refused in words: %s',
  async (cipher) => {
    const client = await doorClient(port, world.ann);
    const long = (bytes: number) => `${': '.padEnd(bytes, 'a')};echo ok`;
    const run = (name: string, ...command: string[]) =>
      client.ssh('-o', `Ciphers=${cipher}`, '-o', 'MACs=hmac-sha2-256-etm@openssh.com', name, ...command);

    expect(await run(byName(), long(100_000))).toEqual({ code: 0, stdout: 'ok\n', stderr: '' });
    expect(await run(byJump(), long(120_000))).toEqual({ code: 0, stdout: 'ok\n', stderr: '' });
    expect(await run(byName(), long(80_000), long(80_000))).toMatchObject({
      code: 255,
      stderr: expect.stringContaining('gatehouse: a command has at most 130048 bytes'),
    });
  },
);

test('a name that comes letter by letter is the name', async () => {
  const socket = dial(port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  socket.setNoDelay(true);
  let heard = '';
  socket.on('data', (bytes: Buffer) => {
    heard += bytes.toString('latin1');
  });
  for (const letter of 'SSH-2.0-Pieces\r\n') await new Promise((resolve) => socket.write(letter, resolve));

  await vi.waitFor(() => expect(heard).toContain('curve25519-sha256'), { timeout: SOON_MS });
});

test('whoever has as many sessions with a server as a role lets them gets no more by another door', async () => {
  const bob = await world.gateway.signedIn('bob');
  const client = await doorClient(port, bob);
  const tab = connectTerminal(tabOf(world.gateway.app, bob), opening('web-1', login));
  await tab.state;
  const outer = await comeAs(bob, 'jump');
  const running = await execute(await jump(outer), 'echo begun; sleep 60');
  await once(running, 'data');

  const words = "gatehouse: you have too many sessions open with 'web-1': at most 2";
  const refused = { code: 255, stdout: '', stderr: expect.stringContaining(words) };
  const all = await Promise.all([
    client.ssh(byName(), 'echo more'),
    client.ssh(byJump(), 'echo more'),
    client.ssh('-tt', byName(), 'echo more'),
    client.ssh('-W', '127.0.0.1:22', byName()),
  ]);
  expect(all.slice(0, 3)).toEqual([refused, refused, refused]);
  expect(all[3]).toMatchObject({ code: 255, stdout: '' });
  expect(await client.run('sftp', ['-F', client.config, byName()])).toMatchObject({ code: 255 });

  outer.end();
  tab.send({ type: 'end' });
  const live = async () =>
    (await call(bob.send, sessionRoutes.list, { params: { clusterId: 'localhost' } })).sessions.length;
  await vi.waitFor(async () => expect(await live()).toBe(0), { timeout: SOON_MS });
  // Ten at once: two of them, whichever.
  const again = await comeAs(bob, 'jump');
  const ways = [await jump(again), await jump(again), await comeAs(bob, `${login}@web-1`)];
  const ten = await Promise.all(
    Array.from({ length: 10 }, async (_, turn) => {
      const channel = await execute(ways[turn % 3] as Client, 'echo in; sleep 60');
      return await Promise.race([once(channel, 'data'), once(channel.stderr, 'data')]);
    }),
  );
  expect(ten.filter(([said]) => String(said) === 'in\n')).toHaveLength(2);
});

test('jumps of one connection share its channels, which come back with them', async () => {
  const outer = await comeAs(world.ann, 'jump');
  const inners = await Promise.all(Array.from({ length: 9 }, () => jump(outer)));
  const asked = inners.flatMap((inner) => Array.from({ length: 60 }, () => bareSession(inner)));
  const answers = await Promise.all(asked);
  const opened = answers.filter((answer) => answer === 'opened').length;

  expect(opened).toBe(512 - inners.length);
  expect(answers.find((answer) => answer !== 'opened')).toContain('512 with those of all jumps');
  for (const inner of inners.slice(0, 4)) inner.end();
  await vi.waitFor(async () => expect(await bareSession(inners[8] as Client)).toBe('opened'), { timeout: SOON_MS });
});

/** Opened, and nothing run in it. */
function bareSession(client: Client): Promise<string> {
  const { _chanMgr: channels, _protocol: protocol } = client as unknown as {
    _chanMgr: { add(given: object): number };
    _protocol: { session(channel: number, window: number, packet: number): void };
  };
  return new Promise((resolve) => {
    const waiting = Object.assign((error: Error | undefined) => resolve(error ? error.message : 'opened'), {
      type: 'session',
    });
    const id = channels.add(waiting);
    protocol.session(id, 1024 * 1024, 32 * 1024);
  });
}

test('variables without number, of any name and length, reach nothing', async () => {
  const client = await comeAs(world.ann, `${login}@web-1`);
  const env = Object.fromEntries([
    ...Array.from({ length: 3_000 }, (_, turn) => [`LC_${'ABCDEFGHIJ'[turn % 10]}${'X'.repeat(turn % 200)}`, 'a']),
    ['LD_PRELOAD', '/tmp/x.so'],
    ['LC_ALL', 'C'.repeat(30_000)],
    ['LANG', 'C.UTF-8'],
  ]);
  const channel = await execute(client, 'env; echo ok', { env });
  let heard = '';
  channel.on('data', (bytes: Buffer) => {
    heard += bytes;
  });
  await once(channel, 'close');

  expect(heard).toContain('ok\n');
  expect(heard).not.toContain('LD_PRELOAD');
  expect(heard.match(/^LC_/gm)?.length ?? 0).toBeLessThanOrEqual(32);
});
