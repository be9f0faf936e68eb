/** A real MariaDB for tests: from Debian's packages, on a free port, in a folder of its own that goes away with it. No service of the system is touched. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from './free-port.ts';

const SERVER = '/usr/sbin/mariadbd';
const INSTALL = '/usr/bin/mariadb-install-db';
const READY = 'ready for connections';
const START_TIMEOUT_MS = 60_000;
const PORT_TRIES = 3;
/** Small: it is there for the protocol, not for the data. */
const SMALL = ['--innodb-buffer-pool-size=32M', '--innodb-log-file-size=8M', '--innodb-flush-log-at-trx-commit=0'];

/** As for PostgreSQL: ends the server and removes its folder when whoever started it is gone, however suddenly. */
const SUPERVISOR = 'folder=$1; shift; "$@" & cat >/dev/null; kill -KILL $! 2>/dev/null; wait $!; rm -rf "$folder"';

const run = promisify(execFile);

export interface TestMariadb {
  port: number;
  /** Signs in as root, without a password. */
  socket: string;
  stop(): Promise<void>;
}

interface MariadbOptions {
  /** Files that the server reads, by name; settings say `FOLDER` for where they lie. */
  files?: Readonly<Record<string, string>>;
  settings?: readonly string[];
  /** Run as root before anybody connects. */
  statements?: string;
}

export async function startMariadb({
  files = {},
  settings = [],
  statements,
}: MariadbOptions = {}): Promise<TestMariadb> {
  if (!existsSync(SERVER))
    throw new Error(`no MariaDB server at ${SERVER}: install the Debian package 'mariadb-server'`);
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-mariadb-'));
  try {
    const unprivileged = asUnprivileged(folder);
    for (const [name, text] of Object.entries(files))
      await pipeTo([...unprivileged, 'sh', '-c', 'umask 077; cat > "$0"', join(folder, name)], text);
    const data = join(folder, 'data');
    await run(
      ...split([
        ...unprivileged,
        INSTALL,
        '--no-defaults',
        `--datadir=${data}`,
        '--auth-root-authentication-method=normal',
        '--skip-test-db',
        '--skip-name-resolve',
        ...SMALL,
      ]),
      { cwd: '/', env: { ...process.env, LC_ALL: 'C', TMPDIR: folder } },
    );
    const socket = join(folder, 'socket');
    const own = settings.map((each) => each.replaceAll('FOLDER', folder));
    const common = [
      `--datadir=${data}`,
      // A server that starts removes the temporary tables of every other one that shares its folder for them.
      `--tmpdir=${folder}`,
      '--bind-address=127.0.0.1',
      `--socket=${socket}`,
      `--pid-file=${folder}/pid`,
    ];
    const command = [...unprivileged, SERVER, '--no-defaults', ...common, '--skip-name-resolve', ...SMALL, ...own];
    const { server, port } = await startServer(folder, command);
    if (statements !== undefined) await pipeTo(['mariadb', '--no-defaults', '-u', 'root', '-S', socket], statements);
    return { port, socket, stop: () => stopServer(server) };
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

const split = ([command, ...args]: readonly string[]): [string, string[]] => [command as string, args];

/** MariaDB refuses to run as root. Gives the folder to an ordinary user and the words that make a command run as that user. */
function asUnprivileged(folder: string): string[] {
  if (process.getuid?.() !== 0) return [];
  const lines = readFileSync('/etc/passwd', 'utf8').split('\n');
  const found = ['mysql', 'nobody'].map((name) => lines.find((line) => line.startsWith(`${name}:`))).find(Boolean);
  if (!found) throw new Error('MariaDB does not run as root, and there is neither a user mysql nor nobody');
  const [, , uid, gid] = found.split(':');
  chownSync(folder, Number(uid), Number(gid));
  return ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups', '--'];
}

async function pipeTo(words: readonly string[], text: string): Promise<void> {
  const [command, args] = split(words);
  const child = spawn(command, args, { cwd: '/', stdio: ['pipe', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.on('data', (piece: Buffer) => {
    said += piece.toString();
  });
  child.stdin.on('error', () => {});
  child.stdin.end(text);
  const code = await new Promise((resolve, reject) => {
    child.once('close', resolve);
    child.once('error', reject);
  });
  if (code !== 0) throw new Error(`${command} ended with ${code}: ${said}`);
}

async function startServer(folder: string, command: string[]): Promise<{ server: ChildProcess; port: number }> {
  for (let left = PORT_TRIES; ; left -= 1) {
    const port = await freePort();
    // Its own group, so that Ctrl-C in a terminal reaches the tests first.
    const server = spawn('sh', ['-c', SUPERVISOR, 'sh', folder, ...command, `--port=${port}`], {
      stdio: ['pipe', 'ignore', 'pipe'],
      detached: true,
      cwd: '/',
      env: { ...process.env, LC_ALL: 'C' },
    });
    const failure = await readiness(server);
    if (failure === undefined) {
      letGo(server);
      return { server, port };
    }
    // Somebody else may have taken the port in between. The folder must outlive this failed server.
    if (server.pid !== undefined) killGroup(server.pid);
    if (left === 1 || !failure.includes('Address already in use')) throw new Error(`MariaDB did not start: ${failure}`);
  }
}

/** Resolves with nothing when the server is ready, or with what it said instead. */
function readiness(server: ChildProcess): Promise<string | undefined> {
  return new Promise((resolve) => {
    let said = '';
    const finish = (failure?: string) => {
      clearTimeout(timer);
      resolve(failure);
    };
    const timer = setTimeout(() => finish(`not ready after ${START_TIMEOUT_MS} ms\n${said}`), START_TIMEOUT_MS);
    server.stderr?.on('data', (chunk: Buffer) => {
      said = (said + chunk.toString()).slice(-8_000);
      if (said.includes(READY)) finish();
      else if (said.includes('Aborting')) finish(said);
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
