/** OpenSSH's own clients and server, and an agent's server, with the relay between them. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Duplex } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type RealAgent, startRealAgent } from '../../../../../../testing/tunnels/real-agent.ts';
import { openAgentSftp } from '../../open-sftp.ts';
import type { SftpObservation } from './observation.ts';
import { relaySftp } from './relay-sftp.ts';

let agent: RealAgent;
let folder: string;
let bridge: string;
let listener: Server;
let observed: SftpObservation[];
let ends: (string | undefined)[];
let openServer: () => Promise<Duplex>;
beforeAll(async () => {
  agent = await startRealAgent();
});
afterAll(() => agent?.close());

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-relay-'));
  observed = [];
  ends = [];
  listener = createServer({ allowHalfOpen: true }, async (client) => {
    client.on('error', () => {});
    const onObserved = async (observation: SftpObservation) => void observed.push(observation);
    const { ended } = relaySftp({ client, server: await openServer(), onObserved });
    ends.push(await ended);
    client.end();
  });
  const socket = join(folder, 'relay.sock');
  await new Promise<void>((resolve) => listener.listen(socket, resolve));
  // What `-D` starts in the place of a server.
  bridge = join(folder, 'bridge');
  const script = `const socket = require('node:net').connect({ path: ${JSON.stringify(socket)}, allowHalfOpen: true });
process.stdin.pipe(socket).pipe(process.stdout);
socket.on('end', () => process.stdout.write('', () => process.exit(0)));`;
  writeFileSync(`${bridge}.cjs`, script);
  writeFileSync(bridge, `#!/bin/sh\nexec ${process.execPath} ${bridge}.cjs\n`, { mode: 0o755 });
});
afterEach(() => {
  listener.close();
  rmSync(folder, { recursive: true, force: true });
});

const SERVERS = {
  async sshd(): Promise<Duplex> {
    const child = spawn('/usr/lib/openssh/sftp-server', { stdio: ['pipe', 'pipe', 'ignore'], cwd: folder });
    child.stdin.on('error', () => {});
    return Duplex.from({ readable: child.stdout, writable: child.stdin });
  },
  agent: (): Promise<Duplex> => openAgentSftp(agent, agent),
};

async function outcome(child: ChildProcess): Promise<{ code: unknown; said: string }> {
  const said = child.stderr ? text(child.stderr) : '';
  child.stdout?.resume();
  return { code: await new Promise((resolve) => child.once('exit', resolve)), said: await said };
}

/** Where the login of either server may write. */
function place(name: keyof typeof SERVERS): string {
  if (name === 'sshd') return folder;
  return execFileSync('getent', ['passwd', agent.login]).toString().split(':')[5] as string;
}

test.each(['sshd', 'agent'] as const)(
  'sftp does all it can with the server of %s, and each change is told',
  async (name) => {
    openServer = SERVERS[name];
    const there = join(place(name), `t-${randomBytes(4).toString('hex')}`);
    const big = randomBytes(3_000_000);
    const [up, down] = [join(folder, 'up.bin'), join(folder, 'down.bin')];
    writeFileSync(up, big);
    const batch = [
      `mkdir ${there}`,
      `cd ${there}`,
      `put ${up} a.bin`,
      'chmod 640 a.bin',
      'rename a.bin b.bin',
      'symlink b.bin link',
      'ln b.bin hard',
      'df',
      'ls -l',
      `get link ${down}`,
      'rm hard',
      'rm link',
      '-rm nothing-there',
      'mkdir sub',
      'rmdir sub',
    ];
    const child = spawn('sftp', ['-q', '-b', '-', '-D', bridge], { stdio: ['pipe', 'pipe', 'pipe'] });
    child.stdin.end(`${batch.join('\n')}\n`);

    const { code, said } = await outcome(child);

    expect([code, said.replace(/.*nothing-there[^\n]*\n/g, '')]).toEqual([0, '']);
    expect(readFileSync(down).equals(big)).toBe(true);
    expect(statSync(join(there, 'b.bin')).mode & 0o777).toBe(0o640);
    const all = observed.map(({ operation, path, to, error }) => [
      operation,
      path.replace(`${there}/`, ''),
      ...(to === undefined ? [] : [to.replace(`${there}/`, '')]),
      ...(error === undefined ? [] : ['failed']),
    ]);
    expect(all.filter(([operation]) => operation !== 'fsetstat')).toEqual([
      ['mkdir', there],
      ['open', 'a.bin'],
      ['close', 'a.bin'],
      ['setstat', 'a.bin'],
      ['rename', 'a.bin', 'b.bin'],
      ['symlink', 'link', 'b.bin'],
      ['hardlink', 'hard', 'b.bin'],
      ['open', 'link'],
      ['close', 'link'],
      ['remove', 'hard'],
      ['remove', 'link'],
      ['remove', 'nothing-there', 'failed'],
      ['mkdir', 'sub'],
      ['rmdir', 'sub'],
    ]);
    const closed = observed.filter(({ operation }) => operation === 'close').map(({ transferred }) => transferred);
    expect(closed).toEqual([
      { read: 0, written: 3_000_000 },
      { read: 3_000_000, written: 0 },
    ]);
    expect(observed.at(-1)?.home).toBe(name === 'sshd' ? folder : place(name));
    expect(ends).toEqual([undefined]);
  },
);

test.each(['sshd', 'agent'] as const)('scp carries folders both ways with the server of %s', async (name) => {
  openServer = SERVERS[name];
  const from = join(folder, 'from');
  mkdirSync(join(from, 'sub'), { recursive: true });
  for (let count = 0; count < 20; count++) writeFileSync(join(from, 'sub', `f${count}`), randomBytes(10_000 * count));
  symlinkSync('sub/f3', join(from, 'link'));
  const there = join(place(name), `t-${randomBytes(4).toString('hex')}`);

  const upwards = await outcome(spawn('scp', ['-s', '-q', '-p', '-r', '-D', bridge, from, `host:${there}`]));
  const downwards = await outcome(
    spawn('scp', ['-s', '-q', '-r', '-D', bridge, `host:${there}`, join(folder, 'back')]),
  );

  expect([upwards, downwards]).toEqual([
    { code: 0, said: '' },
    { code: 0, said: '' },
  ]);
  expect(execFileSync('diff', ['-r', from, join(folder, 'back')]).toString()).toBe('');
  expect(observed.filter(({ operation }) => operation === 'open')).toHaveLength(42);
});

test('100 MB pass without the gateway growing', async () => {
  openServer = SERVERS.sshd;
  const [up, there] = [join(folder, 'up.bin'), join(folder, 'there.bin')];
  execFileSync('dd', ['if=/dev/urandom', `of=${up}`, 'bs=1M', 'count=100', 'status=none']);
  const before = process.memoryUsage().rss;
  let most = 0;
  const watch = setInterval(() => {
    most = Math.max(most, process.memoryUsage().rss);
  }, 20);

  const upwards = await outcome(spawn('scp', ['-s', '-q', '-D', bridge, up, `host:${there}`]));
  clearInterval(watch);

  expect(upwards).toEqual({ code: 0, said: '' });
  expect(execFileSync('cmp', [up, there]).toString()).toBe('');
  expect(most - before).toBeLessThan(80_000_000);
});

test('a client that is cut off in the middle leaves nothing open, and what it did is told', async () => {
  openServer = SERVERS.agent;
  const there = join(place('agent'), `t-${randomBytes(4).toString('hex')}`);
  const child = spawn('sftp', ['-q', '-l', '8000', '-b', '-', '-D', bridge], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  const up = join(folder, 'up.bin');
  writeFileSync(up, randomBytes(50_000_000));
  child.stdin.end(`put ${up} ${there}\n`);
  await expect.poll(() => existsSync(there) && statSync(there).size, { timeout: 20_000 }).toBeGreaterThan(100_000);
  // With the program that stands for the server: it would go on reading what its client had sent.
  process.kill(-(child.pid ?? 0), 'SIGKILL');

  await expect.poll(() => ends, { timeout: 10_000 }).toHaveLength(1);
  const last = observed.at(-1);
  expect(last).toMatchObject({
    operation: 'close',
    path: there,
    error: expect.stringContaining('before it was closed'),
  });
  expect(last?.transferred?.written).toBeGreaterThan(100_000);
});
