/** The events of a search as rows of one long table: the first page at once, more as the end comes near, news on top. */
import type { WireEvent } from '@gatehouse/contract/audit/search';
import type { RowSource } from '@gatehouse/design/virtual-table';
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { useApi } from '../../platform/browser/use-api.ts';
import { AUDIT, type EventList, firstEventsQuery, loadEvents, MORE_ROWS } from './audit-queries.ts';
import { type EventRow, idOf, rowsOf } from './event-row.ts';
import type { LiveTail } from './use-live-tail.ts';

/** So near the end the next page is asked for. */
const AHEAD_ROWS = 120;
/** Places shown for rows that are still to come. */
const WAITING_ROWS = 30;
/** What was scrolled through is let go soon after leaving. */
const KEPT_MS = 15_000;

const NO_EVENTS: readonly WireEvent[] = [];

export function useEventRows(list: EventList, tail: LiveTail) {
  const api = useApi();
  const first = useQuery({ ...firstEventsQuery(api, list), placeholderData: keepPreviousData });
  const [last, setLast] = useState(0);
  const onRange = useCallback((range: { last: number }) => setLast(range.last), []);

  const firstCount = first.data?.events.length ?? 0;
  const startKey = first.isPlaceholderData ? '' : (first.data?.startKey ?? '');
  const isNearEnd = last + AHEAD_ROWS > firstCount;
  const more = useInfiniteQuery({
    // Those that go on from another first page are other pages.
    queryKey: [AUDIT, 'more', list, first.dataUpdatedAt],
    queryFn: ({ pageParam, signal }) => loadEvents(api, list, { limit: MORE_ROWS, startKey: pageParam }, signal),
    initialPageParam: startKey,
    getNextPageParam: (page) => page.startKey || undefined,
    enabled: startKey !== '' && isNearEnd,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: KEPT_MS,
  });

  const listed = useMemo(
    () => [...(first.data?.events ?? NO_EVENTS), ...(more.data?.pages.flatMap(({ events }) => events) ?? [])],
    [first.data, more.data],
  );
  const rows = useMemo(() => joined(tail, listed), [tail, listed]);
  const hasMore = !tail.isCut && startKey !== '' && (more.data === undefined || more.hasNextPage);
  const { fetchNextPage, hasNextPage, isFetching, isError } = more;
  useEffect(() => {
    if (hasNextPage && !isFetching && !isError && last + AHEAD_ROWS > rows.length) void fetchNextPage();
  }, [hasNextPage, isFetching, isError, last, rows.length, fetchNextPage]);

  const name = JSON.stringify(list);
  const [shownName, setShownName] = useState('');
  if (first.data && !first.isPlaceholderData && shownName !== name) setShownName(name);
  const source = useMemo(() => sourceOf(shownName, rows, hasMore), [shownName, rows, hasMore]);
  return {
    source,
    rows,
    hasMore,
    onRange,
    isPending: first.isPending,
    isFetching: first.isFetching || more.isFetching,
    error: first.error ?? more.error ?? undefined,
    refresh: first.refetch,
    retryMore: fetchNextPage,
  };
}

/** What is followed comes before what was listed, each event once. */
function joined(tail: LiveTail, listed: readonly WireEvent[]): EventRow[] {
  if (tail.events.length === 0) return rowsOf(listed);
  if (tail.isCut) return rowsOf(tail.events);
  const known = new Set(listed.map(idOf));
  return rowsOf([...tail.events.filter((event) => !known.has(idOf(event))), ...listed]);
}

function sourceOf(list: string, rows: readonly EventRow[], hasMore: boolean): RowSource<EventRow> {
  const places = new Map(rows.map((row, index) => [row.key, index]));
  return {
    list,
    count: rows.length + (hasMore ? WAITING_ROWS : 0),
    rowAt: (index) => rows[index],
    indexOf: (key) => places.get(key),
  };
}
