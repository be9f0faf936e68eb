/** Reads from the store what the memory holds of each resource. */
import type { Kind } from '@gatehouse/contract/kinds/kinds';
import { sql } from 'kysely';
import { sqlIn } from '../../platform/storage/sql-in.ts';
import type { Db } from '../../platform/storage/tables.ts';
import type { IndexedRow } from './indexed-resources.ts';

export interface IndexPartition {
  cluster: string;
  kind: Kind;
}

const COLUMNS = [
  'seq',
  'id',
  'name',
  'owner',
  'labels',
  'label_set',
  'spec',
  'search',
  'second_key',
  'third_key',
] as const;

/** The next rows of a kind after a row. */
export async function readRowsAfter(
  db: Db,
  { cluster, kind }: IndexPartition,
  after: number,
  limit: number,
): Promise<IndexedRow[]> {
  return await db
    .selectFrom('resource')
    .select(COLUMNS)
    .where('cluster', '=', cluster)
    .where('kind', '=', kind)
    .where('seq', '>', after)
    .orderBy('seq')
    .limit(limit)
    .execute();
}

/** What some owners have. */
export async function readRowsOfOwners(
  db: Db,
  { cluster, kind }: IndexPartition,
  owners: readonly string[],
): Promise<IndexedRow[]> {
  if (owners.length === 0) return [];
  return await db
    .selectFrom('resource')
    .select(COLUMNS)
    .where(sqlIn(db, 'resource.owner', owners))
    // The appended nothing hides the columns from the planner, which would walk past all rows of the kind.
    .where(sql`(resource.cluster || '')`, '=', cluster)
    .where(sql`(resource.kind || '')`, '=', kind)
    .execute();
}

/** What has some of the ids. */
export async function readRowsWithIds(
  db: Db,
  { cluster, kind }: IndexPartition,
  ids: readonly string[],
): Promise<IndexedRow[]> {
  if (ids.length === 0) return [];
  return await db
    .selectFrom('resource')
    .select(COLUMNS)
    .where('cluster', '=', cluster)
    .where('kind', '=', kind)
    .where(sqlIn(db, 'resource.id', ids))
    .execute();
}

/** Whether there are more rows than a number, without counting all of them. */
export async function hasMoreRows(db: Db, { cluster, kind }: IndexPartition, than: number): Promise<boolean> {
  const row = await db
    .selectFrom('resource')
    .select('seq')
    .where('cluster', '=', cluster)
    .where('kind', '=', kind)
    .orderBy('name')
    .offset(than)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}
