/** Resources of any kind as the gateway has them now; the changes socket makes all of it stale at once. */
import { matchPage } from '@gatehouse/contract/console/pages';
import type { KindPage } from '@gatehouse/contract/kinds/kinds';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useCallback, useState } from 'react';
import type { Api } from '../../platform/api/api.ts';
import type { Asking } from '../../platform/api/query-client.ts';
import { useApi } from '../../platform/browser/use-api.ts';
import { filterProblem } from './filter-query.ts';
import type { ResourceKind } from './resource-kind.ts';
import { parseResources, type ResourceAddress } from './resource-search-params.ts';
import { useDebounced } from './use-debounced.ts';
import { type AskedPage, firstPageQuery, type LoadPage, RESOURCES, usePagedRows } from './use-paged-rows.ts';

/** What was typed is asked for when the hand rests. */
const TYPING_MS = 120;

type Wanted = Pick<ResourceAddress, 'search' | 'query' | 'sort' | 'status'>;

/** Those of a filter, as many as are in sight. */
export function useResources<T>(kind: ResourceKind<T>, clusterId: string, wanted: Wanted) {
  const api = useApi();
  // A query that cannot be read is not asked: what was there stays, and in the beginning that is everything.
  const isFit = !filterProblem(wanted.query);
  const [atFirst] = useState(isFit ? wanted : { ...wanted, query: '' });
  const rested = useDebounced(wanted, TYPING_MS, isFit);
  const { search, query, sort, status } = filterProblem(rested.query) ? atFirst : rested;
  const sorted = `${sort.key}:${sort.direction}`;
  const load = useCallback<LoadPage<T>>(
    (asked, signal) => kind.load(api, clusterId, askedFor({ search, query, sort: sorted, status }, asked), signal),
    [kind, api, clusterId, search, query, sorted, status],
  );
  const list = listKey(kind.page, clusterId, { search, query, sort: sorted, status });
  return usePagedRows({ list, load, rowKey: kind.rowKey });
}

/** How many there are without a filter; asked for only where one is set. */
export function useResourceCount<T>(kind: ResourceKind<T>, clusterId: string, isFiltered: boolean) {
  const api = useApi();
  return useQuery({ ...countQuery(kind.page, async () => kind, api, clusterId), enabled: isFiltered }).data;
}

/** The same of a kind whose calls have no room in every page's first files: they are fetched to count. */
export function useLaterCount<T>(page: KindPage, fetchKind: () => Promise<ResourceKind<T>>, clusterId: string) {
  return useQuery(countQuery(page, fetchKind, useApi(), clusterId)).data;
}

function countQuery<T>(page: KindPage, fetchKind: () => Promise<ResourceKind<T>>, api: Api, clusterId: string) {
  return queryOptions({
    queryKey: [RESOURCES, page, clusterId, 'count'],
    queryFn: async ({ signal }) => {
      const kind = await fetchKind();
      // Whoever wanted it may be gone by now.
      signal.throwIfAborted();
      const { totalCount } = await kind.load(api, clusterId, { limit: '1', sort: firstSort(kind) }, signal);
      return totalCount;
    },
  });
}

/** The first few that fit some words. */
export function fewQuery<T>(kind: ResourceKind<T>, api: Api, clusterId: string, search: string, limit = 6) {
  return queryOptions({
    queryKey: [RESOURCES, kind.page, clusterId, 'few', search, limit],
    queryFn: ({ signal }) => kind.load(api, clusterId, { search, limit: String(limit), sort: firstSort(kind) }, signal),
  });
}

/** Asks for the first page while the screen's file is on its way. Afterwards the screen asks for itself. */
export async function prefetchResources<T>(kind: ResourceKind<T>, { queries, api }: Asking): Promise<void> {
  const page = matchPage(window.location.pathname);
  const clusterId = page?.params.clusterId;
  if (page?.name !== kind.page || clusterId === undefined) return;
  if (queries.getQueryCache().find({ queryKey: [RESOURCES, kind.page, clusterId], exact: false })) return;
  const texts = Object.fromEntries(new URLSearchParams(window.location.search));
  const { search, query, sort, status } = parseResources(texts, kind);
  if (filterProblem(query)) return;
  const sorted = `${sort.key}:${sort.direction}`;
  const load: LoadPage<T> = (asked, signal) =>
    kind.load(api, clusterId, askedFor({ search, query, sort: sorted, status }, asked), signal);
  const list = listKey(kind.page, clusterId, { search, query, sort: sorted, status });
  await queries.prefetchQuery(firstPageQuery(list, load));
}

interface Filter {
  search: string;
  query: string;
  sort: string;
  status: string | undefined;
}

function listKey(page: string, clusterId: string, { search, query, sort, status }: Filter): string[] {
  return [page, clusterId, search, query, sort, ...(status ? [status] : [])];
}

function askedFor({ search, query, sort, status }: Filter, { startKey, skip, limit }: AskedPage) {
  return {
    limit: String(limit),
    sort,
    ...(search ? { search } : {}),
    ...(query ? { query } : {}),
    ...(status ? { status } : {}),
    ...(startKey ? { startKey } : {}),
    ...(skip > 0 ? { skip: String(skip) } : {}),
  };
}

export function firstSort<T>({ sortKeys }: ResourceKind<T>): string {
  return `${sortKeys[0]}:asc`;
}
