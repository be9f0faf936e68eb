/** Pages of resources that several people's conditions hold for at once: what one sees of what another may be told of. */

import type { Kind } from '@gatehouse/contract/kinds/kinds';
import { type SqlBool, sql } from 'kysely';
import { type Visibility, visibleCondition } from '../../access/visibility.ts';
import { type Resource, toResource } from '../../inventory/resource-store.ts';
import { writePageKey } from '../../platform/std/page-key.ts';
import type { Db } from '../../platform/storage/tables.ts';
import { readPlaceKey } from './start-key.ts';

interface ResourceScope {
  cluster: string;
  kind: Kind;
}

export async function countReached(db: Db, seen: readonly Visibility[], place: ResourceScope): Promise<number> {
  if (seen.some(({ type }) => type === 'none')) return 0;
  const { total } = await matching(db, seen, place)
    .select((builder) => builder.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  return Number(total);
}

export async function listReached(
  db: Db,
  seen: readonly Visibility[],
  { limit, startKey, ...place }: ResourceScope & { limit: number; startKey: string },
): Promise<{ items: Resource[]; startKey: string }> {
  if (seen.some(({ type }) => type === 'none')) return { items: [], startKey: '' };
  const [name, id = ''] = startKey === '' ? [] : readPlaceKey(startKey);
  const rows = await matching(db, seen, place)
    .selectAll()
    .$if(name !== undefined, (query) => query.where(sql<SqlBool>`(resource.name, resource.id) > (${name}, ${id})`))
    .orderBy('resource.name')
    .orderBy('resource.id')
    .limit(limit + 1)
    .execute();
  const items = rows.slice(0, limit).map((row) => toResource(row, place.kind));
  const last = items.at(-1);
  return { items, startKey: rows.length > limit && last ? writePageKey([last.name, last.id]) : '' };
}

function matching(db: Db, seen: readonly Visibility[], { cluster, kind }: ResourceScope) {
  const all = db.selectFrom('resource').where('cluster', '=', cluster).where('kind', '=', kind);
  return seen.reduce((query, each) => query.where(visibleCondition(db, each)), all);
}
