/** The first server: `gatehouse start --local-agent` as a user runs it, killed, started again and stopped. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { freePort } from '@gatehouse/testkit/free-port';
import { afterEach, beforeEach, expect, test } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../../../..');
const LAUNCHER = join(ROOT, 'gatehouse');
const SOON = { timeout: 30_000, interval: 200 };
let folder: string;
let dataDir: string;
let env: NodeJS.ProcessEnv;
let gateway: ChildProcess | undefined;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-local-'));
  dataDir = join(folder, 'data');
  env = {
    PATH: process.env.PATH,
    HOME: folder,
    GATEHOUSE_DATA_DIR: dataDir,
    GATEHOUSE_LISTEN: `127.0.0.1:${await freePort()}`,
  };
});
afterEach(async () => {
  await end('SIGTERM');
  const left = agentPid();
  if (left !== undefined && isAlive(left)) process.kill(left, 'SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

async function start(...args: string[]): Promise<void> {
  const started = spawn(LAUNCHER, ['start', ...args], { env, cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
  gateway = started;
  let output = '';
  for (const stream of [started.stdout, started.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk;
    });
  }
  await expect.poll(() => output, { ...SOON, timeout: 60_000 }).toContain('is ready at');
}

async function end(signal: NodeJS.Signals): Promise<number | null> {
  const child = gateway;
  gateway = undefined;
  if (!child || child.exitCode !== null || child.signalCode !== null) return null;
  child.kill(signal);
  const [code] = await once(child, 'exit');
  return code;
}

function command(...args: string[]): Promise<string> {
  return new Promise((done) => {
    execFile(LAUNCHER, args, { env, cwd: folder }, (_error, stdout) => done(stdout));
  });
}

interface Server {
  hostname: string;
  tags: { name: string; value: string }[];
}

async function servers(): Promise<Server[]> {
  const text = await command('nodes', 'ls', '--format', 'json');
  const listed: unknown = text ? JSON.parse(text) : [];
  return (Array.isArray(listed) ? listed : ((listed as { items: Server[] }).items ?? [])) as Server[];
}

function agentPid(): number | undefined {
  const file = join(dataDir, 'local-agent', 'agent.pid');
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).pid : undefined;
}

/** One that has ended may still wait for its parent to look. */
function isAlive(pid: number): boolean {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false;
  }
}

test('this machine is a server at once, outlives a killed gateway, is taken over, and ends with a clean stop', async () => {
  await start('--local-agent');
  await expect.poll(() => servers().then((found) => found.length), SOON).toBe(1);
  const pid = agentPid();
  expect(pid).toBeDefined();
  expect(statSync(join(dataDir, 'local-agent')).mode & 0o777).toBe(0o700);
  expect(statSync(join(dataDir, 'local-agent', 'agent.log')).mode & 0o777).toBe(0o600);
  const environment = readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0');
  expect(environment.filter((each) => /^GATEHOUSE_(DATA_DIR|LISTEN)/.test(each))).toEqual([]);

  await end('SIGKILL');
  expect(isAlive(pid as number)).toBe(true);
  await start('--local-agent');
  await expect.poll(() => servers().then((found) => found.length), SOON).toBe(1);
  expect(agentPid()).toBe(pid);

  expect(await end('SIGTERM')).toBe(0);
  expect(agentPid()).toBeUndefined();
  await expect.poll(() => isAlive(pid as number), SOON).toBe(false);
});

test('a plain start runs no agent', async () => {
  await start();
  await end('SIGTERM');
  await start('--local-agent', '--no-local-agent');

  expect(existsSync(join(dataDir, 'local-agent'))).toBe(false);
});

test('an agent the gateway has forgotten joins again by itself, and its own file says what it tells of itself', async () => {
  await start('--local-agent');
  await expect.poll(() => servers().then((found) => found.length), SOON).toBe(1);
  // Before it is removed: it may be back before the command has returned.
  writeFileSync(join(dataDir, 'local-agent', 'agent.yaml'), 'labels: {place: here}\n', { mode: 0o600 });
  await command('agents', 'rm', (await servers())[0]?.hostname ?? '');

  await expect
    .poll(() => servers().then((found) => found[0]?.tags), SOON)
    .toContainEqual({ name: 'place', value: 'here' });
});
