/** Who last had a session with what: of anybody, for who may list sessions, otherwise one's own. */
import type { Kind } from '@gatehouse/contract/kinds/kinds';
import { type RawBuilder, sql } from 'kysely';
import type { AccessControl } from '../access/create-access.ts';
import type { Actor } from '../platform/http/actor.ts';
import { readJson } from '../platform/storage/json.ts';
import { sqlIn } from '../platform/storage/sql-in.ts';
import type { Db } from '../platform/storage/tables.ts';

export interface LastUse {
  /** When it began. */
  at: string;
  user: string;
  /** As it was stored. */
  action: unknown;
}

export interface LastUseDeps {
  db: Db;
  access: Pick<AccessControl, 'decide'>;
  clusterName: string;
}

/** Whose sessions count: everybody's for who may list sessions without any condition, otherwise one's own. */
export function usesSeenBy({ access }: Pick<LastUseDeps, 'access'>, actor: Actor): string | undefined {
  return access.decide(actor, { type: 'verb', resource: 'ssh_session', verb: 'list' }).allowed
    ? undefined
    : actor.username;
}

const lastSession = (column: 'id' | 'created', kind: Kind, user: string | undefined) => {
  const own = user === undefined ? sql`` : sql`and session."user" = ${user}`;
  return sql`(select ${sql.ref(`session.${column}`)} from session
    where session.cluster = resource.cluster and session.resource_id = resource.id ${own}
      and session.kind = ${sql.lit(kind)} and session.begun is not null
      and (session.end_cause is null or session.end_cause <> 'failed')
    order by session.created desc limit 1)`;
};

/** When somebody, or anybody, last had a session there. */
export function usedSql(kind: Kind, user: string | undefined): RawBuilder<number | null> {
  return sql<number | null>`${lastSession('created', kind, user)}`;
}

/** For those of one page, by their ids. */
export async function lastUsesOf(
  deps: LastUseDeps,
  actor: Actor,
  kind: Kind,
  ids: readonly string[],
): Promise<ReadonlyMap<string, LastUse>> {
  const { db, clusterName } = deps;
  if (ids.length === 0) return new Map();
  const uses = await db
    .selectFrom('resource')
    .select('resource.id')
    .select(sql<string | null>`${lastSession('id', kind, usesSeenBy(deps, actor))}`.as('session'))
    .where('resource.cluster', '=', clusterName)
    .where('resource.kind', '=', kind)
    .where(sqlIn(db, 'resource.id', ids))
    .execute();
  const sessions = uses.flatMap(({ session }) => session ?? []);
  if (sessions.length === 0) return new Map();
  const rows = await db
    .selectFrom('session')
    .select(['id', 'user', 'created', 'action'])
    .where(sqlIn(db, 'session.id', sessions))
    .execute();
  const bySession = new Map(
    rows.map(({ id, user, created, action }) => [
      id,
      { at: new Date(created).toISOString(), user, action: readJson(action) },
    ]),
  );
  return new Map(
    uses.flatMap(({ id, session }): [string, LastUse][] => {
      const use = bySession.get(session ?? '');
      return use ? [[id, use]] : [];
    }),
  );
}
