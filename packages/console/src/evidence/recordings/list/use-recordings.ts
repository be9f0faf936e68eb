/** The recordings that the address asks for, page after page, and how many of the sessions have one. */
import { keepPreviousData, useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useMemo, useState } from 'react';
import { useBrowser } from '../../../platform/browser/browser-services.tsx';
import { useApi } from '../../../platform/browser/use-api.ts';
import { useDebounced } from '../../../shared/resource-list/use-debounced.ts';
import { spanAt } from '../../../shared/time-range/range-search-params.ts';
import {
  coverageQuery,
  RECORDINGS,
  type RecordingList,
  type RecordingRow,
  recordingsQuery,
} from '../recording-queries.ts';
import type { RecordingsAddress } from '../recordings-search-params.ts';

const TYPING_MS = 250;
const LIVE_EVERY_MS = 15_000;

export function useRecordings(clusterId: string, address: RecordingsAddress) {
  const api = useApi();
  const queries = useQueryClient();
  const { place, filter } = address;
  const search = useDebounced(address.search.trim(), TYPING_MS);
  const { span, refreshSpan } = useSpan(address);
  const list = useMemo<RecordingList>(
    () => ({ clusterId, span, place, search, filter }),
    [clusterId, span, place, search, filter],
  );
  // Words on the screen are looked for when there are some; everything has been on a screen.
  const isAsked = place === 'names' || search !== '';
  const pages = useInfiniteQuery({
    ...recordingsQuery(api, list),
    enabled: isAsked,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) =>
      state.data?.pages[0]?.rows.some(({ state: each }) => each === 'live') ? LIVE_EVERY_MS : false,
  });
  const coverage = useQuery({ ...coverageQuery(api, clusterId, span), placeholderData: keepPreviousData });
  const rows = useMemo<RecordingRow[]>(() => (isAsked ? distinct(pages.data?.pages ?? []) : []), [isAsked, pages.data]);
  const refresh = useCallback(() => {
    refreshSpan();
    void queries.invalidateQueries({ queryKey: [RECORDINGS] });
  }, [queries, refreshSpan]);
  return {
    span,
    rows,
    isAsked,
    waiting: pages.data?.pages.at(-1)?.waiting ?? 0,
    isPending: isAsked && pages.isPending,
    isFetching: pages.isFetching,
    isOld: pages.isPlaceholderData,
    error: pages.error ?? undefined,
    hasMore: isAsked && pages.hasNextPage && !pages.isPlaceholderData,
    isLoadingMore: pages.isFetchingNextPage,
    loadMore: () => void pages.fetchNextPage(),
    coverage: coverage.data,
    refresh,
  };
}

/** A running session may move from one page to another between two calls. */
function distinct(pages: readonly { rows: RecordingRow[] }[]): RecordingRow[] {
  const bySid = new Map<string, RecordingRow>();
  for (const row of pages.flatMap(({ rows }) => rows)) if (!bySid.has(row.sid)) bySid.set(row.sid, row);
  return [...bySid.values()];
}

/** The moment that "now" means: when the question was last changed, or asked again. */
function useSpan({ range, search, filter, place }: RecordingsAddress) {
  const { now } = useBrowser();
  const key = JSON.stringify([range, search, filter, place]);
  const [held, setHeld] = useState(() => ({ key, at: now() }));
  if (held.key !== key) setHeld({ key, at: now() });
  const { from, to } = spanAt(range, held.at);
  const refreshSpan = useCallback(() => setHeld((before) => ({ ...before, at: now() })), [now]);
  return { span: useMemo(() => ({ from, to }), [from, to]), refreshSpan };
}
