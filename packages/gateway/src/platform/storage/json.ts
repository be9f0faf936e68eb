/** JSON columns: text in SQLite, jsonb in PostgreSQL, always text to our code. */
import { type RawBuilder, sql } from 'kysely';
import { isPostgres } from './named-lock.ts';
import type { Db } from './tables.ts';

export function writeJson(value: unknown): string {
  return JSON.stringify(value);
}

/** The stored value, still unknown: parse it with a schema where it leaves the store. */
export function readJson(text: string): unknown {
  return JSON.parse(text);
}

/** A text field of a JSON object column, for conditions; null when the object has no such field. */
export function jsonField(db: Db, column: string, field: string): RawBuilder<string | null> {
  const json = sql.ref(column);
  // The cast decides for a field name: an untyped parameter could as well be an array index.
  if (isPostgres(db)) return sql<string | null>`(${json} ->> ${field}::text)`;
  // Not `->>`: SQLite would read a name such as '$.a' as a path.
  return sql<string | null>`(select value from json_each(${json}) where key = ${field})`;
}
