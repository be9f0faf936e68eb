/** A list of any length, a page at a time: only pages in sight are asked for and kept. A refresh shows itself whole or not at all. */
import type { RowSource } from '@gatehouse/design/virtual-table';
import { keepPreviousData, useQueries, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';

export const PAGE_ROWS = 100;
/** Rows beyond those in sight whose page is asked for as well. */
const AHEAD_ROWS = 30;
/** How long a page out of sight is kept: long enough to scroll back, short enough not to hold a whole fleet. */
const KEPT_MS = 15_000;
/** A page that is only flown over is not asked for. */
const SETTLE_MS = 80;
const NEW_MS = 5_000;
/** News comes by the changes socket; this is for networks that let no socket through. */
const ASK_EVERY_MS = 60_000;

/** What the changes socket makes stale. */
export const RESOURCES = 'resources';
/** Apart, because a page is asked for again when the first one has been, not by itself. */
const PAGES = 'resource-pages';

export interface AskedPage {
  startKey: string;
  skip: number;
  limit: number;
}

export interface Page<T> {
  items: readonly T[];
  startKey: string;
  totalCount: number;
}

export type LoadPage<T> = (asked: AskedPage, signal: AbortSignal) => Promise<Page<T>>;

interface PagedOptions<T> {
  /** Kind, cluster, filter and sorting: everything that makes it this list. */
  list: readonly string[];
  load: LoadPage<T>;
  rowKey: (row: T) => string;
}

export interface PagedRows<T> {
  source: RowSource<T>;
  onRange: (range: { first: number; last: number }) => void;
  isNew: (row: T) => boolean;
  /** Nothing has come yet. */
  isPending: boolean;
  isFetching: boolean;
  /** Why the list that is wanted now could not be had. */
  error: Error | undefined;
  updatedAt: number;
  refresh: () => void;
}

/** The query of the first page, for asking ahead. */
export function firstPageQuery<T>(list: readonly string[], load: LoadPage<T>) {
  return {
    queryKey: [RESOURCES, ...list],
    queryFn: ({ signal }: { signal: AbortSignal }) => load({ startKey: '', skip: 0, limit: PAGE_ROWS }, signal),
  };
}

export function usePagedRows<T>({ list, load, rowKey }: PagedOptions<T>): PagedRows<T> {
  const queries = useQueryClient();
  const first = useQuery({
    ...firstPageQuery(list, load),
    placeholderData: keepPreviousData,
    refetchInterval: ASK_EVERY_MS,
  });
  const isOld = first.isPlaceholderData;
  // All pages between two answers for the first belong together: their keys count from the same rows.
  const epoch = first.dataUpdatedAt;
  const [range, onRange] = useRange();
  const keys = useKeys(`${list.join('\n')}\n${epoch}`, first.data?.startKey);
  const wanted = useMemo(() => pagesOf(range, first.data?.totalCount ?? 0), [range, first.data?.totalCount]);
  const rest = useQueries({
    queries: wanted.map((page) => ({
      queryKey: [PAGES, ...list, epoch, page],
      queryFn: async ({ signal }: { signal: AbortSignal }) => {
        const loaded = await load({ ...keys.before(page), limit: PAGE_ROWS }, signal);
        keys.learn(page, loaded.startKey);
        return loaded;
      },
      enabled: first.data !== undefined && !isOld,
      staleTime: Number.POSITIVE_INFINITY,
      gcTime: KEPT_MS,
    })),
  });

  const name = list.join('\n');
  const pages = isOld ? undefined : loadedPages(first.data, wanted, rest);
  const shown = useShown({ list: name, epoch, pages, isWhole: pages?.size === wanted.length + 1, rowKey });
  const error = first.error ?? rest.find((page) => page.error)?.error ?? undefined;
  return {
    ...shown,
    onRange,
    isPending: first.isPending,
    isFetching: first.isFetching || rest.some((page) => page.isFetching),
    error,
    updatedAt: epoch,
    refresh: () => void queries.invalidateQueries({ queryKey: [RESOURCES, ...list] }),
  };
}

function useRange() {
  const [range, setRange] = useState({ first: 0, last: 0 });
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const onRange = useCallback((next: { first: number; last: number }) => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setRange(next), SETTLE_MS);
  }, []);
  useEffect(() => () => clearTimeout(timer.current), []);
  return [range, onRange] as const;
}

/** Pages beside the first that the range touches. */
function pagesOf({ first, last }: { first: number; last: number }, count: number): number[] {
  const from = Math.max(1, Math.floor((first - AHEAD_ROWS) / PAGE_ROWS));
  const to = Math.floor((Math.min(last + AHEAD_ROWS, count) - 1) / PAGE_ROWS);
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index);
}

/** Where pages begin, as far as it is known. One that is not is counted from the nearest before it. */
function useKeys(epoch: string, second: string | undefined) {
  const known = useRef({ epoch, keys: new Map<number, string>() });
  return {
    before(page: number) {
      if (known.current.epoch !== epoch) known.current = { epoch, keys: new Map() };
      const { keys } = known.current;
      if (second) keys.set(1, second);
      for (let at = page; at > 0; at -= 1) {
        const startKey = keys.get(at);
        if (startKey !== undefined) return { startKey, skip: (page - at) * PAGE_ROWS };
      }
      return { startKey: '', skip: page * PAGE_ROWS };
    },
    learn(page: number, next: string) {
      if (next !== '' && known.current.epoch === epoch) known.current.keys.set(page + 1, next);
    },
  };
}

type Pages<T> = ReadonlyMap<number, Page<T>>;

function loadedPages<T>(
  first: Page<T> | undefined,
  wanted: readonly number[],
  rest: readonly { data: Page<T> | undefined }[],
): Pages<T> | undefined {
  if (!first) return undefined;
  const pages = new Map([[0, first]]);
  for (const [index, page] of wanted.entries()) {
    const data = rest[index]?.data;
    if (data) pages.set(page, data);
  }
  return pages;
}

interface ShownPages<T> {
  list: string;
  epoch: number;
  pages: Pages<T>;
  source: RowSource<T>;
}

interface Offered<T> {
  list: string;
  epoch: number;
  pages: Pages<T> | undefined;
  /** Everything in sight is there. */
  isWhole: boolean;
  rowKey: (row: T) => string;
}

/** What is on the screen: the pages of one moment. Those of a later moment take their place once all in sight are there. */
function useShown<T>({ list, epoch, pages, isWhole, rowKey }: Offered<T>) {
  const [shown, setShown] = useState<ShownPages<T>>(() => ({ ...NOTHING, source: sourceOf('', new Map(), rowKey) }));
  const [arrived, setArrived] = useState<ReadonlySet<string>>(new Set());
  const isSame = shown.list === list && shown.epoch === epoch;
  if (pages && (isSame ? !hasSame(shown.pages, pages) : isWhole || shown.list !== list)) {
    if (!isSame && shown.list === list) setArrived(newKeys(shown.pages, pages, rowKey));
    setShown({ list, epoch, pages, source: sourceOf(list, pages, rowKey) });
  }
  useEffect(() => {
    if (arrived.size === 0) return;
    const timer = setTimeout(() => setArrived(new Set()), NEW_MS);
    return () => clearTimeout(timer);
  }, [arrived]);
  return { source: shown.source, isNew: useCallback((row: T) => arrived.has(rowKey(row)), [arrived, rowKey]) };
}

const NOTHING = { list: '', epoch: 0, pages: new Map() };

function hasSame<T>(a: Pages<T>, b: Pages<T>): boolean {
  return a.size === b.size && [...b].every(([index, page]) => a.get(index) === page);
}

function sourceOf<T>(list: string, pages: Pages<T>, rowKey: (row: T) => string): RowSource<T> {
  const indices = new Map(
    [...pages].flatMap(([page, { items }]) =>
      items.map((row, place): [string, number] => [rowKey(row), page * PAGE_ROWS + place]),
    ),
  );
  return {
    list,
    count: pages.get(0)?.totalCount ?? 0,
    rowAt: (index) => pages.get(Math.floor(index / PAGE_ROWS))?.items[index % PAGE_ROWS],
    indexOf: (key) => indices.get(key),
  };
}

/** Rows that were not there before, when there are more than before; otherwise they have only moved into sight. */
function newKeys<T>(before: Pages<T>, after: Pages<T>, rowKey: (row: T) => string): ReadonlySet<string> {
  if ((after.get(0)?.totalCount ?? 0) <= (before.get(0)?.totalCount ?? 0)) return new Set();
  const old = new Set([...before.values()].flatMap(({ items }) => items.map(rowKey)));
  return new Set([...after.values()].flatMap(({ items }) => items.map(rowKey)).filter((key) => !old.has(key)));
}
