/** What a list of resources must know about their kind; the rest is the same for all of them. */
import type { Api } from '../../platform/api/api.ts';
import type { Page } from './use-paged-rows.ts';

export interface ListQuery {
  limit: string;
  sort: string;
  search?: string;
  query?: string;
  status?: string;
  startKey?: string;
  skip?: string;
}

export interface ResourceKind<T> {
  /** The page that lists them; what is kept of them is kept under its name. */
  page: 'apps' | 'nodes';
  /** The area of their words. */
  words: 'apps' | 'servers';
  /** The first sorts where nothing else is said. */
  sortKeys: readonly [string, ...string[]];
  /** What a list of them can be narrowed to, beside the filter. */
  states?: readonly string[];
  rowKey: (row: T) => string;
  load: (api: Api, clusterId: string, query: ListQuery, signal: AbortSignal) => Promise<Page<T>>;
}
