/** A search as a query, for whichever engine holds the log. */
import type { SelectQueryBuilder } from 'kysely';
import { isPostgres } from '../../../platform/storage/named-lock.ts';
import type { Db, Tables } from '../../../platform/storage/tables.ts';
import { selectInPostgres } from './find-in-postgres.ts';
import { selectInSqlite } from './find-in-sqlite.ts';
import type { FindQuery } from './find-query.ts';

/** Without its columns; undefined when there cannot be anything. */
export async function selectEvents(
  db: Db,
  query: FindQuery,
): Promise<SelectQueryBuilder<Tables, 'event', object> | undefined> {
  return isPostgres(db) ? selectInPostgres(db, query) : await selectInSqlite(db, query);
}
