/** `gatehouse proxy app` as people run it: a real process, a real port, and a gateway that changes its mind. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { apiTokenRoutes } from '@gatehouse/contract/access/api-tokens';
import { lockRoutes } from '@gatehouse/contract/access/locks/locks';
import { call } from '@gatehouse/contract/wire/client';
import { type AppWorld, startAppWorld } from '@gatehouse/gateway/testing/apps/app-world';
import { cleanEnvironment, ended, ROOT } from '@gatehouse/testkit/gateway-process';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';

/** More than the system itself buffers on the four connections it passes, there and back. */
const BYTES = 128 * 1024 * 1024;

let world: AppWorld;
let upstream: Server;
let proxy: ChildProcess;
let port: number;
let said = '';

beforeAll(async () => {
  world = await startAppWorld();
  // Says back whatever comes, and ends when the other side does.
  upstream = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => socket.destroy());
    socket.pipe(socket);
  });
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
  await world.add('echo', `tcp://127.0.0.1:${(upstream.address() as AddressInfo).port}`);
  const ann = await world.gateway.signedIn('ann');
  const { token } = await call(ann.send, apiTokenRoutes.create, { body: { name: 'cli', scope: 'all' } });
  const env = {
    ...cleanEnvironment(),
    GATEHOUSE_ADDRESS: `http://localhost:${world.port}`,
    GATEHOUSE_TOKEN: token,
  };
  proxy = spawn(`${ROOT}/gatehouse`, ['proxy', 'app', 'echo', '--format', 'json'], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  proxy.stderr?.on('data', (chunk) => {
    said += chunk;
  });
  const [line] = (await once(proxy.stdout!, 'data')) as [Buffer];
  port = Number((JSON.parse(String(line)) as { address: string }).address.split(':')[1]);
});
afterAll(async () => {
  await ended(proxy, 'SIGTERM');
  upstream.close();
  await world.close();
});

const dial = (): Socket => connect({ port, host: '127.0.0.1', allowHalfOpen: true });

test('bytes come back whole, however slowly they are read, and the end is told both ways', async () => {
  const socket = dial();
  let sent = 0;
  const chunk = Buffer.alloc(64 * 1024, 7);
  const write = () => {
    while (sent < BYTES) {
      sent += chunk.length;
      if (!socket.write(chunk)) return void socket.once('drain', write);
    }
    socket.end();
  };
  write();
  // Nobody reads: everything on the way waits instead of growing.
  await vi.waitFor(
    async () => {
      const before = sent;
      await new Promise((resolve) => setTimeout(resolve, 500));
      expect(sent).toBe(before);
    },
    { timeout: 20_000 },
  );
  expect(sent).toBeLessThan(BYTES);

  let read = 0;
  for await (const piece of socket) read += (piece as Buffer).length;

  expect(read).toBe(BYTES);
});

test('each connection is a session of its own, started and ended in the log', async () => {
  const socket = dial();
  socket.end('hello');

  expect(await text(socket)).toBe('hello');
  await vi.waitFor(async () => {
    const codes = (await world.gateway.events()).map(({ code }) => code);
    expect(codes).toEqual(expect.arrayContaining(['T2007I', 'T2011I']));
  });
});

test('a lock cuts what is open, says why, and lets nobody new in until it is lifted', async () => {
  const open = dial();
  open.write('x');
  await once(open, 'data');
  const reset = new Promise<string>((resolve) => {
    open.on('error', (error) => resolve('code' in error ? String(error.code) : ''));
    open.on('close', () => resolve('closed'));
  });

  const { name } = await call(world.admin.send, lockRoutes.create, {
    params: { clusterId: '-current-' },
    body: { targets: { user: 'ann' }, message: 'lost laptop' },
  });
  expect(await reset).toBe('ECONNRESET');
  const next = dial();
  await once(next, 'error');
  await vi.waitFor(() => expect(said).toMatch(/^gatehouse: echo: /m));
  await call(world.admin.send, lockRoutes.remove, { params: { clusterId: '-current-', name } });
  await vi.waitFor(async () => {
    const again = dial();
    again.on('error', () => undefined);
    again.end('back');
    expect(await text(again)).toBe('back');
  });
});
