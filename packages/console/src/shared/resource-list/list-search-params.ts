/** What a list remembers in the address: what is searched, how it is sorted, which row is open and on which tab. */
import type { Sort } from '@gatehouse/design/table-head';
import { useCallback, useMemo } from 'react';
import { type SearchTexts, useSearch } from '../../platform/routing/routing.tsx';

export interface ListAddress {
  search: string;
  sort: Sort;
  /** The row whose details are open. */
  open: string | undefined;
  tab: string | undefined;
  /** What is being done: making a new one, for example. */
  doing: string | undefined;
}

export interface ListActions {
  searchFor: (search: string) => void;
  sortBy: (sort: Sort) => void;
  openRow: (key: string | undefined) => void;
  showTab: (tab: string | undefined) => void;
  start: (doing: string | undefined) => void;
  /** Back to the list. */
  leave: () => void;
  /** From something new to what became of it. */
  openInstead: (key: string) => void;
}

/** Only these keys sort; anything else in the address falls back to the first, ascending. */
export function useListAddress(sortKeys: readonly [string, ...string[]]): [ListAddress, ListActions] {
  const keys = sortKeys.join('\n');
  const parse = useCallback((texts: SearchTexts) => parseList(texts, keys.split('\n')), [keys]);
  const [address, set] = useSearch(parse);
  const first = `${sortKeys[0]}:asc`;
  const actions = useMemo<ListActions>(
    () => ({
      searchFor: (search) => void set({ search }),
      sortBy: ({ key, direction }) => {
        const sort = `${key}:${direction}`;
        void set({ sort: sort === first ? undefined : sort });
      },
      openRow: (open) => void set({ open, ...(open === undefined ? { tab: undefined } : {}) }),
      showTab: (tab) => void set({ tab }),
      start: (doing) => void set({ do: doing }),
      leave: () => void set({ open: undefined, tab: undefined, do: undefined }),
      openInstead: (open) => void set({ open, do: undefined }),
    }),
    [set, first],
  );
  return [address, actions];
}

export function parseList(texts: SearchTexts, sortKeys: readonly string[]): ListAddress {
  const [key = '', direction] = (texts.sort ?? '').split(':');
  return {
    search: texts.search ?? '',
    sort: sortKeys.includes(key)
      ? { key, direction: direction === 'desc' ? 'desc' : 'asc' }
      : { key: sortKeys[0] ?? '', direction: 'asc' },
    open: texts.open || undefined,
    tab: texts.tab || undefined,
    doing: texts.do || undefined,
  };
}
