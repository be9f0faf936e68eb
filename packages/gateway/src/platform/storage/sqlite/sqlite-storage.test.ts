import { sql } from 'kysely';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openMemoryStorage, openMigratedStorage } from '../../../../testing/storage/memory-storage.ts';
import { storageContract } from '../../../../testing/storage/storage-contract.ts';
import { openSuiteStorage } from '../../../../testing/storage/test-folder.ts';
import { writeMeta } from '../meta.ts';
import type { Storage } from '../storage.ts';

describe('SQLite in a file', () => storageContract(() => openSuiteStorage()));

describe('SQLite in memory', () => storageContract(() => openMemoryStorage()));

test('a store of tests has what the migrations make, and nothing of another one', async () => {
  const [one, other, migrated] = await Promise.all([openMemoryStorage(), openMemoryStorage(), openMigratedStorage()]);
  onTestFinished(async () => void (await Promise.all([one, other, migrated].map((storage) => storage.close()))));
  await writeMeta(one.db, 'mine', 'yes');

  expect(await schemaOf(other)).toEqual(await schemaOf(migrated));
  expect(await countsOf(other)).toEqual(await countsOf(migrated));
  expect(new Set([one, other, migrated].map(({ cluster }) => cluster.clusterId)).size).toBe(3);
});

async function schemaOf({ db }: Storage): Promise<unknown> {
  return (await sql`select type, name, tbl_name, sql from sqlite_schema order by type, name`.execute(db)).rows;
}

async function countsOf({ db }: Storage): Promise<unknown> {
  const tables = await sql<{ name: string }>`select name from sqlite_schema where type = 'table'`.execute(db);
  const counts = tables.rows.map(async ({ name }) => {
    const { rows } = await sql<{ count: number }>`select count(*) as count from ${sql.table(name)}`.execute(db);
    return [name, rows[0]?.count] as const;
  });
  return Object.fromEntries(await Promise.all(counts));
}
