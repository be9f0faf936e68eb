/** Forwards by a real process of a real user, to real sockets. */
import { chmodSync, chownSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { IS_ROOT, osUsers } from '../../../../testing/os-users.ts';
import { offeredStream } from '../../../../testing/stream-pair.ts';
import type { Person } from '../../../runtime/children/environment.ts';
import { findDescriptorCloser } from '../../../runtime/children/without-descriptors.ts';
import { silentLog } from '../../../runtime/log.ts';
import { checkLogin } from '../login/check-login.ts';
import { ownUser } from '../login/find-user.ts';
import { findLoginMethod } from '../login/start-as.ts';
import { createForwards, type Forwards, type ForwardsDeps } from './forwards.ts';

const RULES = { shell: true, logins: undefined, where: 'agent.yaml' };
const users = osUsers();
let person: Person;
let folder: string;
let forwards: Forwards;
const servers: Server[] = [];
beforeAll(async () => {
  person = await checkLogin(IS_ROOT ? await users.add() : ownUser().name, RULES);
});
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-forward-'));
  chmodSync(folder, 0o755);
});
afterEach(() => {
  forwards?.close();
  for (const server of servers.splice(0)) server.close();
  rmSync(folder, { recursive: true, force: true });
});
afterAll(() => users.removeAll());

async function make(more: Partial<ForwardsDeps> = {}): Promise<void> {
  forwards = createForwards({
    ...{ rules: RULES, mayForward: true, way: await findLoginMethod(), closer: await findDescriptorCloser() },
    ...{ language: 'C.UTF-8', log: silentLog, ...more },
  });
}

/** The stream is the gateway's end, once it was accepted. */
async function open(to: Record<string, string>, signal = new AbortController().signal): Promise<Duplex> {
  const { offered, near } = offeredStream();
  const accepted = Promise.withResolvers<void>();
  const accept = () => {
    accepted.resolve();
    return offered.accept();
  };
  const served = forwards.serve(
    { ...offered, accept },
    { session: 's', user: 'ann', login: person.name, ...to },
    signal,
  );
  await Promise.race([accepted.promise, served]);
  return near;
}

async function listen(at: string | number, onConnection: (socket: Socket) => void): Promise<number> {
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => {});
    onConnection(socket);
  });
  servers.push(server);
  await new Promise<void>((resolve) =>
    typeof at === 'string' ? server.listen(at, resolve) : server.listen(at, '127.0.0.1', resolve),
  );
  return typeof at === 'string' ? 0 : (server.address() as AddressInfo).port;
}

/** The processes that connect, of this test's own. */
function dialerPids(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      const isOurs = new RegExp(`^PPid:\\s+${process.pid}$`, 'm').test(readText(`/proc/${pid}/status`));
      return isOurs && readText(`/proc/${pid}/cmdline`).includes('forward-dialer');
    });
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return '';
  }
}

/** Speaks first, and answers when it was told all. */
async function talk(socket: Socket): Promise<void> {
  socket.write('welcome ');
  socket.end(`you said ${await text(socket)}`);
}

test('bytes go both ways and each way ends by itself, by address, by name and by path', async () => {
  await make();
  const port = await listen(0, talk);
  const path = join(folder, 'open.sock');
  await listen(path, talk);
  chmodSync(path, 0o666);

  const targets: Record<string, string>[] = [
    { host: '127.0.0.1', port: `${port}` },
    { host: 'localhost', port: `${port}` },
    { path },
  ];
  for (const to of targets) {
    const stream = await open(to);
    stream.end('hello');
    expect(await text(stream)).toBe('welcome you said hello');
  }
  expect(forwards.dialers).toBe(1);
});

test('ten megabytes arrive as they were, in many connections at once', async () => {
  await make();
  const port = await listen(0, (socket) => socket.pipe(socket));
  const sent = Buffer.from(Array.from({ length: 1_000_000 }, (_, at) => (at * 31) % 256));

  const back = await Promise.all(
    Array.from({ length: 10 }, async () => {
      const stream = await open({ host: '127.0.0.1', port: String(port) });
      stream.end(sent);
      return (await buffer(stream)).equals(sent);
    }),
  );

  expect(back).toEqual(Array.from({ length: 10 }, () => true));
});

test.runIf(IS_ROOT)('a socket that is closed to the login stays closed, and one that is its own is open', async () => {
  await make();
  const path = join(folder, 'closed.sock');
  await listen(path, talk);
  chmodSync(path, 0o600);
  await expect(open({ path })).rejects.toMatchObject({
    code: 'unreachable',
    message: `${path} cannot be reached as '${person.name}': the login may not connect there`,
  });

  chownSync(path, person.uid, person.gid);
  const stream = await open({ path });
  stream.end();
  expect(await text(stream)).toBe('welcome you said ');
});

test.each([
  ['an address of a cloud', { host: '169.254.169.254', port: '80' }, undefined],
  ['the same in another notation', { host: '::ffff:a9fe:a9fe', port: '80' }, undefined],
  ['the same in IPv6', { host: 'fd00:ec2::254', port: '80' }, undefined],
  ['a name that leads there', { host: 'innocent.example', port: '80' }, ['169.254.169.254', 'fd00:ec2::254']],
])('%s is not connected to', async (_, to, found) => {
  await make(found ? { resolve: async () => found } : {});

  await expect(open(to)).rejects.toMatchObject({
    code: 'not_allowed',
    message: expect.stringContaining('gives out credentials of a cloud'),
  });
  expect(forwards.dialers).toBe(0);
});

test('a name is looked up once, and only what may be dialled is', async () => {
  const port = await listen(0, talk);
  const resolve = vi.fn(async () => ['169.254.169.254', '127.0.0.1']);
  await make({ resolve });

  const stream = await open({ host: 'two.example', port: String(port) });
  stream.end('x');

  expect(await text(stream)).toBe('welcome you said x');
  expect(resolve).toHaveBeenCalledOnce();
});

test.each([
  ['nothing listens', { host: '127.0.0.1', port: '1' }, 'nothing listens there'],
  ['there is no such socket', { path: '/no/such/socket' }, 'there is no such socket'],
  ['there is no such name', { host: 'no-such-name.invalid', port: '1' }, 'cannot be resolved'],
])('%s: told in words', async (_, to, words) => {
  await make();

  await expect(open(to as Record<string, string>)).rejects.toMatchObject({
    code: 'unreachable',
    message: expect.stringContaining(words),
  });
});

test.each([
  ['a port beyond all', { host: 'a', port: '70000' }],
  ['no port', { host: 'a', port: '0' }],
  ['a host with a space', { host: 'a b', port: '1' }],
  ['a path from nowhere', { path: 'relative.sock' }],
  ['a path that is none', { path: '/a\0b' }],
  ['a path too long', { path: `/${'a'.repeat(120)}` }],
  ['a path too long in bytes', { path: `/${'ä'.repeat(60)}` }],
  ['nothing at all', {}],
])('%s is refused', async (_, to) => {
  await make();

  await expect(open(to as Record<string, string>)).rejects.toMatchObject({ code: 'bad_request' });
});

test('an agent whose file turns forwards off says where, and a login it does not let in is refused', async () => {
  await make({ mayForward: false });
  await expect(open({ host: '127.0.0.1', port: '80' })).rejects.toMatchObject({
    code: 'not_allowed',
    message: "this agent forwards nothing: 'forward: false' in agent.yaml",
  });

  await make();
  await expect(open({ host: '127.0.0.1', port: '80', login: 'gh-no-such' })).rejects.toThrow('gh-no-such');
});

test('who gives a connection up leaves nothing of it, and the process goes when nobody needs it', async () => {
  await make({ idleMs: 50 });
  const closed = Promise.withResolvers<void>();
  const port = await listen(0, (socket) =>
    socket
      .resume()
      .on('end', () => closed.resolve())
      .on('end', () => socket.end()),
  );
  const stream = await open({ host: '127.0.0.1', port: String(port) });
  stream.destroy();

  await closed.promise;
  await vi.waitFor(() => expect(forwards.dialers).toBe(0), { timeout: 5_000 });
});

test('a process that was killed is replaced by the next who needs one', async () => {
  await make();
  const port = await listen(0, talk);
  const seen: number[] = [];
  const first = await open({ host: '127.0.0.1', port: String(port) });
  first.end('1');
  await text(first);
  for (const pid of dialerPids()) {
    seen.push(pid);
    process.kill(pid, 'SIGKILL');
  }
  expect(seen).toHaveLength(1);
  await vi.waitFor(() => expect(forwards.dialers).toBe(0));

  const second = await open({ host: '127.0.0.1', port: String(port) });
  second.end('2');
  expect(await text(second)).toBe('welcome you said 2');
});

test.runIf(IS_ROOT)(
  'the process is the user’s, cannot be looked into, and hears no signal that lets them in',
  async () => {
    await make();
    const port = await listen(0, talk);
    const stream = await open({ host: '127.0.0.1', port: String(port) });
    stream.end();
    await text(stream);
    const [pid = 0] = dialerPids();
    const status = readText(`/proc/${pid}/status`);
    expect(status).toMatch(new RegExp(`^Uid:\\s+${person.uid}\\s+${person.uid}\\s+${person.uid}\\s`, 'm'));
    // Of a process that may be looked into these files are its user's.
    expect(statSync(`/proc/${pid}/mem`).uid).toBe(0);
    // The bit of SIGUSR1: one that is not caught starts no debugger.
    const [, caught = ''] = /^SigCgt:\s*([0-9a-f]+)$/m.exec(status) ?? [];
    expect((BigInt(`0x${caught}`) >> 9n) & 1n).toBe(0n);
  },
);
