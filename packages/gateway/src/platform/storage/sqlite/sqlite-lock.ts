/** Keeps a second gateway out of a data folder. The lock is the kernel's, so it is gone with the process, however that ends. */
import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StartError } from '../../std/start-error.ts';

const SQLITE_BUSY = 5;

export interface DataLock {
  release(): void;
}

export function lockDataFolder(folder: string): DataLock {
  const pidFile = join(folder, 'gatehouse.pid');
  const lockFile = join(folder, 'gatehouse.lock');
  const lock = new DatabaseSync(lockFile, { timeout: 0 });
  try {
    // SQLite is used for its file locks alone: nothing is ever written to this file.
    lock.exec('pragma journal_mode=memory; begin exclusive');
  } catch (error) {
    lock.close();
    if (!isBusy(error)) throw error;
    throw new StartError(`the data folder '${folder}' is in use by another gateway (process ${pidIn(pidFile)})`, {
      cause: error,
    });
  }
  // SQLite lets everybody read it. Not opened for that: closing it again would take the lock from whoever holds it.
  chmodSync(lockFile, 0o600);
  writeFileSync(pidFile, `${process.pid}\n`, { mode: 0o600 });
  return {
    release() {
      rmSync(pidFile, { force: true });
      lock.close();
    },
  };
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY;
}

function pidIn(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return 'unknown';
  }
}
