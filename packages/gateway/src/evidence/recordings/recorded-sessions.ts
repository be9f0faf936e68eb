/** Sessions as recordings are listed by: with what the viewer may see and what is asked for in one condition, newest first. */

import { factsOf, isRecorded, kinds } from '@gatehouse/contract/kinds/kinds';
import { type ExpressionBuilder, type RawBuilder, type SqlBool, sql } from 'kysely';
import { z } from 'zod';
import { readPageKey, writePageKey } from '../../platform/std/page-key.ts';
import { isPostgres } from '../../platform/storage/named-lock.ts';
import type { Db, Tables } from '../../platform/storage/tables.ts';
import { type Session, toSession } from '../../sessions/host/session-store.ts';

/** A place in the list, between two sessions. */
export interface SessionCursor {
  created: number;
  id: string;
}

export interface SessionFilter {
  cluster: string;
  /** What the viewer may see. */
  visible: RawBuilder<SqlBool>;
  from: number;
  to: number;
  search?: string | undefined;
  user?: string | undefined;
  resource?: string | undefined;
  kind?: string | undefined;
}

export interface SessionQuery extends SessionFilter {
  /** Only what comes behind it. */
  after: SessionCursor | undefined;
  limit: number;
}

const MAX_WORDS = 16;
/** What is done in an application is never recorded: their sessions are no recordings that somebody lost. */
const RECORDED = kinds.filter(isRecorded);

export async function listRecorded(db: Db, query: SessionQuery): Promise<Session[]> {
  let found = db
    .selectFrom('session')
    .selectAll('session')
    .where((eb) => recordedCondition(db, eb, query))
    .orderBy('session.created', 'desc')
    .orderBy('session.id', 'desc')
    .limit(query.limit);
  const { after } = query;
  if (after) found = found.where(sql<SqlBool>`(session.created, session.id) < (${after.created}, ${after.id})`);
  return (await found.execute()).map(toSession);
}

export async function findRecorded(
  db: Db,
  { cluster, visible, sid }: Pick<SessionFilter, 'cluster' | 'visible'> & { sid: string },
): Promise<Session | undefined> {
  const row = await db
    .selectFrom('session')
    .selectAll('session')
    .where('session.cluster', '=', cluster)
    .where('session.id', '=', sid)
    .where('session.kind', 'in', RECORDED)
    .where(visible)
    .executeTakeFirst();
  return row && toSession(row);
}

/** On rows of `session`, which other tables may be joined to. */
export function recordedCondition(
  db: Db,
  eb: ExpressionBuilder<Tables, 'session'>,
  { cluster, visible, from, to, search, user, resource, kind }: SessionFilter,
) {
  const wanted: (RawBuilder<SqlBool> | ReturnType<typeof eb.or>)[] = [
    sql<SqlBool>`session.cluster = ${cluster}`,
    visible,
    sql<SqlBool>`session.created <= ${to}`,
    sql<SqlBool>`(session.ended is null or session.ended >= ${from})`,
    sql<SqlBool>`session.kind in (${sql.join(RECORDED)})`,
    // One that waited for people in vain never had anything to record.
    sql<SqlBool>`session.begun is not null`,
  ];
  if (kind !== undefined) {
    const named = RECORDED.filter((name) => factsOf(name).sessionKind === kind);
    wanted.push(named.length === 0 ? sql<SqlBool>`1 = 0` : sql<SqlBool>`session.kind in (${sql.join(named)})`);
  }
  const participants = isPostgres(db)
    ? sql`jsonb_array_elements_text(session.participants) as part(value)`
    : sql`json_each(session.participants)`;
  if (user !== undefined) wanted.push(sql<SqlBool>`exists (select 1 from ${participants} where value = ${user})`);
  const field = (path: ActionField) => actionField(db, path);
  if (resource !== undefined)
    wanted.push(sql<SqlBool>`(session.resource_id = ${resource} or ${field('name')} = ${resource})`);
  const names = sql<string>`lower(session.id || ' ' || coalesce(${field('name')}, '') || ' '
    || coalesce(${field('login')}, '') || ' ' || coalesce(${field('dbUser')}, '') || ' '
    || coalesce(${field('dbName')}, '') || ' ' || coalesce(${field('inside')}, '') || ' ' || cast(session.participants as text))`;
  for (const word of (search ?? '').split(/\s+/).slice(0, MAX_WORDS)) {
    if (word === '') continue;
    const lower = word.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
    wanted.push(
      isPostgres(db) ? sql<SqlBool>`strpos(${names}, ${lower}) > 0` : sql<SqlBool>`instr(${names}, ${lower}) > 0`,
    );
  }
  return eb.and(wanted);
}

const key = z.tuple([z.number().int(), z.string().max(128)]);

export function listKey({ created, id }: SessionCursor): string {
  return writePageKey([created, id]);
}

export function readListKey(given: string | undefined): SessionCursor | undefined {
  if (given === undefined) return undefined;
  const [created, id] = readPageKey(key, given);
  return { created, id };
}

type ActionField = 'login' | 'dbUser' | 'dbName' | 'inside' | 'name';

function actionField(db: Db, path: ActionField): RawBuilder<string | null> {
  if (path !== 'name')
    return isPostgres(db)
      ? sql`session.action ->> ${sql.lit(path)}`
      : sql`json_extract(session.action, ${sql.lit(`$.${path}`)})`;
  return isPostgres(db)
    ? sql`session.action -> 'resource' ->> 'name'`
    : sql`json_extract(session.action, '$.resource.name')`;
}
