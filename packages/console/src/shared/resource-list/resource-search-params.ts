/** What a list of resources remembers in the address: the filter, the sorting, the one that is open, what is being done. */
import type { Sort } from '@gatehouse/design/table-head';
import { useCallback, useMemo } from 'react';
import { type SearchTexts, useSearch } from '../../platform/routing/routing.tsx';
import type { FilterTexts } from './filter-query.ts';
import { type ListAddress, parseList } from './list-search-params.ts';

/** `open` is the row's key; `doing` is 'add', or what is done to the one that is open. */
export interface ResourceAddress extends ListAddress, FilterTexts {
  /** Only those of this state. */
  status: string | undefined;
}

type SortKeys = readonly [string, ...string[]];

interface Known {
  sortKeys: SortKeys;
  states?: readonly string[];
}

/** A step that one may want to take back pushes; what is known must be the same each time. */
export function useResourceAddress(known: Known) {
  const { sortKeys } = known;
  const parse = useCallback((texts: SearchTexts) => parseResources(texts, known), [known]);
  const [address, set] = useSearch(parse);
  const actions = useMemo(
    () => ({
      filter: ({ search, query }: FilterTexts, how: 'replace' | 'push') => void set({ search, query }, how),
      showOnly: (status: string | undefined) => void set({ status }, 'push'),
      clear: () => void set({ search: undefined, query: undefined, status: undefined }, 'push'),
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

export function parseResources(texts: SearchTexts, { sortKeys, states = [] }: Known): ResourceAddress {
  const status = states.find((each) => each === texts.status);
  return { ...parseList(texts, sortKeys), query: texts.query ?? '', status };
}
