/** One kind of things the palette finds: asked of the gateway when the hand rests, a few at a time, each kind for itself. */
import type { PaletteGroup, PaletteItem } from '@gatehouse/design/palette-groups';
import { keepPreviousData, useQueries, useQuery } from '@tanstack/react-query';
import { failureWords } from '../../platform/failures/failure-words.ts';
import { useTranslate } from '../../platform/i18n/words.ts';
import type { RecentChoice } from './recent-choices.ts';

/** So many are asked for, and the best of them shown: the gateway finds by more than the name. */
export const ASKED = 20;
const SHOWN = 5;

export interface FoundRows<T> {
  rows: readonly T[];
  /** How many fit in all. */
  total: number;
}

export interface PaletteSource<T> {
  /** Begins the ids of its items, as in `server:n-1`. */
  id: string;
  title: string;
  /** What is found is kept under this, so that the changes socket makes it stale with its kind. */
  key: readonly unknown[];
  /** Nothing is asked that the gateway would refuse. */
  mayAsk: boolean;
  /** What is looked for; empty: nothing yet. */
  search: string;
  /** What was typed for it, where that is more. */
  typed?: string;
  find: (search: string, signal: AbortSignal) => Promise<FoundRows<T>>;
  /** For a kind of which the gateway gives all at once: asked for once, and narrowed here. */
  narrow?: (rows: readonly T[], search: string) => readonly T[];
  /** One that was taken before, if it is still there and may be seen. */
  one: (id: string, signal: AbortSignal) => Promise<T | undefined>;
  item: (row: T) => PaletteItem;
}

/** What somebody types, and what they took before. */
export interface PaletteAsk {
  clusterId: string;
  query: string;
  recent: readonly RecentChoice[];
}

export interface Found {
  group: PaletteGroup;
  recent: readonly PaletteItem[];
  isBusy: boolean;
}

export function usePaletteSource<T>(source: PaletteSource<T>, recent: readonly RecentChoice[]): Found {
  const t = useTranslate();
  const { key, mayAsk, search, narrow } = source;
  const isAsked = mayAsk && search !== '';
  const found = useQuery({
    queryKey: [...key, 'palette', narrow ? 'all' : search],
    queryFn: ({ signal }) => source.find(search, signal),
    enabled: isAsked,
    // What was found for fewer letters stays until the answer is there, as far as it fits.
    placeholderData: keepPreviousData,
  });
  const before = useQueries({
    queries: idsOf(source.id, search === '' && mayAsk ? recent : []).map((id) => ({
      queryKey: [...key, 'palette-one', id],
      queryFn: async ({ signal }: { signal: AbortSignal }) => (await source.one(id, signal)) ?? null,
      retry: false,
    })),
  });
  const times = new Map(recent.map(({ id, time }) => [id, time]));
  const itemOf = (row: T): PaletteItem => {
    const item = source.item(row);
    return { ...item, recent: times.has(item.id) };
  };
  const all = isAsked ? (found.data?.rows ?? []) : [];
  const rows = narrow ? narrow(all, search) : all;
  // The gateway has found it, perhaps by a label: here it fits whatever was typed, unless that was typed since.
  const keywords = found.isPlaceholderData && !narrow ? {} : { keywords: source.typed ?? search };
  const total = narrow ? rows.length : (found.data?.total ?? 0);
  return {
    group: {
      id: source.id,
      title: source.title,
      items: rows.map((row) => ({ ...itemOf(row), ...keywords })),
      most: SHOWN,
      ...(total > SHOWN && !found.isPlaceholderData ? { total } : {}),
      ...(isAsked && found.error ? { note: t('palette.failed', { why: failureWords(t, found.error) }) } : {}),
    },
    recent: before.flatMap(({ data }) => (data ? [itemOf(data)] : [])),
    isBusy: isAsked && found.isFetching,
  };
}

function idsOf(source: string, recent: readonly RecentChoice[]): string[] {
  return recent.flatMap(({ id }) => (id.startsWith(`${source}:`) ? [id.slice(source.length + 1)] : []));
}
