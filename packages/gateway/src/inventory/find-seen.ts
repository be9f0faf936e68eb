/** What somebody sees: one resource by its id or name, and whether there is any. */
import { factsOf, type Kind, kinds } from '@gatehouse/contract/kinds/kinds';
import type { AccessControl } from '../access/create-access.ts';
import { visibleCondition } from '../access/visibility.ts';
import type { Actor } from '../platform/http/actor.ts';
import { notFound } from '../platform/std/app-error.ts';
import type { Db } from '../platform/storage/tables.ts';
import { type Resource, toResource } from './resource-store.ts';

export interface SeenDeps {
  db: Db;
  access: Pick<AccessControl, 'decide'>;
  clusterName: string;
}

const MAX_READ = 100;

/** Throws `not_found`, alike for what is not there and what is not seen. */
export async function findSeenByName(deps: SeenDeps, kind: Kind, actor: Actor, wanted: string): Promise<Resource> {
  const rows = await deps.db
    .selectFrom('resource')
    .selectAll()
    .where('cluster', '=', deps.clusterName)
    .where('kind', '=', kind)
    .where((builder) => builder.or([builder('id', '=', wanted), builder('name', '=', wanted)]))
    .limit(MAX_READ)
    .execute();
  const seen = rows
    .map((row) => toResource(row, kind))
    .find((resource) => deps.access.decide(actor, { type: 'see', kind, resource }).allowed);
  if (!seen) throw notFound(factsOf(kind).noun, wanted);
  return seen;
}

/** Of any kind. */
export async function seesAnything(
  { db, access, clusterName }: Omit<SeenDeps, 'access'> & { access: Pick<AccessControl, 'visibleTo'> },
  actor: Actor,
): Promise<boolean> {
  for (const kind of kinds) {
    const seen = await access.visibleTo(actor, kind);
    if (seen.type === 'none') continue;
    const first = await db
      .selectFrom('resource')
      .select('id')
      .where('cluster', '=', clusterName)
      .where('kind', '=', kind)
      .where(visibleCondition(db, seen, 'sets'))
      .limit(1)
      .executeTakeFirst();
    if (first) return true;
  }
  return false;
}
