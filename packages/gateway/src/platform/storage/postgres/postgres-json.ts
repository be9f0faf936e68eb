/** JSON conditions as PostgreSQL spells them. */
import { type Expression, type RawBuilder, sql } from 'kysely';

export function jsonFieldInPostgres(json: Expression<unknown>, field: string): RawBuilder<string | null> {
  // The cast decides for a field name: an untyped parameter could as well be an array index.
  return sql<string | null>`(${json} ->> ${field}::text)`;
}
