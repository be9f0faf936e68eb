/** The calls of recordings as queries. */
import { matchPage } from '@gatehouse/contract/console/pages';
import { recordingUpkeepRoutes } from '@gatehouse/contract/recordings/recording-upkeep';
import { type Recording, recordingRoutes } from '@gatehouse/contract/recordings/recordings';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { Api } from '../../platform/api/api.ts';
import type { Asking } from '../../platform/api/query-client.ts';
import { rangeQuery, spanAt } from '../../shared/time-range/range-search-params.ts';
import type { Span } from '../../shared/time-range/time-span.ts';
import { parseRecordings, type RecordingFilter, type SearchScope } from './recordings-search-params.ts';

export const RECORDINGS = 'recordings';
const PAGE_ROWS = 60;
const PAGE_FOUND = 20;
const KEPT_MS = 60_000;

type FoundRecording = Awaited<ReturnType<typeof loadPage>>['rows'][number];
export type Hit = NonNullable<FoundRecording['hits']>[number];

/** With the hits where words on the screen were looked for. */
export interface RecordingRow extends Recording {
  hits?: Hit[];
  moreHits?: boolean;
}

/** What makes a list this list. */
export interface RecordingList {
  clusterId: string;
  span: Span;
  place: SearchScope;
  search: string;
  filter: RecordingFilter;
}

async function loadPage(api: Api, list: RecordingList, startKey: string, signal: AbortSignal) {
  const { clusterId, span, place, search, filter } = list;
  const query = { ...rangeQuery(span), ...filter, ...(startKey ? { startKey } : {}) };
  const params = { clusterId };
  if (place === 'screen') {
    const asked = { ...query, text: search, limit: String(PAGE_FOUND) };
    const { found, ...page } = await api(recordingRoutes.search, { params, query: asked }, signal);
    return { rows: found, startKey: page.startKey, waiting: page.waiting };
  }
  const asked = { ...query, ...(search ? { search } : {}), limit: String(PAGE_ROWS) };
  const { recordings, ...page } = await api(recordingRoutes.list, { params, query: asked }, signal);
  const rows = recordings.map((recording) => ({ ...recording, hits: undefined, moreHits: undefined }));
  return { rows, startKey: page.startKey, waiting: 0 };
}

export function recordingsQuery(api: Api, list: RecordingList) {
  return infiniteQueryOptions({
    queryKey: [RECORDINGS, 'list', list],
    queryFn: ({ pageParam, signal }) => loadPage(api, list, pageParam, signal),
    initialPageParam: '',
    getNextPageParam: (page) => page.startKey || undefined,
    refetchOnWindowFocus: false,
    gcTime: KEPT_MS,
  });
}

export function coverageQuery(api: Api, clusterId: string, span: Span) {
  return queryOptions({
    queryKey: [RECORDINGS, 'coverage', clusterId, span],
    queryFn: ({ signal }) =>
      api(recordingUpkeepRoutes.coverage, { params: { clusterId }, query: rangeQuery(span) }, signal),
    refetchOnWindowFocus: false,
  });
}

/** A picture of a time, or the last one; of a finished session it never changes. */
export function screenQuery(api: Api, clusterId: string, sid: string, at?: number) {
  return queryOptions({
    queryKey: [RECORDINGS, 'screen', clusterId, sid, at ?? 'last'],
    queryFn: ({ signal }) => {
      const query = at === undefined ? {} : { at: String(Math.round(at)) };
      return api(recordingRoutes.screen, { params: { clusterId, sid }, query }, signal);
    },
    staleTime: 5 * 60_000,
    gcTime: KEPT_MS,
    retry: false,
    refetchOnWindowFocus: false,
  });
}

/** Asks for the first page while the screen's file is on its way. */
export async function prefetchRecordings({ queries, api }: Asking): Promise<void> {
  const page = matchPage(window.location.pathname);
  const clusterId = page?.params.clusterId;
  if (page?.name !== 'recordings' || clusterId === undefined) return;
  const address = parseRecordings(Object.fromEntries(new URLSearchParams(window.location.search)));
  const { place, filter } = address;
  const search = address.search.trim();
  if (place === 'screen' && search === '') return;
  const span = spanAt(address.range, Date.now());
  await queries.prefetchInfiniteQuery(recordingsQuery(api, { clusterId, span, place, search, filter }));
}
