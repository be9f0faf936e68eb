/** The database's clock, in milliseconds: where what one gateway wrote is compared with the time another has, only this counts. */
import { type RawBuilder, sql } from 'kysely';
import { isPostgres } from './named-lock.ts';
import type { Db } from './tables.ts';

export function databaseNow(db: Db): RawBuilder<number> {
  return isPostgres(db)
    ? sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`
    : sql<number>`cast(unixepoch('subsec') * 1000 as integer)`;
}
