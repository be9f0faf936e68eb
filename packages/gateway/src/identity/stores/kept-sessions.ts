/** Sessions that are kept, by the names of who was in them. */
import { type SqlBool, sql } from 'kysely';
import { isPostgres } from '../../platform/storage/named-lock.ts';
import type { Db } from '../../platform/storage/tables.ts';

/** Whether whoever has the name has been in sessions that are kept. */
export async function hasKeptSessions(db: Db, name: string): Promise<boolean> {
  const wasIn = isPostgres(db)
    ? sql<SqlBool>`session.participants @> ${JSON.stringify([name])}::jsonb`
    : sql<SqlBool>`exists (select 1 from json_each(session.participants) where value = ${name})`;
  const kept = await db
    .selectFrom('session')
    .select('id')
    .where((builder) => builder.or([builder('user', '=', name), wasIn]))
    .limit(1)
    .executeTakeFirst();
  return kept !== undefined;
}
