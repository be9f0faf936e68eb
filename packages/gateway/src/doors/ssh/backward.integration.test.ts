/** What a server opens towards a program, with real programs: ports it listens on for it, its agent of keys, its windows. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sshAuthorityRoutes } from '@gatehouse/contract/identity/ssh-authorities';
import { call } from '@gatehouse/contract/wire/client';
import { freePort } from '@gatehouse/testkit/free-port';
import { SOON_MS } from '@gatehouse/testkit/soon';
import { startSshd, type TestSshd } from '@gatehouse/testkit/sshd';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { type ServerWorld, startServerWorld } from '../../../testing/connection-tests/server-world.ts';
import { agentOfKeys } from '../../../testing/sessions/agent-of-keys.ts';
import { type DoorClient, doorClient, openSshDoor } from '../../../testing/sessions/ssh-doors.ts';

let world: ServerWorld;
let open: TestSshd;
let closed: TestSshd;
let port: number;
let login: string;
let client: DoorClient;
beforeAll(async () => {
  world = await startServerWorld();
  await world.gateway.app.listen({ host: '127.0.0.1', port: 0 });
  const trusts = (await call(world.gateway.send, sshAuthorityRoutes.list, {})).map(({ publicKey }) => publicKey);
  open = await startSshd({ trusts, settings: ['X11Forwarding yes', 'X11UseLocalhost yes'] });
  closed = await startSshd({ trusts, settings: ['AllowAgentForwarding no', 'AllowTcpForwarding no'] });
  await world.add({ name: 'web-1', addr: open.addr });
  await world.add({ name: 'web-2', addr: closed.addr });
  port = await openSshDoor(world.gateway);
  login = world.logins[0];
  for (const option of ['remote_forwarding', 'forward_agent', 'permit_x11_forwarding'])
    await world.makeRole(option.replaceAll('_', '-'), `{options: {${option}: true}}`);
});
afterAll(async () => {
  await open?.stop();
  await closed?.stop();
  await world?.close();
});
beforeEach(async () => {
  client = await doorClient(port, world.ann);
});

const ssh = (...args: string[]) => ['-F', client.config, ...args];
const on = (name: string) => `${login}@${name}@gate`;
const events = async (code: string) =>
  (await world.gateway.events())
    .filter((event) => event.code === code)
    .map(({ data }) => data as Record<string, unknown>);
const text = (child: ChildProcess, name: 'stdout' | 'stderr') => {
  let heard = '';
  child[name]?.on('data', (bytes: Buffer) => {
    heard += bytes;
  });
  return () => heard;
};
const grant = async (...roles: string[]) => {
  await world.gateway.setRoles('ann', ['dev', ...roles]);
  onTestFinished(() => world.gateway.setRoles('ann', ['dev']));
};
const ended = (child: ChildProcess) => new Promise((resolve) => child.once('close', resolve));
/** What a server that sends `bytes` to whoever comes is heard to say at this port. */
const readAll = (at: number | string) =>
  new Promise<Buffer>((resolve, reject) => {
    const parts: Buffer[] = [];
    const socket = typeof at === 'number' ? connect(at, '127.0.0.1') : connect(at);
    socket.on('data', (bytes) => parts.push(bytes));
    socket.on('error', reject);
    socket.once('end', () => resolve(Buffer.concat(parts)));
    socket.end();
  });
async function saying(bytes: Buffer): Promise<number> {
  const server = createServer((socket) => {
    // Whoever was led here may be cut off in the middle.
    socket.on('error', () => {});
    socket.end(bytes);
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return (server.address() as { port: number }).port;
}

test('a server listens for a program where a role says so, each port an event, and stops with it', async () => {
  await grant('remote-forwarding');
  const bytes = randomBytes(3_000_000);
  const local = await saying(bytes);
  const [far, path] = [await freePort(), `/tmp/gatehouse-${randomBytes(6).toString('hex')}`];

  const child = client.start('ssh', [
    ...ssh('-v', '-o', 'ExitOnForwardFailure=yes', '-o', 'LogLevel=INFO'),
    ...['-R', `127.0.0.1:${far}:127.0.0.1:${local}`, '-R', `${path}:127.0.0.1:${local}`, '-R', `0:127.0.0.1:${local}`],
    ...[on('web-1'), 'echo begun; sleep 60'],
  ]);
  const [out, err] = [text(child, 'stdout'), text(child, 'stderr')];
  await vi.waitFor(() => expect(out(), err()).toContain('begun'), { timeout: SOON_MS });
  const given = Number(/Allocated port (\d+)/.exec(err())?.[1]);

  // Who reads has said everything at once: that closes its side alone.
  for (let turn = 0; turn < 10; turn++) expect((await readAll(far)).equals(bytes)).toBe(true);
  const both = await Promise.all([readAll(given), readAll(far)]);
  expect(both.map((heard) => heard.equals(bytes))).toEqual([true, true]);
  // Its file is the login's, as sshd made it; root reads it here.
  expect((await readAll(path)).equals(bytes)).toBe(true);
  await vi.waitFor(async () => {
    const told = (await events('T3003I')).filter(({ listens }) => listens);
    expect(told.map(({ addr }) => addr)).toEqual([`127.0.0.1:${far}`, path, expect.stringMatching(`:${given}$`)]);
  });
  const [issued] = (await events('TC000I')).filter(({ server_hostname: name }) => name === 'web-1');
  expect(issued).toMatchObject({ identity: { permits: ['permit-port-forwarding'] } });

  // The role is taken away: within two seconds nothing listens any more.
  await world.gateway.setRoles('ann', ['dev']);
  await vi.waitFor(() => expect(readAll(far)).rejects.toThrow('ECONNREFUSED'), { timeout: 4_000, interval: 100 });
  child.kill();
  await ended(child);
});

test('a port is given up when the program asks, or goes, and what cannot be had is told in words', async () => {
  await grant('remote-forwarding');
  const bytes = Buffer.from('hello');
  const local = await saying(bytes);
  const far = await freePort();
  const control = join(client.dir, 'control');
  const child = client.start('ssh', ssh('-M', '-S', control, '-N', on('web-1')));
  const ask = (what: string) =>
    client.run('ssh', ['-S', control, '-O', what, '-R', `127.0.0.1:${far}:127.0.0.1:${local}`, 'gate']);
  await vi.waitFor(async () => expect((await ask('forward')).code).toBe(0), { timeout: SOON_MS });

  expect(await readAll(far)).toEqual(bytes);
  expect((await ask('cancel')).code).toBe(0);
  await vi.waitFor(() => expect(readAll(far)).rejects.toThrow('ECONNREFUSED'), { timeout: SOON_MS });
  expect((await ask('forward')).code).toBe(0);
  expect(await readAll(far)).toEqual(bytes);
  child.kill();
  await ended(child);
  await vi.waitFor(() => expect(readAll(far)).rejects.toThrow('ECONNREFUSED'), { timeout: SOON_MS });

  // What is run counts on what was asked before it.
  const used = ['-R', `127.0.0.1:${far}:127.0.0.1:${local}`, on('web-1'), `cat < /dev/tcp/127.0.0.1/${far}`];
  expect(await client.run('ssh', [...ssh(), ...used])).toMatchObject({ code: 0, stdout: 'hello', stderr: '' });
  const taken = await client.run('ssh', [...ssh('-R', `127.0.0.1:${open.port}:127.0.0.1:1`), on('web-1'), 'echo ran']);
  expect(taken).toMatchObject({ code: 0, stdout: 'ran\n' });
  expect(taken.stderr).toContain(`the server 'web-1' does not listen on 127.0.0.1:${open.port}`);
  const many = Array.from({ length: 17 }, (_, at) => ['-R', `0:127.0.0.1:${at + 1}`]).flat();
  const crowd = client.start('ssh', [...ssh(...many), on('web-1'), 'cat']);
  const told = text(crowd, 'stderr');
  await vi.waitFor(() => expect(told()).toContain('at most 16 ports'), { timeout: SOON_MS });
  crowd.stdin?.end();
  expect(await ended(crowd)).toBe(0);
  await grant();
  const refused = await client.run('ssh', [...ssh('-R', `${far}:127.0.0.1:${local}`), on('web-1'), 'echo ran']);
  expect(refused).toMatchObject({ code: 0, stdout: 'ran\n' });
  expect(refused.stderr).toContain("no role of yours lets you have a server listen for you ('remote_forwarding')");
});

test('the keys of a program are used on a server where a role says so, told, and no longer than the session', async () => {
  await grant('forward-agent');
  const { socket, fingerprint } = await agentOfKeys();
  const forward = ssh('-A', '-o', `IdentityAgent=${socket}`);
  const sign = 'ssh-add -L > p; echo word | ssh-keygen -Y sign -q -n file -f p 2>&1 | head -1';

  expect((await client.run('ssh', [...forward, on('web-1'), `ssh-add -l; ${sign}`])).stdout).toMatch(
    new RegExp(`${fingerprint.replaceAll(/[+/.]/g, '\\$&')}[^]*BEGIN SSH SIGNATURE`),
  );
  // Several at once, and on a terminal.
  const several = await client.run('ssh', [
    ...forward,
    ...['-tt', `${login}@web-1.localhost`, 'for i in 1 2 3 4 5; do ssh-add -l & done; wait'],
  ]);
  expect(several.stdout.split(fingerprint)).toHaveLength(6);
  await vi.waitFor(async () => expect(await events('GH231I')).toHaveLength(2));
  expect((await events('GH231I'))[0]).toMatchObject({ success: true, server_hostname: 'web-1', login });
  const permits = (await events('TC000I')).map(({ identity }) => (identity as { permits?: string[] }).permits);
  expect(permits).toContainEqual(['permit-agent-forwarding']);
  expect(permits).toContainEqual(['permit-pty', 'permit-agent-forwarding']);

  // What was not offered is not there, and a server that forwards none is told of.
  expect(await client.run('ssh', [...ssh(), on('web-1'), 'echo sock=$SSH_AUTH_SOCK'])).toMatchObject({
    stdout: 'sock=\n',
    stderr: '',
  });
  const none = await client.run('ssh', [...forward, on('web-2'), 'echo sock=$SSH_AUTH_SOCK']);
  expect(none).toMatchObject({ code: 0, stdout: 'sock=\n' });
  expect(none.stderr).toContain("the server 'web-2' forwards no agents");

  const held = client.start('ssh', [...forward, on('web-1'), 'echo begun; sleep 60']);
  const [out, err] = [text(held, 'stdout'), text(held, 'stderr')];
  await vi.waitFor(() => expect(out()).toContain('begun'), { timeout: SOON_MS });
  await grant();
  expect(await ended(held)).toBe(255);
  expect(err()).toContain("no role of yours lets you forward an agent ('forward_agent')");
  const refused = await client.run('ssh', [...forward, on('web-1'), 'echo sock=$SSH_AUTH_SOCK']);
  expect(refused).toMatchObject({ code: 0, stdout: 'sock=\n' });
  expect(refused.stderr).toContain('forward_agent');
});

test('windows of a server are drawn where a role says so, told, and refused in words', async () => {
  await grant('permit-x11-forwarding');
  const dir = mkdtempSync(join(tmpdir(), 'gatehouse-x11-'));
  const authority = join(dir, 'authority');
  writeFileSync(authority, '');
  const xvfb = spawn(
    'Xvfb',
    ['-displayfd', '3', '-screen', '0', '640x480x24', '-nolisten', 'tcp', '-auth', authority],
    {
      stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    },
  );
  onTestFinished(async () => {
    xvfb.kill();
    await ended(xvfb);
    rmSync(dir, { recursive: true, force: true });
  });
  const [number] = (await once(xvfb.stdio[3] as NodeJS.ReadableStream, 'data')) as [Buffer];
  const display = `:${String(number).trim()}`;
  const env = { DISPLAY: display, XAUTHORITY: authority };
  execFileSync('xauth', ['-f', authority, 'add', display, '.', randomBytes(16).toString('hex')]);
  const look = 'echo display=$(echo $DISPLAY | cut -d: -f1); xset q | grep -c "Keyboard Control"';

  const drawn = await client.run('ssh', [...ssh('-Y'), on('web-1'), look], { env });
  expect(drawn).toMatchObject({ code: 0, stdout: 'display=localhost\n1\n' });
  const onTerminal = await client.run('ssh', [...ssh('-Y', '-tt'), on('web-1'), look], { env });
  expect(onTerminal.stdout).toBe('display=localhost\r\n1\r\n');
  await vi.waitFor(async () => expect(await events('T3008I')).toHaveLength(2));
  const permits = (await events('TC000I')).map(({ identity }) => (identity as { permits?: string[] }).permits);
  expect(permits).toContainEqual(['permit-X11-forwarding']);

  const none = await client.run('ssh', [...ssh('-Y'), on('web-2'), 'echo display=$DISPLAY'], { env });
  expect(none).toMatchObject({ code: 0, stdout: 'display=\n' });
  expect(none.stderr).toContain("the server 'web-2' forwards no X11");
  await grant();
  const refused = await client.run('ssh', [...ssh('-Y'), on('web-1'), 'echo display=$DISPLAY'], { env });
  expect(refused).toMatchObject({ code: 0, stdout: 'display=\n' });
  expect(refused.stderr).toContain("no role of yours lets you forward X11 ('permit_x11_forwarding')");
  await vi.waitFor(async () => expect(await events('T3008W')).toHaveLength(2));
});
