/** JSON columns: text in SQLite, jsonb in PostgreSQL, always text to our code. */
import { type Expression, PostgresAdapter, type RawBuilder, sql } from 'kysely';
import { jsonFieldInPostgres } from './postgres/postgres-json.ts';
import { jsonFieldInSqlite } from './sqlite/sqlite-json.ts';
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
  const json: Expression<unknown> = sql.ref(column);
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter;
  return isPostgres ? jsonFieldInPostgres(json, field) : jsonFieldInSqlite(json, field);
}
