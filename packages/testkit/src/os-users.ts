/** Accounts on this machine for tests that need real ones. They go away with the test, however it ends. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);
const TRIES = 120;
const RETRY_MS = 250;

/** Waits for the end of its input, which comes with remove() or with the death of the process that holds the other end. */
const SUPERVISOR =
  'cat >/dev/null; for user in "$@"; do pkill -KILL -u "$user"; for try in 1 2 3 4 5; do userdel -rf "$user" && break; sleep 1; done; done; [ -z "$GROUP" ] || groupdel "$GROUP"';

export interface OsUserOptions {
  shell?: string;
  /** A group they are in beside their own; it goes with them. */
  group?: string;
  /** The accounts ended long ago. */
  expired?: boolean;
}

export interface OsUsers {
  /** Each with a home folder, and no password. */
  names: string[];
  remove(): Promise<void>;
}

let made = 0;

export async function makeOsUsers(count: number, options: OsUserOptions = {}): Promise<OsUsers> {
  if (process.getuid?.() !== 0) throw new Error('only root can make accounts for tests');
  const names = Array.from({ length: count }, () => {
    made += 1;
    return `gh${process.pid}x${made}`;
  });
  const supervisor = spawn('sh', ['-c', SUPERVISOR, 'sh', ...names], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
    cwd: '/',
    env: { ...process.env, GROUP: options.group ?? '' },
  });
  letGo(supervisor);
  const remove = () => ended(supervisor);
  try {
    if (options.group) await once('groupadd', ['-f', options.group]);
    for (const name of names) await once('useradd', [...flagsFor(options), name]);
  } catch (error) {
    await remove();
    throw error;
  }
  return { names, remove };
}

function flagsFor({ shell = '/bin/bash', group, expired }: OsUserOptions): string[] {
  const more = [...(group ? ['--groups', group] : []), ...(expired ? ['--expiredate', '2001-01-01'] : [])];
  return ['--create-home', '--shell', shell, '--no-log-init', ...more];
}

/** Another test may hold the lock on the list of accounts. */
async function once(program: 'useradd' | 'groupadd', args: readonly string[]): Promise<void> {
  for (let left = TRIES; ; left--) {
    try {
      await run(program, [...args]);
      return;
    } catch (error) {
      if (left === 1 || !String(error).includes('lock')) throw error;
      await sleep(RETRY_MS);
    }
  }
}

/** A test run that forgets to remove the accounts must still be able to end. */
function letGo(supervisor: ChildProcess): void {
  supervisor.unref();
  const { stdin } = supervisor;
  if (stdin && 'unref' in stdin && typeof stdin.unref === 'function') stdin.unref();
}

async function ended(supervisor: ChildProcess): Promise<void> {
  if (supervisor.exitCode !== null || supervisor.signalCode !== null) return;
  supervisor.ref();
  const exited = new Promise<void>((resolve) => supervisor.once('exit', () => resolve()));
  supervisor.stdin?.end();
  await exited;
}
