/** What a list of resources must know about their kind; the rest is the same for all of them. */
import type { Kind, KindPage } from '@gatehouse/contract/kinds/kinds';
import type { Api } from '../../platform/api/api.ts';
import type { Area, WordId } from '../../platform/i18n/words.ts';
import type { Page } from './use-paged-rows.ts';

/** Areas that say what a list of resources says. */
type ListWords = { [A in Area]: `${A}.empty-not-yours` extends WordId ? A : never }[Area];

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
  kind: Kind;
  /** The page that lists them; what is kept of them is kept under its name. */
  page: KindPage;
  /** The area of their words. */
  words: ListWords;
  /** The first sorts where nothing else is said. */
  sortKeys: readonly [string, ...string[]];
  /** What a list of them can be narrowed to, beside the filter. */
  states?: readonly string[];
  rowKey: (row: T) => string;
  load: (api: Api, clusterId: string, query: ListQuery, signal: AbortSignal) => Promise<Page<T>>;
}
