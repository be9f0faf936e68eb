/** What terminal.bench.ts measures: a gateway in a process of its own, an sshd that both it and `ssh` reach, and an agent. */
import { type ChildProcess, execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { roleRoutes } from '@gatehouse/contract/access/roles/roles';
import { nodeRoutes } from '@gatehouse/contract/kinds/node/nodes';
import { joinTokenRoutes } from '@gatehouse/contract/reach/join-tokens/join-tokens';
import { call } from '@gatehouse/contract/wire/client';
import { localSend } from '@gatehouse/gateway/doors/local-socket/local-send';
import { silentLog } from '@gatehouse/gateway/platform/std/log';
import { openStorage } from '@gatehouse/gateway/platform/storage/open-storage';
import { signInToProcess, startAgentProcess } from '@gatehouse/gateway/testing/sessions/process-people';
import type { Tab } from '@gatehouse/gateway/testing/sessions/terminal-client';
import { ended, type GatewayProcess, startGateway } from '@gatehouse/testkit/gateway-process';
import { startSshd, type TestSshd } from '@gatehouse/testkit/sshd';
import { seedNodes } from '@gatehouse/tools/seed';
import type { Ssh } from './terminal-line.ts';

const CLUSTER = 'localhost';
const FILE_BYTES = 100e6;
/** The same for both, so that the ciphers are not what is compared. */
const CIPHER = 'aes128-gcm@openssh.com';
export const OPENSSH = 'plain';
export const AGENT = 'edge';

export interface Target {
  sshd: TestSshd;
  ssh: Ssh;
  /** 100 MB of lines. */
  file: string;
  stop(): Promise<void>;
}

/** An sshd that trusts an authority of ours, beside those of gateways. */
export async function startTarget(login: string): Promise<Target> {
  const sshd = await startSshd({ settings: ['MaxSessions 100', 'PermitUserEnvironment no'] });
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-bench-'));
  const own = (name: string) => join(folder, name);
  const keygen = (...args: string[]) => execFileSync('ssh-keygen', ['-q', ...args]);
  for (const name of ['authority', 'user']) keygen('-t', 'ed25519', '-N', '', '-C', '', '-f', own(name));
  keygen('-s', own('authority'), '-I', 'bench', '-n', login, own('user.pub'));
  writeFileSync(own('known_hosts'), `[127.0.0.1]:${sshd.port} ${sshd.hostKey()}\n`);
  const line = `${'the quick brown fox jumps over the lazy dog '.repeat(2)}0123456789\n`;
  writeFileSync(own('lines'), line.repeat(Math.ceil(FILE_BYTES / line.length)).slice(0, FILE_BYTES));
  execFileSync('chmod', ['-R', 'a+rX', folder]);
  execFileSync('chmod', ['600', own('user')]);
  const options = {
    CertificateFile: own('user-cert.pub'),
    UserKnownHostsFile: own('known_hosts'),
    BatchMode: 'yes',
    LogLevel: 'ERROR',
  };
  return {
    sshd,
    file: own('lines'),
    ssh: {
      login,
      args: [
        ...['-F', 'none', '-i', own('user'), '-p', String(sshd.port), '-c', CIPHER],
        ...Object.entries(options).flatMap(([name, value]) => ['-o', `${name}=${value}`]),
      ],
    },
    async stop() {
      await sshd.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export interface World {
  gateway: GatewayProcess;
  tab: Tab;
  agent: ChildProcess | undefined;
  stop(): Promise<void>;
}

export interface WorldOptions {
  target: Target;
  login: string;
  withAgent?: boolean;
  /** With recording turned off for the cluster. */
  unrecorded?: boolean;
  /** Others that are enrolled. */
  servers?: number;
  settings?: Record<string, string>;
  /** What the data folder holds before the gateway starts on it. */
  prepare?(dataDir: string): Promise<void>;
}

export async function startWorld(options: WorldOptions): Promise<World> {
  const { target, login, withAgent = false, unrecorded = false, servers = 0, settings = {} } = options;
  const dataDir = mkdtempSync(join(tmpdir(), 'gatehouse-bench-'));
  if (servers > 0) await seed(dataDir, servers);
  await options.prepare?.(dataDir);
  const gateway = await startGateway({
    GATEHOUSE_DATA_DIR: dataDir,
    GATEHOUSE_LOG_LEVEL: 'warn',
    GATEHOUSE_SECOND_FACTOR: 'off',
    ...(unrecorded ? { GATEHOUSE_RECORDINGS_MODE: 'off' } : {}),
    ...settings,
  });
  const owner = localSend(dataDir);
  const known = readFileSync(join(target.sshd.folder, 'user_ca'), 'utf8').trim().split('\n');
  const ours = (await gateway.command('ca', 'export')).stdout.trim().split('\n');
  const authority = readFileSync(join(target.file, '..', 'authority.pub'), 'utf8').trim();
  target.sshd.trust([...new Set([...known, authority, ...ours])].filter((line) => line !== ''));
  await gateway.command('nodes', 'add', OPENSSH, target.sshd.addr);
  const spec = `{allow: {logins: [${login}], node_labels: {'*': '*'}}}`;
  const content = `kind: role\nversion: v6\nmetadata: {name: bench}\nspec: ${spec}\n`;
  await call(owner, roleRoutes.create, { body: { content } });
  const tab = await signInToProcess(gateway, 'ann', 'bench');
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-agent-'));
  const agent = withAgent ? await startAgent() : undefined;

  async function startAgent(): Promise<ChildProcess> {
    const { id: token } = await call(owner, joinTokenRoutes.create, { body: { roles: ['Node'] } });
    const started = startAgentProcess({ port: Number(new URL(gateway.origin).port), folder, token, name: AGENT });
    const listed = () => call(owner, nodeRoutes.list, { params: { clusterId: CLUSTER }, query: {} as never });
    while ((await listed()).items.length < 2 + servers) await sleep(200);
    return started;
  }

  return {
    gateway,
    tab,
    agent,
    async stop() {
      if (agent) await ended(agent, 'SIGTERM');
      await gateway.stop();
      for (const left of [folder, dataDir]) rmSync(left, { recursive: true, force: true });
    },
  };
}

async function seed(dataDir: string, count: number): Promise<void> {
  const storage = await openStorage({ dataDir, log: silentLog, now: Date.now });
  await seedNodes(storage.db, { cluster: CLUSTER, count, now: Date.now() });
  await storage.close();
}

/** In megabytes, without pages of files that are mapped. */
export function memoryOf(pid: number): number {
  return Number(/^RssAnon:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
}

const LOOK_MS = 500;
const PATIENCE_MS = 60_000;
/** Of one processor. */
const AT_REST = 0.1;
/** In a row: a recording that has just ended is not looked at before a second has passed. */
const QUIET_LOOKS = 4;

/** Resolves when what earlier sessions left to do is done: recordings are indexed after they end. */
export async function atRest({ gateway }: World): Promise<void> {
  const usedMs = () => {
    const stat = readFileSync(`/proc/${gateway.pid()}/stat`, 'utf8');
    const [user = 0, system = 0] = stat.slice(stat.lastIndexOf(')')).split(' ').slice(12, 14).map(Number);
    return (user + system) * 10;
  };
  let quiet = 0;
  for (const ends = performance.now() + PATIENCE_MS; performance.now() < ends && quiet < QUIET_LOOKS; ) {
    const before = usedMs();
    await sleep(LOOK_MS);
    quiet = usedMs() - before < LOOK_MS * AT_REST ? quiet + 1 : 0;
  }
}
