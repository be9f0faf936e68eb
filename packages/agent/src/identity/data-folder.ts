/** The folder an agent keeps its identity in: its own alone, and one agent's at a time. */
import {
  chmodSync,
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { AgentFailure } from '../runtime/agent-failure.ts';

const LOCK_NAME = 'agent.lock';
export const PROCESS_NAME = 'agent.pid';

export interface DataFolder {
  readonly path: string;
  read(name: string): string | undefined;
  /** Whole or not at all, also when the machine stops in the middle. */
  write(name: string, text: string): void;
  remove(name: string): void;
  /** Lets another agent in. */
  close(): void;
}

export function openDataFolder(path: string): DataFolder {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    const { uid, mode } = statSync(path);
    if (uid !== process.getuid?.())
      throw new AgentFailure('failed', `the data folder '${path}' belongs to another user`);
    if ((mode & 0o077) !== 0) chmodSync(path, 0o700);
  } catch (error) {
    if (error instanceof AgentFailure) throw error;
    throw new AgentFailure('failed', `the data folder '${path}' cannot be used: ${String(error)}`, { cause: error });
  }
  const lock = lockFolder(path);
  const remove = (name: string) => rmSync(join(path, name), { force: true });
  return {
    path,
    read: (name) => readFile(join(path, name)),
    write: (name, text) => writeWhole(path, name, text),
    remove,
    close() {
      remove(PROCESS_NAME);
      lock.close();
    },
  };
}

function lockFolder(path: string): DatabaseSync {
  try {
    const lock = takeLock(path);
    chmodSync(join(path, LOCK_NAME), 0o600);
    return lock;
  } catch (cause) {
    throw new AgentFailure('conflict', `another agent is running on data folder '${path}'`, { cause });
  }
}

/** Node has no flock; a database file held exclusively is one. It ends with its process, however that ends. */
function takeLock(path: string): DatabaseSync {
  const lock = new DatabaseSync(join(path, LOCK_NAME), { timeout: 0 });
  try {
    lock.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    return lock;
  } catch (error) {
    lock.close();
    throw error;
  }
}

export function readFile(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

function writeWhole(folder: string, name: string, text: string): void {
  const made = join(folder, `${name}.new`);
  rmSync(made, { force: true });
  const fd = openSync(made, 'wx', 0o600);
  try {
    writeSync(fd, text);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  renameSync(made, join(folder, name));
  const directory = openSync(folder, 'r');
  fsyncSync(directory);
  closeSync(directory);
}
