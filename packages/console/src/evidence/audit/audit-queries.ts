/** The calls of the audit log as queries. Nothing here needs the catalogue: the first page is asked for before that has come. */
import { eventRoutes, type WireEvent } from '@gatehouse/contract/audit/search';
import { matchPage } from '@gatehouse/contract/console/pages';
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import type { Api } from '../../platform/api/api.ts';
import type { Asking } from '../../platform/api/query-client.ts';
import { useApi } from '../../platform/browser/use-api.ts';
import { rangeQuery, spanAt } from '../../shared/time-range/range-search-params.ts';
import { barCount, type Span } from '../../shared/time-range/time-span.ts';
import { type EventFilter, parseAudit } from './audit-search-params.ts';

export const AUDIT = 'audit';
export const FIRST_ROWS = 200;
export const MORE_ROWS = 1_000;

/** What makes a list this list. */
export interface EventList {
  clusterId: string;
  span: Span;
  filter: EventFilter;
  order: 'asc' | 'desc';
}

export interface EventPage {
  events: readonly WireEvent[];
  startKey: string;
}

interface PageQuery {
  limit: number;
  startKey?: string;
}

export async function loadEvents(
  api: Api,
  { clusterId, span, filter, order }: EventList,
  { limit, startKey }: PageQuery,
  signal?: AbortSignal,
): Promise<EventPage> {
  const query = {
    ...rangeQuery(span),
    ...filter,
    limit: String(limit),
    ...(order === 'asc' ? { order } : {}),
    ...(startKey ? { startKey } : {}),
  };
  return api(eventRoutes.search, { params: { clusterId }, query }, signal);
}

export function firstEventsQuery(api: Api, list: EventList) {
  return queryOptions({
    queryKey: [AUDIT, 'events', list],
    queryFn: ({ signal }) => loadEvents(api, list, { limit: FIRST_ROWS }, signal),
    refetchOnWindowFocus: false,
  });
}

export function countsQuery(api: Api, { clusterId, span, filter }: Omit<EventList, 'order'>) {
  return queryOptions({
    queryKey: [AUDIT, 'counts', { clusterId, span, filter }],
    queryFn: ({ signal }) => {
      const query = { ...rangeQuery(span), ...filter, buckets: String(barCount(span)) };
      return api(eventRoutes.counts, { params: { clusterId }, query }, signal);
    },
    refetchOnWindowFocus: false,
  });
}

const COUNT_EVERY_MS = 10_000;

export function useCounts(list: Omit<EventList, 'order'>, isLive: boolean) {
  const api = useApi();
  return useQuery({
    ...countsQuery(api, list),
    placeholderData: keepPreviousData,
    refetchInterval: isLive ? COUNT_EVERY_MS : false,
  });
}

const STATE_EVERY_MS = 60_000;

/** Whether the log itself has trouble. Not knowing is no trouble. */
export function useLogState(clusterId: string) {
  const api = useApi();
  return useQuery({
    queryKey: [AUDIT, 'state', clusterId],
    queryFn: ({ signal }) => api(eventRoutes.state, { params: { clusterId } }, signal),
    refetchInterval: STATE_EVERY_MS,
  }).data;
}

/** Around the time an event was written with, which its id alone does not tell every store. */
const AROUND_MS = 1_000;

/** One event that is not among those listed: from a link, or after the filter was changed. */
export function eventQuery(api: Api, clusterId: string, id: string, time: string) {
  const at = Date.parse(time);
  return queryOptions({
    queryKey: [AUDIT, 'event', clusterId, id, time],
    queryFn: async ({ signal }) => {
      if (Number.isNaN(at)) return null;
      const span = { from: at - AROUND_MS, to: at + AROUND_MS };
      const list: EventList = { clusterId, span, filter: {}, order: 'desc' };
      const { events } = await loadEvents(api, list, { limit: MORE_ROWS }, signal);
      return events.find((event) => event.uid === id) ?? null;
    },
  });
}

/** Asks for the first page and the counts while the screen's file is on its way. */
export async function prefetchEvents({ queries, api }: Asking): Promise<void> {
  const page = matchPage(window.location.pathname);
  const clusterId = page?.params.clusterId;
  if (page?.name !== 'audit' || clusterId === undefined) return;
  const address = parseAudit(Object.fromEntries(new URLSearchParams(window.location.search)));
  const base = spanAt(address.range, Date.now());
  const list = { clusterId, span: address.zoom ?? base, filter: address.filter, order: address.order };
  await Promise.all([
    queries.prefetchQuery(firstEventsQuery(api, list)),
    queries.prefetchQuery(countsQuery(api, { clusterId, span: base, filter: address.filter })),
  ]);
}
