/** Opens the store the configuration names, brings its tables up to date, and gives back a handle to it. */
import { silentLog } from '../std/log.ts';
import { StartError } from '../std/start-error.ts';
import { openDataFolder } from './data-folder.ts';
import { MIGRATIONS } from './migrations.ts';
import { openPostgresStorage } from './postgres/postgres-storage.ts';
import { openSqliteMemoryStorage, openSqliteStorage } from './sqlite/sqlite-storage.ts';
import type { Storage, StorageOptions } from './storage.ts';
import { storeGuard } from './store-guard.ts';

export async function openStorage({ url, dataDir, log, now, consent = {} }: StorageOptions): Promise<Storage> {
  const folder = openDataFolder(dataDir);
  const options = { migrations: MIGRATIONS, log, now, guard: storeGuard(folder, consent, now) };
  if (!url) return await openSqliteStorage(folder, options);
  if (!URL.canParse(url) || !/^postgres(ql)?:$/.test(new URL(url).protocol)) {
    throw new StartError("the storage address must be of the form 'postgres://user:password@host:port/database'");
  }
  return await openPostgresStorage(url, options);
}

/** A store of its own in memory, for tests. */
export async function openMemoryStorage(now: () => number = Date.now): Promise<Storage> {
  return await openSqliteMemoryStorage({ migrations: MIGRATIONS, log: silentLog, now });
}
