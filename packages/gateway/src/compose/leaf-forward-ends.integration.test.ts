/** What ssh leads through a root to a server of its leaf and back, while something at the root takes away what it stands on: all of it ends, soon, in words. */

import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lockRoutes } from '@gatehouse/contract/access/locks/locks';
import { roleRoutes } from '@gatehouse/contract/access/roles/roles';
import { signInRoutes } from '@gatehouse/contract/identity/sign-in';
import { call } from '@gatehouse/contract/wire/client';
import { freePort } from '@gatehouse/testkit/free-port';
import { SOON_MS } from '@gatehouse/testkit/soon';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { params } from '../../testing/connection-tests/server-world.ts';
import { type ForwardingLeaf, startForwardingLeaf } from '../../testing/relay/forwarding-leaf.ts';
import { doorClient } from '../../testing/sessions/ssh-doors.ts';
import type { TestBrowser } from '../../testing/test-browser.ts';

/** Uses the keys and the display that it is offered, holds on to both, and says where they are. ssh keeps a window that has not said who it is for ever. */
const HOLD = `
import os, socket, struct, subprocess, time
keys = socket.socket(socket.AF_UNIX)
keys.connect(os.environ["SSH_AUTH_SOCK"])
at = 6000 + int(os.environ["DISPLAY"].rsplit(":", 1)[1].split(".")[0])
window = socket.create_connection(("127.0.0.1", at))
cookie = bytes.fromhex(subprocess.check_output(["xauth", "list", os.environ["DISPLAY"]]).split()[-1].decode())
window.sendall(struct.pack("<cxHHHHxx", b"l", 11, 0, 18, 16) + b"MIT-MAGIC-COOKIE-1__" + cookie)
window.recv(4)
print(os.environ["SSH_AUTH_SOCK"], at, flush=True)
time.sleep(120)
`;
const ROLES = ['access', 'backwards-there'];

let world: ForwardingLeaf;
let root: ForwardingLeaf['root'];
beforeAll(async () => {
  world = await startForwardingLeaf([
    { remote: 'access', local: ['dev'] },
    { remote: 'backwards-there', local: ['backwards'] },
  ]);
  ({ root } = world);
  await call(root.admin.send, roleRoutes.create, {
    body: { content: 'kind: role\nversion: v6\nmetadata: {name: backwards-there}\nspec: {}\n' },
  });
});
afterAll(() => world?.close());
beforeEach(() => {
  root.clock.now = world.leaf.gateway.clock.now = Date.now();
});

/** Of an agent that has no keys. */
const NO_KEYS = Buffer.of(0, 0, 0, 5, 12, 0, 0, 0, 0);

/** Says a word to whoever comes, or answers what they ask, and never lets go by itself. */
async function holding(at: number | string, answer?: Buffer): Promise<Set<Socket>> {
  const open = new Set<Socket>();
  const server: Server = createServer((socket) => {
    open.add(socket);
    socket.on('error', () => {});
    socket.once('close', () => open.delete(socket));
    if (answer) socket.on('data', () => socket.write(answer));
    else socket.resume().write('here');
  });
  if (typeof at === 'number') server.listen(at, '127.0.0.1');
  else server.listen(at);
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  return open;
}

/** A connection by which the other end has said something. */
async function answered(at: number): Promise<Socket> {
  return await vi.waitFor(
    async () => {
      const socket = connect(at, '127.0.0.1');
      socket.on('error', () => {});
      onTestFinished(() => void socket.destroy());
      const word = await Promise.race([once(socket, 'data'), once(socket, 'close').then(() => undefined)]);
      return word ? socket : expect.fail('nobody is there');
    },
    { timeout: SOON_MS },
  );
}
const isOver = (socket: Socket) =>
  vi.waitFor(() => expect(socket.readableEnded || socket.destroyed).toBe(true), { timeout: SOON_MS });
const takesNobody = (at: number) =>
  vi.waitFor(
    async () => {
      const socket = connect(at, '127.0.0.1');
      await expect(once(socket, 'connect')).rejects.toThrow('ECONNREFUSED');
    },
    { timeout: SOON_MS },
  );

interface Open {
  browser: TestBrowser;
  name: string;
  ended: Promise<[number | null]>;
  told(): string;
  /** Fulfilled once everything that was open at either end is closed. */
  everythingIsOver(): Promise<void>;
}

let count = 0;
/** Somebody of the root with a port each way, keys and windows, all of them in use. */
async function openEverything(): Promise<Open> {
  count += 1;
  const name = `eve-${count}`;
  await root.addUser(name, { roles: ROLES });
  const browser = await root.signedIn(name);
  const client = await doorClient(world.port, browser);
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-ends-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [near, there, far, local, display] = await Promise.all(Array.from({ length: 5 }, () => freePort()));
  const [keys, windows, theirs, ours] = await Promise.all([
    holding(join(folder, 'keys'), NO_KEYS),
    holding(display ?? 0),
    holding(there ?? 0),
    holding(local ?? 0),
  ]);
  const child = client.start('env', [
    ...[`DISPLAY=127.0.0.1:${(display ?? 0) - 6000}`, `XAUTHORITY=${join(folder, 'none')}`],
    ...['ssh', '-F', client.config, '-o', `IdentityAgent=${join(folder, 'keys')}`, '-A', '-Y'],
    ...['-L', `127.0.0.1:${near}:127.0.0.1:${there}`, '-R', `127.0.0.1:${far}:127.0.0.1:${local}`],
    ...[`${world.login}@web-1.localhost`, `python3 -c '${HOLD}'`],
  ]);
  const heard = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const)
    child[stream]?.on('data', (bytes: Buffer) => {
      heard[stream] += bytes;
    });
  const ended = once(child, 'close') as Promise<[number | null]>;
  await vi.waitFor(() => expect(heard.stdout, heard.stderr).toMatch(/^\S+ \d+\n$/), { timeout: SOON_MS });
  const [path = '', at] = heard.stdout.trim().split(' ');
  const through = [await answered(near ?? 0), await answered(far ?? 0)];
  await vi.waitFor(() => expect([keys.size, windows.size, theirs.size, ours.size]).toEqual([1, 1, 1, 1]), {
    timeout: SOON_MS,
  });
  return {
    ...{ browser, name, ended, told: () => heard.stderr },
    async everythingIsOver() {
      await Promise.all(through.map(isOver));
      await vi.waitFor(() => expect([keys.size, windows.size, theirs.size, ours.size]).toEqual([0, 0, 0, 0]), {
        timeout: SOON_MS,
      });
      await Promise.all([takesNobody(far ?? 0), takesNobody(Number(at))]);
      await vi.waitFor(() => expect(once(connect(path), 'connect')).rejects.toThrow(), { timeout: SOON_MS });
    },
  };
}

test.each<[string, (open: Open) => Promise<unknown>, RegExp]>([
  ['signed out', ({ browser }) => call(browser.send, signInRoutes.signOut, {}), /gatehouse: you signed out/],
  [
    'is locked',
    ({ name }) =>
      call(root.admin.send, lockRoutes.create, {
        params,
        body: { targets: { user: name }, message: 'stolen' } as never,
      }),
    /gatehouse: .*(locked|administrator)/,
  ],
  [
    'lost every role that is mapped',
    ({ name }) => root.setRoles(name, ['auditor']),
    /gatehouse: .*administrator ended/,
  ],
  [
    'lost the role that let it back',
    ({ name }) => root.setRoles(name, ['access']),
    /gatehouse: .*('forward_agent'|'permit_x11_forwarding'|'remote_forwarding')/,
  ],
])('ports both ways, keys and windows end once their owner %s at the root', async (_, happen, words) => {
  const open = await openEverything();
  const from = performance.now();

  await happen(open);
  const [code] = await open.ended;

  expect(performance.now() - from).toBeLessThan(SOON_MS);
  expect(code).toBe(255);
  expect(open.told()).toMatch(words);
  await open.everythingIsOver();
});

test('ports alone, beside which nothing runs, end with the sign-in, and ssh is told why', async () => {
  await root.addUser('fay', { roles: ROLES });
  const browser = await root.signedIn('fay');
  const client = await doorClient(world.port, browser);
  const [near, there] = await Promise.all([freePort(), freePort()]);
  await holding(there);
  const child = client.start('ssh', [
    ...['-F', client.config, '-o', 'LogLevel=INFO', '-N', '-L', `127.0.0.1:${near}:127.0.0.1:${there}`],
    `${world.login}@web-1+localhost@gate`,
  ]);
  let told = '';
  child.stderr?.on('data', (bytes: Buffer) => {
    told += bytes;
  });
  const ended = once(child, 'close');
  const through = await answered(near);

  await call(browser.send, signInRoutes.signOut, {});
  await isOver(through);
  await ended;

  expect(told).toContain('gatehouse: you signed out');
});

test('ports alone that a role gives no more are closed, and the next is refused in words', async () => {
  await root.addUser('gus', { roles: ROLES });
  const client = await doorClient(world.port, await root.signedIn('gus'));
  const [far, local] = await Promise.all([freePort(), freePort()]);
  await holding(local);
  const control = join(client.dir, 'control');
  client.start('ssh', ['-F', client.config, '-M', '-S', control, '-N', `${world.login}@web-1+localhost@gate`]);
  const forward = (at: number) =>
    client.run('ssh', ['-S', control, '-O', 'forward', '-R', `127.0.0.1:${at}:127.0.0.1:${local}`, 'gate']);
  await vi.waitFor(async () => expect((await forward(far)).code).toBe(0), { timeout: SOON_MS });
  const through = await answered(far);

  await root.setRoles('gus', ['access']);

  await isOver(through);
  await takesNobody(far);
  expect((await forward(await freePort())).code).not.toBe(0);
  const next = await client.run('ssh', ['-S', control, 'gate', 'echo ran']);
  expect(next).toMatchObject({ code: 0, stdout: 'ran\n', stderr: expect.stringContaining("'remote_forwarding'") });
});
