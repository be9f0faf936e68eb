/** JSON conditions as SQLite spells them. */
import { type Expression, type RawBuilder, sql } from 'kysely';

export function jsonFieldInSqlite(json: Expression<unknown>, field: string): RawBuilder<string | null> {
  // Not `->>`: it would read a name such as '$.a' as a path.
  return sql<string | null>`(select value from json_each(${json}) where key = ${field})`;
}
