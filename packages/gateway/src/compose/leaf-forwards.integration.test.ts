/** What ssh leads through a root to a server of its leaf and back: ports both ways, a SOCKS proxy, the keys of an agent, windows. */
import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { freePort } from '@gatehouse/testkit/free-port';
import { SOON_MS } from '@gatehouse/testkit/soon';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { type ForwardingLeaf, startForwardingLeaf } from '../../testing/relay/forwarding-leaf.ts';
import { agentOfKeys } from '../../testing/sessions/agent-of-keys.ts';
import { type DoorClient, doorClient } from '../../testing/sessions/ssh-doors.ts';
import type { TestBrowser } from '../../testing/test-browser.ts';

const SAID = Buffer.from('hello from there');
let world: ForwardingLeaf;
let ann: TestBrowser;
let client: DoorClient;
beforeAll(async () => {
  world = await startForwardingLeaf([{ remote: 'access', local: ['dev', 'backwards'] }]);
  ann = await world.root.signedIn('ann');
});
afterAll(() => world?.close());
beforeEach(async () => {
  client = await doorClient(world.port, ann);
});

const server = () => `${world.login}@web-1.localhost`;

async function saying(): Promise<number> {
  const listening = createServer((socket) => socket.end(SAID)).listen(0, '127.0.0.1');
  onTestFinished(() => void listening.close());
  await once(listening, 'listening');
  return (listening.address() as { port: number }).port;
}

function heardBy(socket: Socket): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    socket.on('data', (bytes) => parts.push(bytes));
    socket.once('error', reject);
    socket.once('end', () => resolve(Buffer.concat(parts)));
  });
}
const readAll = (at: number) => heardBy(connect(at, '127.0.0.1'));

/** Runs until the test is over. */
function forwarding(...args: string[]): void {
  const child = client.start('ssh', ['-F', client.config, '-N', ...args, server()]);
  onTestFinished(async () => {
    child.kill();
    if (child.exitCode === null && child.signalCode === null) await once(child, 'close');
  });
}

test('-L leads to a port that the server of the leaf reaches', async () => {
  const [near, there] = [await freePort(), await saying()];
  forwarding('-L', `127.0.0.1:${near}:127.0.0.1:${there}`);

  expect(await vi.waitFor(() => readAll(near), { timeout: SOON_MS })).toEqual(SAID);
});

test('-D leads wherever a program asks its SOCKS proxy to', async () => {
  const [near, there] = [await freePort(), await saying()];
  forwarding('-D', `127.0.0.1:${near}`);
  const socket = await vi.waitFor(
    async () => {
      const dialled = connect(near, '127.0.0.1');
      await once(dialled, 'connect');
      return dialled;
    },
    { timeout: SOON_MS },
  );
  socket.write(Buffer.of(5, 1, 0));
  await once(socket, 'data');
  socket.write(Buffer.of(5, 1, 0, 1, 127, 0, 0, 1, there >> 8, there & 0xff));

  // Ten bytes of SOCKS before it.
  expect((await heardBy(socket)).subarray(10)).toEqual(SAID);
});

test('-R has the server of the leaf listen for a program, and the leaf has that in its log', async () => {
  const [far, local] = [await freePort(), await saying()];
  forwarding('-R', `127.0.0.1:${far}:127.0.0.1:${local}`);

  expect(await vi.waitFor(() => readAll(far), { timeout: SOON_MS })).toEqual(SAID);
  const told = (await world.leaf.gateway.events()).filter(({ code }) => code === 'T3003I');
  expect(told.map(({ user, data }) => [user, data])).toContainEqual([
    'root/ann',
    expect.objectContaining({ addr: `127.0.0.1:${far}`, listens: true }),
  ]);
});

test('whoever comes in at the moment that a server listens is led to the program, not turned away', async () => {
  const local = await saying();
  // Each is an event, and those that follow the first wait for their commit.
  const far = await Promise.all(Array.from({ length: 6 }, () => freePort()));
  forwarding(...far.flatMap((at) => ['-R', `127.0.0.1:${at}:127.0.0.1:${local}`]));

  const heard = far.map((at) => vi.waitFor(() => readAll(at), { timeout: SOON_MS, interval: 1 }));
  expect(await Promise.all(heard)).toEqual(far.map(() => SAID));
});

test('-R with any port has the server choose one, as often as it is asked', async () => {
  // The same twice is one to ssh.
  const [one, other] = [await saying(), await saying()];
  const child = client.start('ssh', [
    ...['-F', client.config, '-o', 'LogLevel=INFO', '-N', '-R', `0:127.0.0.1:${one}`, '-R', `0:127.0.0.1:${other}`],
    server(),
  ]);
  let told = '';
  child.stderr?.on('data', (bytes: Buffer) => {
    told += bytes;
  });
  const given = await vi.waitFor(
    () => {
      const ports = [...told.matchAll(/Allocated port (\d+)/g)].map(([, port]) => Number(port));
      expect(ports, told).toHaveLength(2);
      return ports;
    },
    { timeout: SOON_MS },
  );

  expect(new Set(given).size).toBe(2);
  for (const at of given) expect(await vi.waitFor(() => readAll(at), { timeout: SOON_MS })).toEqual(SAID);
});

test('-A lets the keys of a program be used there', async () => {
  const { socket, fingerprint } = await agentOfKeys();

  const ran = await client.ssh('-A', '-o', `IdentityAgent=${socket}`, server(), 'ssh-add -l');

  expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining(fingerprint) });
});

test('-Y draws windows of the server of the leaf', async () => {
  const authority = join(client.dir, 'authority');
  writeFileSync(authority, '');
  const xvfb = spawn(
    'Xvfb',
    ['-displayfd', '3', '-screen', '0', '640x480x24', '-nolisten', 'tcp', '-auth', authority],
    { stdio: ['ignore', 'ignore', 'ignore', 'pipe'] },
  );
  onTestFinished(async () => {
    xvfb.kill();
    await once(xvfb, 'close');
  });
  const [number] = (await once(xvfb.stdio[3] as NodeJS.ReadableStream, 'data')) as [Buffer];
  const display = `:${String(number).trim()}`;
  execFileSync('xauth', ['-f', authority, 'add', display, '.', randomBytes(16).toString('hex')]);
  const look = 'xset q | grep -c "Keyboard Control"';

  const drawn = await client.run('ssh', ['-F', client.config, '-Y', server(), look], {
    env: { DISPLAY: display, XAUTHORITY: authority },
  });

  expect(drawn).toMatchObject({ code: 0, stdout: '1\n' });
});
