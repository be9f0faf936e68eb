/** Stores in memory for tests. Each begins as a copy of one that went through every migration: to go through them costs fifty times as much. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { silentLog } from '../../src/platform/std/log.ts';
import { MIGRATIONS } from '../../src/platform/storage/migrations.ts';
import { openSqliteMemoryStorage } from '../../src/platform/storage/sqlite/sqlite-storage.ts';
import type { Storage } from '../../src/platform/storage/storage.ts';

/** Without anything of a cluster: each copy becomes one of its own. */
const MIGRATED = await imageOf(await openMigratedStorage());

/** A store of its own. */
export async function openMemoryStorage(now: () => number = Date.now): Promise<Storage> {
  return await openSqliteMemoryStorage({ migrations: MIGRATIONS, log: silentLog, now, image: MIGRATED });
}

/** One that goes through the migrations itself. */
export async function openMigratedStorage(): Promise<Storage> {
  return await openSqliteMemoryStorage({ migrations: MIGRATIONS, log: silentLog, now: Date.now });
}

async function imageOf(storage: Storage): Promise<Uint8Array> {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-image-'));
  try {
    await storage.db.deleteFrom('meta').where('key', 'like', 'cluster.%').execute();
    const file = join(folder, 'migrated.db');
    await sql`vacuum into ${file}`.execute(storage.db);
    return readFileSync(file);
  } finally {
    await storage.close();
    rmSync(folder, { recursive: true });
  }
}
