/** What a list of resources remembers in the address: the filter, the sorting, the one that is open, what is being done. */
import type { Sort } from '@gatehouse/design/table-head';
import { useCallback, useMemo } from 'react';
import { type SearchTexts, useSearch } from '../address/address.tsx';
import type { FilterTexts } from './filter-query.ts';
import { type ListAddress, parseList } from './list-address.ts';

/** `open` is the row's key; `doing` is 'add', or what is done to the one that is open. */
export interface ResourceAddress extends ListAddress, FilterTexts {}

type SortKeys = readonly [string, ...string[]];

/** A step that one may want to take back pushes; `sortKeys` must be the same array each time. */
export function useResourceAddress(sortKeys: SortKeys) {
  const parse = useCallback((texts: SearchTexts) => parseResources(texts, sortKeys), [sortKeys]);
  const [address, set] = useSearch(parse);
  const actions = useMemo(
    () => ({
      filter: ({ search, query }: FilterTexts, how: 'replace' | 'push') => void set({ search, query }, how),
      sortBy: ({ key, direction }: Sort) => {
        const sort = `${key}:${direction}`;
        void set({ sort: sort === `${sortKeys[0]}:asc` ? undefined : sort }, 'push');
      },
      open: (open: string | undefined, tab?: string) =>
        void set({ open, tab }, open === undefined ? 'replace' : 'push'),
      start: (doing: string | undefined) => void set({ do: doing }, doing === undefined ? 'replace' : 'push'),
      /** From something new to what became of it. */
      openInstead: (open: string) => void set({ open, tab: undefined, do: undefined }),
    }),
    [set, sortKeys],
  );
  return [address, actions] as const;
}

export function parseResources(texts: SearchTexts, sortKeys: SortKeys): ResourceAddress {
  return { ...parseList(texts, sortKeys), query: texts.query ?? '' };
}
