/** A real server of the system's packages for tests: on a free port, as an ordinary user, in a folder that goes away with whoever started it. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { chownSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from './free-port.ts';
import { ROOT } from './gateway-process.ts';

const KEPT = join(ROOT, '.cache');
const START_TIMEOUT_MS = 150_000;
const PORT_TRIES = 3;

const run = promisify(execFile);

export interface SupervisedServer {
  name: string;
  folder: string;
  /** Without the port. */
  command: readonly string[];
  portWords: (port: number) => readonly string[];
  /** What it is told to end by. */
  signal: 'QUIT' | 'KILL';
  /** What it says when it is ready, and when it never will be. */
  ready: string;
  failed: string;
}

export interface Supervised {
  port: number;
  stop(): Promise<void>;
}

export async function startSupervised(about: SupervisedServer): Promise<Supervised> {
  for (let left = PORT_TRIES; ; left -= 1) {
    const port = await freePort();
    const args = ['-c', supervisor(about.signal), 'sh', about.folder, ...about.command, ...about.portWords(port)];
    // Its own group, so that Ctrl-C in a terminal reaches the tests first.
    const server = spawn('sh', args, {
      stdio: ['pipe', 'ignore', 'pipe'],
      detached: true,
      cwd: '/',
      env: { ...process.env, LC_ALL: 'C' },
    });
    const failure = await readiness(server, about);
    if (failure === undefined) {
      letGo(server);
      return { port, stop: () => stopServer(server) };
    }
    // Somebody else may have taken the port in between. The folder must outlive this failed server.
    if (server.pid !== undefined) killGroup(server.pid);
    if (left === 1 || !failure.includes('Address already in use'))
      throw new Error(`${about.name} did not start: ${failure}`);
  }
}

/**
 * Waits for the end of its input, which comes with stop() or with the death, however sudden, of the process that holds
 * the other end; then ends the server and removes its folder.
 */
function supervisor(signal: string): string {
  return `folder=$1; shift; "$@" & cat >/dev/null; kill -${signal} $! 2>/dev/null; wait $!; rm -rf "$folder"`;
}

/** Resolves with nothing when the server is ready, or with what it said instead. */
function readiness(server: ChildProcess, { ready, failed }: SupervisedServer): Promise<string | undefined> {
  return new Promise((resolve) => {
    let said = '';
    const finish = (failure?: string) => {
      clearTimeout(timer);
      resolve(failure);
    };
    const timer = setTimeout(() => finish(`not ready after ${START_TIMEOUT_MS} ms\n${said}`), START_TIMEOUT_MS);
    server.stderr?.on('data', (chunk: Buffer) => {
      said = (said + chunk.toString()).slice(-8_000);
      if (said.includes(ready)) finish();
      else if (said.includes(failed)) finish(said);
    });
    server.once('error', (error) => finish(error.message));
    server.once('exit', () => finish(said));
  });
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}

/** A test run that forgets to stop the server must still be able to end. */
function letGo(server: ChildProcess): void {
  server.unref();
  for (const stream of [server.stdin, server.stderr]) {
    if (stream && 'unref' in stream && typeof stream.unref === 'function') stream.unref();
  }
}

async function stopServer(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  server.ref();
  const exited = new Promise<void>((resolve) => server.once('exit', () => resolve()));
  server.stdin?.end();
  await exited;
}

/** Servers refuse to run as root. Gives the folder to the first of these users there is, and the words that make a command run as that user. */
export function asUnprivileged(folder: string, own: string): string[] {
  if (process.getuid?.() !== 0) return [];
  const lines = readFileSync('/etc/passwd', 'utf8').split('\n');
  const found = [own, 'nobody'].map((name) => lines.find((line) => line.startsWith(`${name}:`))).find(Boolean);
  if (!found) throw new Error(`there is neither a user ${own} nor nobody, and its server does not run as root`);
  const [, , uid, gid] = found.split(':');
  chownSync(folder, Number(uid), Number(gid));
  return ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups', '--'];
}

/** What takes longer to make than most tests and is always the same: kept under `words`, and copied from then on. */
export async function keptFolder(
  kind: string,
  words: readonly string[],
  folder: string,
  make: () => Promise<void>,
): Promise<void> {
  // The words themselves can be longer than a name of a file may be.
  const kept = join(KEPT, kind, createHash('sha256').update(words.join('\0')).digest('hex').slice(0, 32));
  if (existsSync(kept)) {
    await run('cp', ['-a', kept, folder], { cwd: '/' });
    return;
  }
  await make();
  // Of this call alone: two servers that a test starts at once would copy into each other's.
  const made = `${kept}.${randomUUID()}`;
  mkdirSync(join(KEPT, kind), { recursive: true });
  await run('cp', ['-a', folder, made], { cwd: '/' });
  try {
    renameSync(made, kept);
  } catch {
    // Another process was quicker, and its own is as good.
    rmSync(made, { recursive: true, force: true });
  }
}
