/** What the screen of applications remembers in the address: the filter, the sorting, the application that is open, what is being done. */
import type { Sort } from '@gatehouse/design/table-head';
import { useMemo } from 'react';
import { type SearchTexts, useSearch } from '../address/address.tsx';
import type { FilterTexts } from '../resource-list/filter-query.ts';

export const SORT_KEYS = ['name', 'description', 'publicAddress'] as const;
export type SortKey = (typeof SORT_KEYS)[number];

export interface AppsAddress extends FilterTexts {
  sort: Sort;
  /** Name of the application whose details are open. */
  open: string | undefined;
  tab: string | undefined;
  /** 'add', or 'edit' for the one that is open. */
  doing: string | undefined;
}

export function useAppsAddress() {
  const [address, set] = useSearch(parseApps);
  const actions = useMemo(
    () => ({
      filter: ({ search, query }: FilterTexts, how: 'replace' | 'push') => void set({ search, query }, how),
      sortBy: ({ key, direction }: Sort) => {
        const sort = `${key}:${direction}`;
        void set({ sort: sort === 'name:asc' ? undefined : sort }, 'push');
      },
      open: (open: string | undefined, tab?: string) =>
        void set({ open, tab }, open === undefined ? 'replace' : 'push'),
      start: (doing: string | undefined) => void set({ do: doing }, doing === undefined ? 'replace' : 'push'),
      /** From something new to what became of it. */
      openInstead: (open: string) => void set({ open, tab: undefined, do: undefined }),
    }),
    [set],
  );
  return [address, actions] as const;
}

export function parseApps(texts: SearchTexts): AppsAddress {
  const [key = '', direction] = (texts.sort ?? '').split(':');
  const isKnown = SORT_KEYS.some((each) => each === key);
  return {
    search: texts.search ?? '',
    query: texts.query ?? '',
    sort: isKnown ? { key, direction: direction === 'desc' ? 'desc' : 'asc' } : { key: SORT_KEYS[0], direction: 'asc' },
    open: texts.open || undefined,
    tab: texts.tab || undefined,
    doing: texts.do || undefined,
  };
}
