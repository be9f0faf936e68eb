/** What a list of the inventory is asked for, read and checked, and where its page lies. */
import { factsOf, type Kind } from '@gatehouse/contract/kinds/kinds';
import { type Filter, parseFilter, parseSearch } from '@gatehouse/contract/wire/filter';
import { FilterError } from '@gatehouse/contract/wire/filter-tokens';
import type { RawBuilder } from 'kysely';
import { AppError } from '../platform/std/app-error.ts';
import type { SortColumn } from './kind-fields.ts';
import { decodeStartKey, type ListOrder, type PageCursor, parseSort } from './list-order.ts';

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

export interface FoundPage {
  /** The rows of the page in their order. */
  seqs: number[];
  /** Where the next page begins. */
  next: PageCursor | undefined;
  /** 0 when it was not asked for. */
  total: number;
}

export function planList({ startKey, skip, query, search, sort, ...page }: ResourcePage): ListPlan {
  const order = parseSort(page.kind, sort);
  return {
    ...page,
    order,
    filter: readListFilter(query, search),
    from: startKey === undefined ? undefined : decodeStartKey(order, startKey),
    skip: skip ?? 0,
    // Clients of the wire show their pager by the count, and those of clusters never say an order.
    counts: sort !== undefined || factsOf(page.kind).countsAlways === true,
  };
}

/** Throws, naming the parameter, where one cannot be read. */
export function readListFilter(query: string | undefined, search: string | undefined): Filter | undefined {
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
