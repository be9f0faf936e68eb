/** Whether a column holds one of many values, as a condition that stays one statement however many there are. */
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { writeJson } from './json.ts';
import { isPostgres } from './named-lock.ts';
import type { Db } from './tables.ts';

export function sqlIn(db: Db, column: string, texts: readonly string[]): RawBuilder<SqlBool> {
  return isPostgres(db)
    ? sql<SqlBool>`${sql.ref(column)} = any(${[...texts]}::text[])`
    : sql<SqlBool>`${sql.ref(column)} in (select value from json_each(${writeJson(texts)}))`;
}

export function sqlInNumbers(db: Db, column: string, numbers: readonly number[]): RawBuilder<SqlBool> {
  return isPostgres(db)
    ? sql<SqlBool>`${sql.ref(column)} = any(${`{${numbers.join(',')}}`}::bigint[])`
    : sql<SqlBool>`${sql.ref(column)} in (select value from json_each(${`[${numbers.join(',')}]`}))`;
}
