/** What was let in at the SSH door, once it must not go on: the store is lost, or what it stands on was taken back. */
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { sshAuthorityRoutes } from '@gatehouse/contract/identity/ssh-authorities';
import { sshCertificateRoutes } from '@gatehouse/contract/identity/ssh-certificates';
import { sessionRoutes } from '@gatehouse/contract/sessions/sessions';
import { call } from '@gatehouse/contract/wire/client';
import { SOON_MS } from '@gatehouse/testkit/soon';
import { startSshd, type TestSshd } from '@gatehouse/testkit/sshd';
import ssh2, { type Client, type ClientChannel } from 'ssh2';
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { type ServerWorld, startServerWorld } from '../../../testing/connection-tests/server-world.ts';
import { openSshDoor } from '../../../testing/sessions/ssh-doors.ts';
import { certificateKey, signPlainly } from '../../kinds/node/engine/ssh2-patches/certificates.ts';
import { FROZEN_AFTER_MS } from '../../platform/change-feed/lost-store.ts';
import { ed25519Blob, publicKeyLine } from '../../platform/crypto/ssh/public-key.ts';

let world: ServerWorld;
let draws: TestSshd;
let port: number;
let login: string;
beforeAll(async () => {
  world = await startServerWorld();
  await world.trustGateway();
  await world.add({ name: 'web-1' });
  const trusts = (await call(world.gateway.send, sshAuthorityRoutes.list, {})).map(({ publicKey }) => publicKey);
  draws = await startSshd({ trusts, settings: ['X11Forwarding yes', 'X11UseLocalhost yes'] });
  await world.add({ name: 'draws', addr: draws.addr });
  await world.makeRole('windows', '{options: {permit_x11_forwarding: true}}');
  port = await openSshDoor(world.gateway);
  login = world.logins[0];
});
afterAll(async () => {
  await draws?.stop();
  await world?.close();
});
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
});

test('a copy on a terminal is over with the role that let it, as one without a terminal is', async () => {
  await world.makeRole('no-copies', '{options: {ssh_file_copy: false}}');
  const client = await comeAsAnn(byName());
  const copies = await Promise.all(
    [false, true].map(
      (pty) =>
        new Promise<ClientChannel>((resolve, reject) =>
          client.exec('scp -t /tmp', { pty }, (error, channel) => (error ? reject(error) : resolve(channel))),
        ),
    ),
  );
  const words = copies.map((channel) => {
    const heard = { text: '' };
    channel.resume().stderr.on('data', (bytes: Buffer) => {
      heard.text += bytes;
    });
    return heard;
  });
  const open = () => call(world.ann.send, sessionRoutes.list, { params: { clusterId: 'localhost' } });
  await vi.waitFor(async () => expect((await open()).sessions).toHaveLength(2), { timeout: SOON_MS });

  await grant('no-copies');

  await vi.waitFor(
    () => {
      for (const { text } of words) expect(text).toContain('a role of yours does not let you copy files');
    },
    { timeout: SOON_MS },
  );
});

test('a jump within a jump leads nowhere, whatever it calls itself', async () => {
  const outer = await comeAsAnn('jump');
  const inner = await jumped(outer, 'no\u001bname');

  await expect(forward(inner, 'web-1', 22)).rejects.toThrow(/name a server/);
});

/** A terminal on a server that would draw windows, and what is told beside it. */
async function drawing(client: Client): Promise<{ shell: ClientChannel; out(): string; words(): string }> {
  const shell = await new Promise<ClientChannel>((resolve, reject) =>
    client.shell({ term: 'xterm' }, { x11: { cookie: 'ab'.repeat(16) } }, (error, channel) =>
      error ? reject(error) : resolve(channel),
    ),
  );
  const heard = { out: '', words: '' };
  shell.on('data', (bytes: Buffer) => {
    heard.out += bytes;
  });
  shell.stderr.on('data', (bytes: Buffer) => {
    heard.words += bytes;
  });
  return { shell, out: () => heard.out, words: () => heard.words };
}

async function grant(...roles: string[]): Promise<void> {
  await world.gateway.setRoles('ann', ['dev', ...roles]);
  onTestFinished(() => world.gateway.setRoles('ann', ['dev']));
}

test('windows are not drawn where a moderator has to watch, who would not see them', async () => {
  const wish = `{name: two, filter: 'contains(user.spec.roles, "auditor")', kinds: [ssh], modes: [moderator], count: 1}`;
  await world.makeRole('watched', `{allow: {require_session_join: [${wish}]}}`);
  await grant('windows');
  const drawn = await drawing(await comeAsAnn(`${login}@draws`));
  drawn.shell.write('echo d=$DISPLAY=\n');
  await vi.waitFor(() => expect(drawn.out()).toContain('d=localhost:'), { timeout: SOON_MS });

  await grant('windows', 'watched');
  await vi.waitFor(() => expect(drawn.words()).toContain('windows of X11'), { timeout: SOON_MS });
  const { words } = await drawing(await comeAsAnn(`${login}@draws`));
  await vi.waitFor(() => expect(words()).toContain('windows of X11'), { timeout: SOON_MS });
});

test('windows are closed while a terminal is held up, and no others are opened', async () => {
  await grant('windows');
  const client = await comeAsAnn(`${login}@draws`);
  const windows: ClientChannel[] = [];
  client.on('x11', (_, accept) => void windows.push(accept() as ClientChannel));
  const { shell, out } = await drawing(client);
  // A connection each second, and all of them stay.
  const port = '$((6000 + $(echo $DISPLAY | cut -d: -f2 | cut -d. -f1)))';
  const connect = `for i in 3 4 5 6 7 8 9; do sleep 1; eval "exec $i<>/dev/tcp/127.0.0.1/${port}"; done; sleep 60`;
  shell.write(`exec bash -c '${connect}'\n`);
  await vi.waitFor(() => expect(windows.length, out()).toBeGreaterThan(0), { timeout: SOON_MS });
  const closed = once(windows[0]!.resume(), 'close');

  world.gateway.beSilentFor(FROZEN_AFTER_MS + 1);
  await closed;
  const before = windows.length;
  await new Promise((resolve) => setTimeout(resolve, 2_500));

  expect(windows).toHaveLength(before);
});
