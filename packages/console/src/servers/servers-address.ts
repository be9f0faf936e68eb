/** What the screen of servers remembers in the address: the filter, the sorting, the server that is open, what is being done. */
import type { Sort } from '@gatehouse/design/table-head';
import { useMemo } from 'react';
import { type SearchTexts, useSearch } from '../address/address.tsx';
import type { FilterTexts } from '../resource-list/filter-query.ts';

export const SORT_KEYS = ['hostname', 'address'] as const;

export interface ServersAddress extends FilterTexts {
  sort: Sort;
  /** Id of the server whose details are open. */
  open: string | undefined;
  /** Which of its details. */
  tab: string | undefined;
  /** 'add' while one is being added. */
  doing: string | undefined;
}

export function useServersAddress() {
  const [address, set] = useSearch(parseServers);
  const actions = useMemo(
    () => ({
      filter: ({ search, query }: FilterTexts, how: 'replace' | 'push') => void set({ search, query }, how),
      sortBy: ({ key, direction }: Sort) => {
        const sort = `${key}:${direction}`;
        void set({ sort: sort === 'hostname:asc' ? undefined : sort }, 'push');
      },
      open: (open: string | undefined, tab?: string) =>
        void set({ open, tab }, open === undefined ? 'replace' : 'push'),
      start: (doing: string | undefined) => void set({ do: doing }, doing === undefined ? 'replace' : 'push'),
    }),
    [set],
  );
  return [address, actions] as const;
}

export function parseServers(texts: SearchTexts): ServersAddress {
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
