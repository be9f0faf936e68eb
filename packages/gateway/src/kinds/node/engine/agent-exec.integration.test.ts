/** Commands through a real agent process: the programs that run over SSH, byte by byte, and what is left after a cut. */
import { execFileSync, spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { type RealAgent, startRealAgent } from '../../../../testing/tunnels/real-agent.ts';
import type { RunningCommand } from '../../../sessions/commands/running-command.ts';
import { runAgentCommand } from '../run-command.ts';

let agent: RealAgent;
let folder: string;
beforeAll(async () => {
  agent = await startRealAgent();
});
afterAll(() => agent?.close());
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-exec-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function run(command: string | undefined, more: { env?: Record<string, string>; signal?: AbortSignal } = {}) {
  const { reach, resource, login, who } = agent;
  return runAgentCommand(reach, { resource, login, who, command, env: {}, ...more });
}

async function outcome(running: RunningCommand) {
  const [stdout, stderr, end] = await Promise.all([text(running.stdout), text(running.stderr), running.ended]);
  return { stdout, stderr, end };
}

test('output, errors and code are told, and only variables of language and terminal are handed on', async () => {
  const env = { LANG: 'fr_FR.UTF-8', LC_TIME: 'C', LD_PRELOAD: '/tmp/evil.so', LC_PAPER: 'x\ny' };
  const running = await run('echo "$LANG $LC_TIME [$LD_PRELOAD] [$LC_PAPER]"; id -un; echo bad >&2; exit 42', { env });

  expect(await outcome(running)).toEqual({
    stdout: `fr_FR.UTF-8 C [] []\n${agent.login}\n`,
    stderr: 'bad\n',
    end: { kind: 'exit', code: 42 },
  });
});

test('signals are told both ways', async () => {
  const running = await run('echo ready; sleep 1000');
  await new Promise((resolve) => running.stdout.once('data', resolve));
  running.signal('NOT-A-SIGNAL');
  running.signal('TERM');

  expect(await outcome(running)).toMatchObject({ end: { kind: 'signal', signal: 'TERM', core: false } });
});

test('100 MB go through and come back as they were, without either process growing', async () => {
  const memory = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${agent.pid}/status`, 'utf8'))?.[1]) * 1024;
  const block = randomBytes(1_000_000);
  const sent = createHash('sha256');
  const got = createHash('sha256');
  const running = await run('cat');
  const before = { own: process.memoryUsage().rss, agents: memory() };
  let most = { own: 0, agents: 0 };
  const source = Readable.from(
    (function* () {
      for (let round = 0; round < 100; round++) {
        sent.update(block);
        most = { own: Math.max(most.own, process.memoryUsage().rss), agents: Math.max(most.agents, memory()) };
        yield block;
      }
    })(),
  );
  let received = 0;
  running.stdout.on('data', (bytes: Buffer) => {
    received += bytes.length;
    got.update(bytes);
  });
  running.stderr.resume();
  await pipeline(source, running.stdin);

  expect(await running.ended).toEqual({ kind: 'exit', code: 0 });
  expect(received).toBe(100_000_000);
  expect(got.digest('hex')).toBe(sent.digest('hex'));
  expect(most.own - before.own).toBeLessThan(80_000_000);
  expect(most.agents - before.agents).toBeLessThan(80_000_000);
});

test('who reads nothing makes the command wait, and then gets all of it', async () => {
  const running = await run('head -c 20000000 /dev/zero | tee /dev/stderr | cat; echo done >&2');
  await sleep(300);
  const [stdout, stderr] = await Promise.all([buffer(running.stdout), buffer(running.stderr)]);

  expect(stdout.length).toBe(20_000_000);
  expect(stderr.length).toBe(20_000_005);
  expect(await running.ended).toEqual({ kind: 'exit', code: 0 });
});

test('who wants no more output does not hold the command up', async () => {
  const running = await run('head -c 20000000 /dev/zero; echo over >&2; exit 3');
  running.stdout.destroy();

  expect(await text(running.stderr)).toBe('over\n');
  expect(await running.ended).toEqual({ kind: 'exit', code: 3 });
});

test('a command that closes its streams early runs on, and one that reads no input ends all the same', async () => {
  const closing = await run('exec >&- <&-; sleep 0.2; echo still here >&2; exit 8');
  expect(await outcome(closing)).toEqual({ stdout: '', stderr: 'still here\n', end: { kind: 'exit', code: 8 } });

  const deaf = await run('sleep 0.3; exit 9');
  const writing = pipeline(Readable.from([Buffer.alloc(5_000_000)]), deaf.stdin).catch(() => 'gave up');
  expect(await outcome(deaf)).toMatchObject({ end: { kind: 'exit', code: 9 } });
  expect(await writing).toBe('gave up');
});

test.each(['close', 'cut', 'signal'] as const)('after a %s nothing of it runs any more', async (how) => {
  const abort = new AbortController();
  const running = await run('echo $$; sleep 1000 & wait', { signal: abort.signal });
  const pid = Number(await new Promise<Buffer>((resolve) => running.stdout.once('data', resolve)));
  const isThere = () => {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  };
  expect(isThere()).toBe(true);
  if (how === 'close') running.close();
  else if (how === 'cut') agent.cut();
  else abort.abort();

  expect(await running.ended).toMatchObject({ kind: 'lost' });
  await vi.waitFor(() => expect(isThere()).toBe(false), { timeout: 10_000 });
});

/** Runs a program that calls `ssh` to run a command elsewhere, with commands by the agent in the place of ssh's. */
async function throughSsh(program: string, args: (ssh: string) => string[], env: Record<string, string> = {}) {
  const socket = join(folder, 'ssh.sock');
  const server = createServer({ allowHalfOpen: true }, async (client) => {
    const line = await new Promise<Buffer>((resolve) =>
      client.once('data', (bytes: Buffer) => {
        // What comes while the command is begun would be read by nobody.
        client.pause();
        resolve(bytes);
      }),
    );
    const end = line.indexOf('\n');
    const running = await run(line.subarray(0, end).toString());
    client.unshift(line.subarray(end + 1));
    running.stderr.resume();
    client.pipe(running.stdin);
    running.stdout.pipe(client);
    client.on('error', () => running.close());
  });
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  const ssh = join(folder, 'ssh');
  // The command is what stands behind the host.
  const script = `const args = process.argv.slice(2);
while (args[0].startsWith('-')) { const flag = args.shift(); if (/^-[oplcFiS]$/.test(flag)) args.shift(); }
args.shift();
if (args[0] === '--') args.shift();
const socket = require('node:net').connect({ path: ${JSON.stringify(socket)}, allowHalfOpen: true });
socket.write(args.join(' ') + '\\n');
process.stdin.pipe(socket).pipe(process.stdout);
// As ssh does: its own input may still be open.
socket.on('end', () => process.stdout.write('', () => process.exit(0)));`;
  writeFileSync(`${ssh}.cjs`, script);
  writeFileSync(ssh, `#!/bin/sh\nexec ${process.execPath} ${ssh}.cjs "$@"\n`, { mode: 0o755 });
  const child = spawn(program, args(ssh), { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  const said = text(child.stderr);
  child.stdout.resume();
  const code = await new Promise((resolve) => child.once('exit', resolve));
  server.close();
  return { code, said: await said };
}

/** A folder with all sorts of bytes, and a place of the login to put it. */
function somethingToCopy() {
  const from = join(folder, 'from');
  mkdirSync(join(from, 'sub'), { recursive: true });
  writeFileSync(join(from, 'all.bin'), Buffer.from(Array.from({ length: 256 * 40 }, (_, at) => at % 256)));
  writeFileSync(join(from, 'sub', 'big.bin'), randomBytes(3_000_000));
  const home = execFileSync('getent', ['passwd', agent.login]).toString().split(':')[5] as string;
  return { from, home };
}

test.each([
  ['rsync', (ssh: string, from: string, to: string) => ['-a', '-e', ssh, `${from}/`, `web-1:${to}/`]],
  ['scp', (ssh: string, from: string, to: string) => ['-q', '-O', '-r', '-S', ssh, from, `web-1:${to}`]],
])('%s carries a folder over it as it is', async (program, args) => {
  const { from, home } = somethingToCopy();
  const to = join(home, `copy-${randomBytes(4).toString('hex')}`);

  const { code, said } = await throughSsh(program, (ssh) => args(ssh, from, to));

  expect([code, said]).toEqual([0, '']);
  expect(execFileSync('diff', ['-r', from, to]).toString()).toBe('');
});

test('git pushes over it and clones back', async () => {
  const { from, home } = somethingToCopy();
  const repository = `${home}/git-${randomBytes(4).toString('hex')}.git`;
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: from });
  git('init', '-q', '-b', 'main');
  git('add', '.');
  git('commit', '-qm', 'all');
  expect(await outcome(await run(`git init -q --bare ${repository}`))).toMatchObject({ end: { code: 0 } });
  const quietly = { GIT_SSH_VARIANT: 'simple' };
  const pushed = await throughSsh(
    'git',
    (ssh) => ['-c', `core.sshCommand=${ssh}`, '-C', from, 'push', '-q', `web-1:${repository}`, 'main'],
    quietly,
  );
  const back = join(folder, 'back');
  const cloned = await throughSsh(
    'git',
    (ssh) => ['-c', `core.sshCommand=${ssh}`, 'clone', '-q', '-b', 'main', `web-1:${repository}`, back],
    quietly,
  );

  expect([pushed, cloned]).toEqual([
    { code: 0, said: '' },
    { code: 0, said: '' },
  ]);
  expect(readFileSync(join(back, 'sub', 'big.bin')).equals(readFileSync(join(from, 'sub', 'big.bin')))).toBe(true);
});

test('a login it does not let in is refused in words', async () => {
  const { reach, resource, who } = agent;
  const refused = runAgentCommand(reach, { resource, login: 'gh-no-such', who, command: 'true', env: {} });

  await expect(refused).rejects.toMatchObject({ code: 'denied', message: expect.stringContaining('gh-no-such') });
});
