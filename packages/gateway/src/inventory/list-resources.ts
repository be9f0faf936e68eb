/** Pages of the inventory. What the actor may not see is neither listed nor counted: access is part of the query. */

import type { Filter } from '@gatehouse/contract/wire/filter';
import { type RawBuilder, type Selectable, type SqlBool, sql } from 'kysely';
import { type Visibility, visibleCondition } from '../access/visibility.ts';
import { sqlInNumbers } from '../platform/storage/sql-in.ts';
import type { Db, Tables } from '../platform/storage/tables.ts';
import { filterCondition } from './compile-filter.ts';
import { encodeStartKey, type ListOrder, type PageCursor } from './list-order.ts';
import { type FoundPage, type ListPlan, planList, type ResourcePage } from './list-plan.ts';
import { type Resource, toResource } from './resource-store.ts';

export interface ResourceList {
  items: Resource[];
  /** Names the first item of the next page; empty on the last. */
  startKey: string;
  /** Of all pages; 0 where nobody asked, which is where no order is asked for. */
  totalCount: number;
}

/** Below this share of a page's worth of rows, sorting the few is cheaper than walking past the many. */
const FEW = 5_000;

/** What finds pages of large inventories without asking the store for all of it. */
interface PageFinder {
  /** `undefined` when the store has to be asked. */
  find(seen: Visibility, plan: ListPlan): Promise<FoundPage | undefined>;
}

/** With an index, lists of large inventories are found in memory; what is shown is read from the store in any case. */
export async function listResources(
  db: Db,
  seen: Visibility,
  page: ResourcePage,
  index?: PageFinder,
): Promise<ResourceList> {
  const plan = planList(page);
  if (seen.type === 'none') return { items: [], startKey: '', totalCount: 0 };
  const { rows, next, total } = (await findRows(db, seen, plan, index)) ?? (await queryRows(db, seen, plan));
  return {
    items: rows.map((row) => toResource(row, plan.kind)),
    startKey: next ? encodeStartKey(plan.order, next) : '',
    totalCount: total,
  };
}

interface PageRows {
  rows: Selectable<Tables['resource']>[];
  next: PageCursor | undefined;
  total: number;
}

async function findRows(db: Db, seen: Visibility, plan: ListPlan, index: PageFinder | undefined) {
  const { derived: _, ...columns } = plan;
  // The index knows columns only.
  const found = needsDerived(plan) ? undefined : await index?.find(seen, columns);
  if (!found) return undefined;
  const { seqs, next, total } = found;
  const rows =
    seqs.length === 0
      ? []
      : await db
          .selectFrom('resource')
          .selectAll()
          .where(sqlInNumbers(db, 'resource.seq', seqs))
          // Asked again: a label may have changed since, and with it who may see what it is on.
          .where(visibleCondition(db, seen))
          .execute();
  const places = new Map(seqs.map((seq, place) => [seq, place]));
  rows.sort((a, b) => places.get(a.seq)! - places.get(b.seq)!);
  return { rows, next, total } satisfies PageRows;
}

/** Whether what is derived decides what is on the page, and not only what is shown there. */
function needsDerived({ derived, order, filter }: ListPlan): boolean {
  return derived !== undefined && (derived.column === order.column || (filter !== undefined && looksForWords(filter)));
}

function looksForWords(filter: Filter): boolean {
  if (filter.type === 'and' || filter.type === 'or') return filter.of.some(looksForWords);
  return filter.type === 'not' ? looksForWords(filter.of) : filter.type === 'search';
}

async function queryRows(db: Db, seen: Visibility, plan: ListPlan): Promise<PageRows> {
  const total = plan.counts ? await countResources(db, seen, plan) : undefined;
  if (total === 0) return { rows: [], next: undefined, total };
  const rows = await readPage(db, seen, plan, total);
  const next = rows[plan.limit];
  return {
    rows: rows.slice(0, plan.limit),
    next: next && { value: next.place, id: next.id },
    total: total ?? 0,
  };
}

export async function countResources(
  db: Db,
  seen: Visibility,
  { cluster, kind, filter, derived }: Pick<ListPlan, 'cluster' | 'kind' | 'derived'> & { filter?: Filter | undefined },
) {
  if (seen.type === 'none') return 0;
  const { total } = await db
    .selectFrom('resource')
    .select((builder) => builder.fn.countAll<number>().as('total'))
    .where('cluster', '=', cluster)
    .where('kind', '=', kind)
    .where(visibleCondition(db, seen, 'sets'))
    .$if(filter !== undefined, (rows) => rows.where(filterCondition(db, kind, filter!, derived?.text)))
    .executeTakeFirstOrThrow();
  return Number(total);
}

async function readPage(db: Db, seen: Visibility, plan: ListPlan, total: number | undefined) {
  const { cluster, kind, filter, from, limit, skip, derived } = plan;
  const { direction } = plan.order;
  const key = keyIn(plan);
  const few = total !== undefined && total <= FEW && (seen.type === 'some' || filter !== undefined);
  // The appended nothing hides the column from the planner's indexes.
  const place = few ? sql<string>`(${key} || '')` : key;
  return await db
    .selectFrom('resource')
    .selectAll()
    .select(key.as('place'))
    .where('cluster', '=', cluster)
    .where('kind', '=', kind)
    .where(visibleCondition(db, seen, few ? 'sets' : 'filter'))
    .$if(filter !== undefined, (query) => query.where(filterCondition(db, kind, filter!, derived?.text)))
    .$if(from !== undefined, (query) => query.where(startCondition(key, direction, from!)))
    .orderBy(place, direction)
    .orderBy('resource.id', direction)
    .limit(limit + 1)
    .$if(skip > 0, (query) => query.offset(skip))
    .execute();
}

function keyIn({ order: { column }, derived }: ListPlan): RawBuilder<string> {
  return derived?.column === column ? derived.key : sql<string>`${sql.ref(`resource.${column}`)}`;
}

function startCondition(key: RawBuilder<string>, direction: ListOrder['direction'], { value, id }: PageCursor) {
  const compared = direction === 'asc' ? sql`>=` : sql`<=`;
  return sql<SqlBool>`(${key}, resource.id) ${compared} (${value}, ${id})`;
}
