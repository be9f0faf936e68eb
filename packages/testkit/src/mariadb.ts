/** A real MariaDB for tests: from Debian's packages, on a free port, in a folder of its own that goes away with it. No service of the system is touched. */
import { execFile, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { asUnprivileged, keptFolder, startSupervised } from './supervised-server.ts';

const SERVER = '/usr/sbin/mariadbd';
const INSTALL = '/usr/bin/mariadb-install-db';
/** Small: it is there for the protocol, not for the data. */
const SMALL = ['--innodb-buffer-pool-size=32M', '--innodb-log-file-size=8M', '--innodb-flush-log-at-trx-commit=0'];

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
    const unprivileged = asUnprivileged(folder, 'mysql');
    for (const [name, text] of Object.entries(files))
      await pipeTo([...unprivileged, 'sh', '-c', 'umask 077; cat > "$0"', join(folder, name)], text);
    const data = join(folder, 'data');
    await makeData(folder, unprivileged, data);
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
    const { port, stop } = await startSupervised({
      name: 'MariaDB',
      folder,
      command,
      portWords: (chosen) => [`--port=${chosen}`],
      signal: 'KILL',
      ready: 'ready for connections',
      failed: 'Aborting',
    });
    if (statements !== undefined) await pipeTo(['mariadb', '--no-defaults', '-u', 'root', '-S', socket], statements);
    return { port, socket, stop };
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

/** What mariadb-install-db makes. */
async function makeData(folder: string, unprivileged: readonly string[], data: string): Promise<void> {
  const { stdout: version } = await run(SERVER, ['--version']);
  const words = ['--auth-root-authentication-method=normal', '--skip-test-db', '--skip-name-resolve', ...SMALL];
  await keptFolder('mariadb', [version.trim(), ...unprivileged, ...words], data, async () => {
    await run(...split([...unprivileged, INSTALL, '--no-defaults', `--datadir=${data}`, ...words]), {
      cwd: '/',
      env: { ...process.env, LC_ALL: 'C', TMPDIR: folder },
    });
  });
}

const split = ([command, ...args]: readonly string[]): [string, string[]] => [command as string, args];

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
