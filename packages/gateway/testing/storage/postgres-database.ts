/** Databases for stores on PostgreSQL. Each is a copy of one that went through every migration: to go through them costs five times as much. */
import type { TestPostgres } from '@gatehouse/testkit/postgres';
import { openSuiteStorage } from './test-folder.ts';

const migrated = new WeakMap<TestPostgres, Promise<string>>();

/** Without anything of a cluster: each copy becomes one of its own. */
export async function storeDatabase(postgres: TestPostgres): Promise<string> {
  const found = migrated.get(postgres) ?? makeMigrated(postgres);
  migrated.set(postgres, found);
  return await postgres.createDatabase(await found);
}

async function makeMigrated(postgres: TestPostgres): Promise<string> {
  const url = await postgres.createDatabase();
  const storage = await openSuiteStorage(url);
  await storage.db.deleteFrom('meta').where('key', 'like', 'cluster.%').execute();
  await storage.close();
  return url;
}
