/** Data folders and file stores for tests, removed when they are done with. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { silentLog } from '../../src/platform/std/log.ts';
import { openStorage } from '../../src/platform/storage/open-storage.ts';
import type { Storage, StorageOptions } from '../../src/platform/storage/storage.ts';

/** A folder for the running test. */
export function openTestFolder(): string {
  const folder = makeFolder();
  onTestFinished(() => remove(folder));
  return folder;
}

/** A store for a whole suite: SQLite in a folder of its own, or the given PostgreSQL. Closing it removes the folder. */
export async function openSuiteStorage(
  url?: string,
  { log = silentLog, now = Date.now }: Partial<Pick<StorageOptions, 'log' | 'now'>> = {},
): Promise<Storage> {
  const dataDir = makeFolder();
  const storage = await openStorage({ url, dataDir, log, now });
  return {
    ...storage,
    async close() {
      await storage.close();
      remove(dataDir);
    },
  };
}

function makeFolder(): string {
  return mkdtempSync(join(tmpdir(), 'gatehouse-test-'));
}

function remove(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}
