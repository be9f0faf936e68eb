/** A real PostgreSQL for tests: from Debian's packages, on a free port, in a folder of its own that goes away with it. */
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { asUnprivileged, keptFolder, startSupervised } from './supervised-server.ts';

const VERSIONS = '/usr/lib/postgresql';
const USER = 'gatehouse';
const EMPTY = ['-U', USER, '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'];
const FIXED = ['-c', 'listen_addresses=127.0.0.1'];
const UNSAFE = ['-c', 'fsync=off', '-c', 'synchronous_commit=off', '-c', 'full_page_writes=off'];

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
    const unprivileged = asUnprivileged(folder, 'postgres');
    const data = join(folder, 'data');
    await makeData(bin, unprivileged, data);
    if (prepare !== undefined) await execute([...unprivileged, 'sh', '-ec', `cd "$0"; ${prepare}`, data]);
    const command = [...unprivileged, `${bin}/postgres`, '-D', data, ...settings.flatMap((each) => ['-c', each])];
    const { port, stop } = await startSupervised({
      name: 'PostgreSQL',
      folder,
      command: [...command, ...FIXED, '-c', `unix_socket_directories=${folder}`, ...(durable ? [] : UNSAFE)],
      portWords: (chosen) => ['-c', `port=${chosen}`],
      signal: 'QUIT',
      ready: 'database system is ready to accept connections',
      failed: 'FATAL',
    });
    let databases = 0;
    const createdb = [`${findPostgres(VERSIONS)}/createdb`, '-h', '127.0.0.1', '-p', String(port), '-U', USER];
    const createDatabase = async (copied?: string) => {
      databases += 1;
      const name = `test${databases}`;
      await execute([...createdb, ...(copied ? ['-T', new URL(copied).pathname.slice(1)] : []), name]);
      return `postgres://${USER}@127.0.0.1:${port}/${name}`;
    };
    return { url: await createDatabase(), port, createDatabase, stop };
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

/** What initdb makes. */
async function makeData(bin: string, unprivileged: readonly string[], data: string): Promise<void> {
  const { stdout: version } = await run(`${bin}/initdb`, ['--version']);
  await keptFolder('postgres', [version.trim(), ...unprivileged, ...EMPTY], data, () =>
    execute([...unprivileged, `${bin}/initdb`, '-D', data, ...EMPTY]),
  );
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

async function execute([command, ...args]: string[]): Promise<void> {
  await run(command!, args, { cwd: '/', env: { ...process.env, LC_ALL: 'C' } });
}
