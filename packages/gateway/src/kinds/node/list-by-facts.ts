/** Pages of servers by what changes without them: whether they answer, and when they were last used. */

import type { NodeStatus } from '@gatehouse/contract/kinds/node/nodes';
import type { ListQuery } from '@gatehouse/contract/wire/paging';
import { sql } from 'kysely';
import { z } from 'zod';
import { type Visibility, visibleCondition } from '../../access/visibility.ts';
import { filterCondition } from '../../inventory/compile-filter.ts';
import { planList } from '../../inventory/list-plan.ts';
import type { ResourceList } from '../../inventory/list-resources.ts';
import { toResource } from '../../inventory/resource-store.ts';
import { readPageKey, writePageKey } from '../../platform/std/page-key.ts';
import type { Db } from '../../platform/storage/tables.ts';
import { usedSql } from '../../sessions/last-uses.ts';
import { statusSql } from './node-facts.ts';

export interface ByFacts extends ListQuery {
  status?: NodeStatus | undefined;
}

const FACT_SORT = /^(status|lastUsed)(?::(asc|desc))?$/;

/** Whether a list needs them; all others are found without. */
export function asksForFacts({ sort, status }: Pick<ByFacts, 'sort' | 'status'>): boolean {
  return status !== undefined || (sort !== undefined && FACT_SORT.test(sort));
}

interface FactsQuery {
  cluster: string;
  query: ByFacts;
  /** Whose sessions count as use; everybody's without it. */
  user: string | undefined;
}

export async function listByFacts(
  db: Db,
  seen: Visibility,
  { cluster, query, user }: FactsQuery,
): Promise<ResourceList> {
  const { status, sort, startKey, ...page } = query;
  const [, field, direction = 'asc'] = FACT_SORT.exec(sort ?? '') ?? [];
  const plan = planList({ ...page, cluster, kind: 'node', ...(field === undefined ? { sort } : {}) });
  if (seen.type === 'none') return { items: [], startKey: '', totalCount: 0 };
  const start = (startKey === undefined ? 0 : decodeStart(startKey)) + plan.skip;
  const { filter } = plan;
  const matching = db
    .selectFrom('resource')
    .where('resource.cluster', '=', cluster)
    .where('resource.kind', '=', 'node')
    .where(visibleCondition(db, seen))
    .$if(filter !== undefined, (rows) => rows.where(filterCondition(db, 'node', filter!)))
    .$if(status !== undefined, (rows) => rows.where(statusSql(), '=', status!));
  const { total } = await matching
    .select((builder) => builder.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  const order = direction === 'desc' ? 'desc' : 'asc';
  const rows = await matching
    .selectAll('resource')
    .$if(field === 'status', (query) => query.orderBy(statusSql(), order))
    // Never is before the first time, whichever engine.
    .$if(field === 'lastUsed', (query) => query.orderBy(sql`coalesce(${usedSql('node', user)}, 0)`, order))
    .$if(field === undefined, (query) => query.orderBy(sql.ref(`resource.${plan.order.column}`), plan.order.direction))
    .orderBy('resource.name')
    .orderBy('resource.id')
    .limit(plan.limit)
    .offset(start)
    .execute();
  const next = start + rows.length;
  return {
    items: rows.map((row) => toResource(row, 'node')),
    startKey: next < Number(total) ? encodeStart(next) : '',
    totalCount: Number(total),
  };
}

const startParts = z.tuple([z.literal('facts'), z.number().int().min(0).max(10_000_000)]);

/** These orders change under whoever reads them: a page is counted from the start. */
function encodeStart(start: number): string {
  return writePageKey(['facts', start]);
}

function decodeStart(text: string): number {
  return readPageKey(startParts, text)[1];
}
