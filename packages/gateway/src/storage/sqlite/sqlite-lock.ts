/** Keeps a second gateway out of a data folder. The lock is the kernel's, so it is gone with the process, however that ends. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StartError } from '../../std/start-error.ts';

const SQLITE_BUSY = 5;

export interface DataLock {
  release(): void;
}

export function lockDataFolder(folder: string): DataLock {
  const pidFile = join(folder, 'gatehouse.pid');
  const lock = new DatabaseSync(join(folder, 'gatehouse.lock'), { timeout: 0 });
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
