/** A real PostgreSQL for tests: from Debian's packages, on a free port, in a folder of its own that goes away with it. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { threadId } from 'node:worker_threads';
import { freePort } from './free-port.ts';
import { ROOT } from './gateway-process.ts';

const VERSIONS = '/usr/lib/postgresql';
const USER = 'gatehouse';
const EMPTY = ['-U', USER, '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'];
const KEPT = join(ROOT, '.cache', 'postgres');
const READY = 'database system is ready to accept connections';
const START_TIMEOUT_MS = 30_000;
const PORT_TRIES = 3;

/**
 * Waits for the end of its input, which comes with stop() or with the death, however sudden, of the process that holds
 * the other end; then ends the server and removes its folder.
 */
const SUPERVISOR = 'folder=$1; shift; "$@" & cat >/dev/null; kill -QUIT $! 2>/dev/null; wait $!; rm -rf "$folder"';

const run = promisify(execFile);

export interface TestPostgres {
  /** An empty database. */
  url: string;
  port: number;
  /** Another database on the same server: empty, or a copy of one that nobody is connected to. */
  createDatabase(copied?: string): Promise<string>;
  stop(): Promise<void>;
}

interface PostgresOptions {
  /** Syncs to disk at each commit, as in production. Off by default: tests are not about the disk. */
  durable?: boolean;
  /** Where the versions of the server lie; clients are always Debian's. */
  versions?: string;
  /** A script for `sh`, run in its folder of data as the server's own user before it starts: certificates, who may sign in how. */
  prepare?: string;
  settings?: readonly string[];
}

export async function startPostgres({
  durable = false,
  versions = VERSIONS,
  prepare,
  settings = [],
}: PostgresOptions = {}): Promise<TestPostgres> {
  const bin = findPostgres(versions);
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-postgres-'));
  try {
    const unprivileged = asUnprivileged(folder);
    const data = join(folder, 'data');
    await makeData(bin, unprivileged, data);
    if (prepare !== undefined) await execute([...unprivileged, 'sh', '-ec', `cd "$0"; ${prepare}`, data]);
    const command = [...unprivileged, `${bin}/postgres`, '-D', data, ...settings.flatMap((each) => ['-c', each])];
    const { server, port } = await startServer(folder, durable, command);
    let databases = 0;
    const createdb = [`${findPostgres(VERSIONS)}/createdb`, '-h', '127.0.0.1', '-p', String(port), '-U', USER];
    const createDatabase = async (copied?: string) => {
      databases += 1;
      const name = `test${databases}`;
      await execute([...createdb, ...(copied ? ['-T', new URL(copied).pathname.slice(1)] : []), name]);
      return `postgres://${USER}@127.0.0.1:${port}/${name}`;
    };
    return { url: await createDatabase(), port, createDatabase, stop: () => stopServer(server) };
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

/** What initdb makes takes longer than most tests and is always the same: kept for each version and user, and copied from then on. */
async function makeData(bin: string, unprivileged: readonly string[], data: string): Promise<void> {
  const { stdout: version } = await run(`${bin}/initdb`, ['--version']);
  const kept = join(KEPT, [version.trim(), ...unprivileged, ...EMPTY].join(' ').replaceAll(/\W+/g, '-'));
  if (!existsSync(kept)) {
    const made = `${kept}.${process.pid}.${threadId}`;
    await execute([...unprivileged, `${bin}/initdb`, '-D', data, ...EMPTY]);
    mkdirSync(KEPT, { recursive: true });
    await execute(['cp', '-a', data, made]);
    try {
      renameSync(made, kept);
    } catch {
      // Another process was quicker, and its own is as good.
      rmSync(made, { recursive: true, force: true });
    }
    return;
  }
  await execute(['cp', '-a', kept, data]);
}

function findPostgres(versions: string): string {
  const found = existsSync(versions) ? readdirSync(versions) : [];
  const newest = found
    .filter((version) => existsSync(join(versions, version, 'bin', 'postgres')))
    .sort((a, b) => Number(b) - Number(a))[0];
  if (newest === undefined) {
    throw new Error(`no PostgreSQL server in ${versions}: install the Debian package 'postgresql'`);
  }
  return join(versions, newest, 'bin');
}

/** PostgreSQL refuses to run as root. Gives the folder to an ordinary user and the words that make a command run as that user. */
function asUnprivileged(folder: string): string[] {
  if (process.getuid?.() !== 0) return [];
  const users = new Map(
    readFileSync('/etc/passwd', 'utf8')
      .split('\n')
      .map((line) => line.split(':'))
      .map(([name, , uid, gid]) => [name, { uid: Number(uid), gid: Number(gid) }]),
  );
  const user = users.get('postgres') ?? users.get('nobody');
  if (!user) throw new Error('PostgreSQL does not run as root, and there is neither a user postgres nor nobody');
  chownSync(folder, user.uid, user.gid);
  return ['setpriv', `--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups', '--'];
}

async function startServer(folder: string, durable: boolean, command: string[]) {
  for (let left = PORT_TRIES; ; left--) {
    const port = await freePort();
    const settings = [
      '-c',
      'listen_addresses=127.0.0.1',
      '-c',
      `port=${port}`,
      '-c',
      `unix_socket_directories=${folder}`,
    ];
    if (!durable) settings.push('-c', 'fsync=off', '-c', 'synchronous_commit=off', '-c', 'full_page_writes=off');
    const args = ['-c', SUPERVISOR, 'sh', folder, ...command, ...settings];
    // Its own group, so that Ctrl-C in a terminal reaches the tests first.
    const server = spawn('sh', args, {
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
    if (left === 1 || !failure.includes('Address already in use'))
      throw new Error(`PostgreSQL did not start: ${failure}`);
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
    server.stderr!.on('data', (chunk: Buffer) => {
      said = (said + chunk.toString()).slice(-8_000);
      if (said.includes(READY)) finish();
      else if (said.includes('FATAL')) finish(said);
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
  server.stdin!.end();
  await exited;
}

async function execute([command, ...args]: string[]): Promise<void> {
  await run(command!, args, { cwd: '/', env: { ...process.env, LC_ALL: 'C' } });
}
