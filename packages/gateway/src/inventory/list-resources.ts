/** Pages of the inventory. What the actor may not see is neither listed nor counted: access is part of the query. */

import { factsOf, type Kind } from '@gatehouse/contract/kinds/kinds';
import { type Filter, parseFilter, parseSearch } from '@gatehouse/contract/wire/filter';
import { FilterError } from '@gatehouse/contract/wire/filter-tokens';
import { type RawBuilder, type Selectable, type SqlBool, sql } from 'kysely';
import { type Visibility, visibleCondition } from '../access/visibility.ts';
import { AppError } from '../platform/std/app-error.ts';
import { sqlInNumbers } from '../platform/storage/sql-in.ts';
import type { Db, Tables } from '../platform/storage/tables.ts';
import { filterCondition } from './compile-filter.ts';
import type { SortColumn } from './kind-fields.ts';
import type { ListIndex } from './list-index/create-list-index.ts';
import { decodeStartKey, encodeStartKey, type ListOrder, type PageCursor, parseSort } from './list-order.ts';
import { type Resource, toResource } from './resource-store.ts';

export interface ResourcePage {
  cluster: string;
  kind: Kind;
  limit: number;
  startKey?: string | undefined;
  /** So many after the start are passed over. */
  skip?: number | undefined;
  /** A predicate. */
  query?: string | undefined;
  /** Words and phrases. */
  search?: string | undefined;
  /** `field:asc` or `field:desc`. */
  sort?: string | undefined;
  derived?: Derived | undefined;
}

/** What is shown in place of a column where that is empty, as SQL: it depends on how the gateway is reached. */
export interface Derived {
  column: SortColumn;
  /** What it is sorted by. */
  key: RawBuilder<string>;
  /** What words of a search are found in. */
  text: RawBuilder<string>;
}

export interface ResourceList {
  items: Resource[];
  /** Names the first item of the next page; empty on the last. */
  startKey: string;
  /** Of all pages; 0 where nobody asked, which is where no order is asked for. */
  totalCount: number;
}

/** What a page asks for, read and checked. */
export interface ListPlan {
  cluster: string;
  kind: Kind;
  filter: Filter | undefined;
  order: ListOrder;
  from: PageCursor | undefined;
  skip: number;
  limit: number;
  counts: boolean;
  derived?: Derived | undefined;
}

/** Below this share of a page's worth of rows, sorting the few is cheaper than walking past the many. */
const FEW = 5_000;

/** With an index, lists of large inventories are found in memory; what is shown is read from the store in any case. */
export async function listResources(
  db: Db,
  seen: Visibility,
  page: ResourcePage,
  index?: Pick<ListIndex, 'find'>,
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

async function findRows(db: Db, seen: Visibility, plan: ListPlan, index: Pick<ListIndex, 'find'> | undefined) {
  // The index knows columns only.
  const found = plan.derived ? undefined : await index?.find(seen, plan);
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

export function planList({ startKey, skip, query, search, sort, ...page }: ResourcePage): ListPlan {
  const order = parseSort(page.kind, sort);
  return {
    ...page,
    order,
    filter: readFilter(query, search),
    from: startKey === undefined ? undefined : decodeStartKey(order, startKey),
    skip: skip ?? 0,
    // Clients of the wire show their pager by the count, and those of clusters never say an order.
    counts: sort !== undefined || factsOf(page.kind).countsAlways === true,
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

function readFilter(query: string | undefined, search: string | undefined): Filter | undefined {
  const parts = [
    ...(query ? [inParameter('query', () => parseFilter(query))] : []),
    ...(search ? [{ type: 'search', words: inParameter('search', () => parseSearch(search)) } as const] : []),
  ].filter((part) => part.type !== 'search' || part.words.length > 0);
  return parts.length > 1 ? { type: 'and', of: parts } : parts[0];
}

function inParameter<T>(name: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    if (!(cause instanceof FilterError)) throw cause;
    throw new AppError('bad_request', `${name} ${cause.message}`, { cause, fields: { [name]: { at: cause.at } } });
  }
}
