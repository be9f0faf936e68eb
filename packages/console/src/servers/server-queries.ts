/** Servers as the gateway has them now; the changes socket makes all of it stale at once. */

import { type Node, nodeRoutes } from '@gatehouse/contract/nodes/nodes';
import { matchPage } from '@gatehouse/contract/pages';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useCallback, useState } from 'react';
import type { Api } from '../api/api.ts';
import type { Asking } from '../api/query-client.ts';
import { filterProblem } from '../resource-list/filter-query.ts';
import { firstPageQuery, type LoadPage, RESOURCES, usePagedRows } from '../resource-list/use-paged-rows.ts';
import { useRested } from '../resource-list/use-rested.ts';
import { useApi } from '../world/use-api.ts';
import { parseServers, type ServersAddress } from './servers-address.ts';

const NODES = 'nodes';
/** What was typed is asked for when the hand rests. */
const TYPING_MS = 120;

type Wanted = Pick<ServersAddress, 'search' | 'query' | 'sort'>;

export const serverKey = (node: Node) => node.id;

/** The servers of a filter, as many as are in sight. */
export function useServers(clusterId: string, wanted: Wanted) {
  const api = useApi();
  // A query that cannot be read is not asked: what was there stays, and in the beginning that is everything.
  const isFit = !filterProblem(wanted.query);
  const [atFirst] = useState(isFit ? wanted : { ...wanted, query: '' });
  const rested = useRested(wanted, TYPING_MS, isFit);
  const { search, query, sort } = filterProblem(rested.query) ? atFirst : rested;
  const sorted = `${sort.key}:${sort.direction}`;
  const load = useCallback<LoadPage<Node>>(
    (asked, signal) => loadServers(api, clusterId, { search, query, sort: sorted }, asked, signal),
    [api, clusterId, search, query, sorted],
  );
  return usePagedRows({ list: listOf(clusterId, { search, query, sort: sorted }), load, rowKey: serverKey });
}

/** How many servers there are without a filter; asked for only where one is set. */
export function useServerCount(clusterId: string, isFiltered: boolean) {
  const api = useApi();
  return useQuery({
    queryKey: [RESOURCES, NODES, clusterId, 'count'],
    queryFn: async ({ signal }) => {
      const query = { limit: '1', sort: 'hostname:asc' };
      return (await api(nodeRoutes.list, { params: { clusterId }, query }, signal)).totalCount;
    },
    enabled: isFiltered,
  }).data;
}

/** One server, by its id, or by its name where only one has it. */
export function serverQuery(api: Api, clusterId: string, id: string) {
  return queryOptions({
    queryKey: [RESOURCES, NODES, clusterId, 'one', id],
    queryFn: ({ signal }) => api(nodeRoutes.get, { params: { clusterId, id } }, signal),
  });
}

/** The first few that fit some words, for completing a name. */
export function fewServersQuery(api: Api, clusterId: string, search: string, limit = 6) {
  return queryOptions({
    queryKey: [RESOURCES, NODES, clusterId, 'few', search, limit],
    queryFn: ({ signal }) => {
      const query = { search, limit: String(limit), sort: 'hostname:asc' };
      return api(nodeRoutes.list, { params: { clusterId }, query }, signal);
    },
  });
}

/** What has joined with a token whose machines carry this id. */
export function useJoined(clusterId: string, resourceLabel: string, resourceId: string) {
  const api = useApi();
  return useQuery({
    ...fewServersQuery(api, clusterId, `${resourceLabel} ${resourceId}`, 20),
    refetchInterval: 3_000,
    select: ({ items }) => items,
  });
}

/** Asks for the first page while the screen's file is on its way. Afterwards the screen asks for itself. */
export async function askForServers({ queries, api }: Asking): Promise<void> {
  const page = matchPage(window.location.pathname);
  const clusterId = page?.params.clusterId;
  if (page?.name !== 'nodes' || clusterId === undefined) return;
  if (queries.getQueryCache().find({ queryKey: [RESOURCES, NODES, clusterId], exact: false })) return;
  const { search, query, sort } = parseServers(Object.fromEntries(new URLSearchParams(window.location.search)));
  if (filterProblem(query)) return;
  const filter = { search, query, sort: `${sort.key}:${sort.direction}` };
  const load: LoadPage<Node> = (asked, signal) => loadServers(api, clusterId, filter, asked, signal);
  await queries.prefetchQuery(firstPageQuery(listOf(clusterId, filter), load));
}

interface Filter {
  search: string;
  query: string;
  sort: string;
}

function listOf(clusterId: string, { search, query, sort }: Filter): string[] {
  return [NODES, clusterId, search, query, sort];
}

function loadServers(
  api: Api,
  clusterId: string,
  { search, query, sort }: Filter,
  { startKey, skip, limit }: Parameters<LoadPage<Node>>[0],
  signal: AbortSignal,
) {
  const asked = {
    limit: String(limit),
    sort,
    ...(search ? { search } : {}),
    ...(query ? { query } : {}),
    ...(startKey ? { startKey } : {}),
    ...(skip > 0 ? { skip: String(skip) } : {}),
  };
  return api(nodeRoutes.list, { params: { clusterId }, query: asked }, signal);
}
