/** A real OpenSSH server for tests: Debian's sshd on loopback with its own port, keys and configuration, which go away with it. */
import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePort } from './free-port.ts';

const SSHD = '/usr/sbin/sshd';
const START_TIMEOUT_MS = 60_000;
const PORT_TRIES = 3;
/** As in postgres.ts: the end of its input is the end of the server and its folder, and of the sessions it serves. */
const SUPERVISOR = 'folder=$1; shift; "$@" & cat >/dev/null; kill $! 2>/dev/null; wait $!; rm -rf "$folder"';

const run = promisify(execFile);

export type HostKeyType = 'ed25519' | 'ecdsa' | 'rsa';

/** As short as clients still take: the longer ones of ssh-keygen take seconds to make. */
const BITS: Partial<Record<HostKeyType, string[]>> = { rsa: ['-b', '2048'] };

export interface SshdOptions {
  /** Lines of the TrustedUserCAKeys file. */
  trusts?: readonly string[];
  hostKeys?: readonly HostKeyType[];
  /** Further lines of its configuration. */
  settings?: readonly string[];
  port?: number;
}

export interface TestSshd {
  port: number;
  /** HOST:PORT */
  addr: string;
  /** Holds its keys and certificates: `host_ed25519`, `host_ed25519.pub`. */
  folder: string;
  /** The public line of a host key, without a comment. */
  hostKey(type?: HostKeyType): string;
  /** A signature with its first host key, as `ssh-keygen -Y sign` writes it. */
  sign(namespace: string, text: string): string;
  /** What it logged. */
  log(): string;
  trust(lines: readonly string[]): void;
  /** As after a new installation of the machine: other host keys at the same address. */
  replaceHostKeys(): Promise<void>;
  /** Signs its host key, for `names`, with a new authority of that type; gives the authority's public line. */
  certify(
    names: string,
    options?: { type?: HostKeyType; authority?: string; more?: readonly string[] },
  ): Promise<string>;
  stop(): Promise<void>;
}

export async function startSshd(options: SshdOptions = {}): Promise<TestSshd> {
  if (!existsSync(SSHD)) throw new Error(`no ${SSHD}: install the Debian package 'openssh-server'`);
  // sshd wants this folder to exist, empty, whatever else it is told.
  mkdirSync('/run/sshd', { recursive: true });
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-sshd-'));
  const types = options.hostKeys ?? ['ed25519'];
  const file = (type: HostKeyType) => join(folder, `host_${type}`);
  const trust = (lines: readonly string[]) =>
    writeFileSync(join(folder, 'user_ca'), lines.map((line) => `${line}\n`).join(''));
  const certificates = new Set<HostKeyType>();
  let server: ChildProcess | undefined;
  let port = options.port ?? 0;

  const makeKeys = async () => {
    for (const type of types) {
      rmSync(file(type), { force: true });
      await run('ssh-keygen', ['-q', '-t', type, ...(BITS[type] ?? []), '-N', '', '-C', '', '-f', file(type)]);
    }
  };
  const writeConfig = () =>
    writeFileSync(
      join(folder, 'config'),
      [
        // The first value of a setting is the one that counts.
        ...(options.settings ?? []),
        `Port ${port}`,
        'ListenAddress 127.0.0.1',
        ...types.map((type) => `HostKey ${file(type)}`),
        ...[...certificates].map((type) => `HostCertificate ${file(type)}-cert.pub`),
        `TrustedUserCAKeys ${join(folder, 'user_ca')}`,
        'AuthorizedKeysFile none',
        'PasswordAuthentication no',
        'KbdInteractiveAuthentication no',
        'PermitRootLogin prohibit-password',
        'UsePAM yes',
        `PidFile ${join(folder, 'pid')}`,
        'Subsystem sftp internal-sftp',
        // As Debian has it.
        'AcceptEnv LANG LC_*',
        'MaxStartups 600',
        'LogLevel VERBOSE',
        'PrintMotd no',
        'PrintLastLog no',
      ]
        .map((line) => `${line}\n`)
        .join(''),
    );

  const start = async () => {
    for (let left = PORT_TRIES; ; left--) {
      if (!options.port && server === undefined) port = await freePort();
      writeConfig();
      try {
        server = await launch(folder);
        return;
      } catch (error) {
        if (left === 1 || !String(error).includes('in use')) throw error;
      }
    }
  };

  try {
    await makeKeys();
    trust(options.trusts ?? []);
    await start();
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }

  const restart = async () => {
    writeConfig();
    const before = readLog(folder).length;
    process.kill(Number(readFileSync(join(folder, 'pid'), 'utf8')), 'SIGHUP');
    await listening(folder, before);
  };

  return {
    port,
    addr: `127.0.0.1:${port}`,
    folder,
    hostKey: (type = types[0] ?? 'ed25519') =>
      readFileSync(`${file(type)}.pub`, 'utf8')
        .trim()
        .split(' ')
        .slice(0, 2)
        .join(' '),
    sign: (namespace, text) =>
      execFileSync('ssh-keygen', ['-Y', 'sign', '-n', namespace, '-f', file(types[0] ?? 'ed25519')], {
        input: text,
        encoding: 'utf8',
        stdio: ['pipe', 'pipe', 'ignore'],
      }),
    log: () => readLog(folder),
    trust,
    async replaceHostKeys() {
      await makeKeys();
      await restart();
    },
    async certify(names, { type = types[0] ?? 'ed25519', authority = 'ed25519', more = [] } = {}) {
      const signer = join(folder, `authority_${authority}`);
      if (!existsSync(signer)) await run('ssh-keygen', ['-q', '-t', authority, '-N', '', '-C', '', '-f', signer]);
      await run('ssh-keygen', ['-q', '-s', signer, '-h', '-I', 'host', '-n', names, ...more, `${file(type)}.pub`]);
      certificates.add(type);
      await restart();
      return readFileSync(`${signer}.pub`, 'utf8').trim();
    },
    stop: () => stopServer(server),
  };
}

async function launch(folder: string): Promise<ChildProcess> {
  const log = join(folder, 'log');
  writeFileSync(log, '', { flag: 'a' });
  const before = readLog(folder).length;
  const args = ['-c', SUPERVISOR, 'sh', folder, SSHD, '-D', '-f', join(folder, 'config'), '-E', log];
  const server = spawn('sh', args, { stdio: ['pipe', 'ignore', 'ignore'], detached: true, cwd: '/' });
  server.unref();
  const { stdin } = server;
  if (stdin && 'unref' in stdin && typeof stdin.unref === 'function') stdin.unref();
  try {
    await listening(folder, before);
  } catch (error) {
    if (server.pid !== undefined) process.kill(-server.pid, 'SIGKILL');
    throw error;
  }
  return server;
}

function readLog(folder: string): string {
  return readFileSync(join(folder, 'log'), 'utf8');
}

async function listening(folder: string, before: number): Promise<void> {
  for (const end = Date.now() + START_TIMEOUT_MS; ; ) {
    const said = readLog(folder).slice(before);
    if (said.includes('Server listening')) return;
    if (/error|fatal|Cannot|Bad configuration/i.test(said) || Date.now() > end)
      throw new Error(`sshd did not start: ${said}`);
    await sleep(20);
  }
}

async function stopServer(server: ChildProcess | undefined): Promise<void> {
  if (!server || server.exitCode !== null || server.signalCode !== null) return;
  server.ref();
  const exited = new Promise<void>((resolve) => server.once('exit', () => resolve()));
  server.stdin?.end();
  await exited;
}
