/** Opens the store the configuration names, brings its tables up to date, and gives back a handle to it. */
import { StartError } from '../std/start-error.ts';
import { openDataFolder } from './data-folder.ts';
import { MIGRATIONS } from './migrations.ts';
import { lockDataFolder } from './sqlite/sqlite-lock.ts';
import { openSqliteStorage } from './sqlite/sqlite-storage.ts';
import type { Storage, StorageOptions } from './storage.ts';
import { storeGuard } from './store-guard.ts';

export async function openStorage({ url, dataDir, log, now, consent = {} }: StorageOptions): Promise<Storage> {
  const folder = openDataFolder(dataDir);
  const options = { migrations: MIGRATIONS, log, now, guard: storeGuard(folder, consent, now) };
  if (!url) return await openSqliteStorage(folder, options);
  if (!URL.canParse(url) || !/^postgres(ql)?:$/.test(new URL(url).protocol)) {
    throw new StartError("the storage address must be of the form 'postgres://user:password@host:port/database'");
  }
  // Keys, recordings and the local socket are one gateway's, wherever its database is.
  const lock = lockDataFolder(folder);
  try {
    // Loaded late: a gateway on SQLite has no use for it, and would wait for it at every start.
    const { openPostgresStorage } = await import('./postgres/postgres-storage.ts');
    const storage = await openPostgresStorage(url, options);
    return {
      ...storage,
      async close() {
        await storage.close();
        lock.release();
      },
    };
  } catch (error) {
    lock.release();
    throw error;
  }
}
