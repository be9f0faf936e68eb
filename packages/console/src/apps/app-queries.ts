/** Applications as the gateway has them now; the changes socket makes all of it stale at once. */
import { agentRoutes } from '@gatehouse/contract/agents/agents';
import { type App, appRoutes } from '@gatehouse/contract/apps/apps';
import { matchPage } from '@gatehouse/contract/pages';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useCallback, useState } from 'react';
import type { Api } from '../api/api.ts';
import type { Asking } from '../api/query-client.ts';
import { filterProblem } from '../resource-list/filter-query.ts';
import { firstPageQuery, type LoadPage, RESOURCES, usePagedRows } from '../resource-list/use-paged-rows.ts';
import { useRested } from '../resource-list/use-rested.ts';
import { useUser } from '../sign-in/user.ts';
import { useApi } from '../world/use-api.ts';
import { type AppsAddress, parseApps } from './apps-address.ts';

const APPS = 'apps';
/** What was typed is asked for when the hand rests. */
const TYPING_MS = 120;

type Wanted = Pick<AppsAddress, 'search' | 'query' | 'sort'>;

export const appKey = (app: App) => app.name;

/** The applications of a filter, as many as are in sight. */
export function useApps(clusterId: string, wanted: Wanted) {
  const api = useApi();
  // A query that cannot be read is not asked: what was there stays, and in the beginning that is everything.
  const isFit = !filterProblem(wanted.query);
  const [atFirst] = useState(isFit ? wanted : { ...wanted, query: '' });
  const rested = useRested(wanted, TYPING_MS, isFit);
  const { search, query, sort } = filterProblem(rested.query) ? atFirst : rested;
  const sorted = `${sort.key}:${sort.direction}`;
  const load = useCallback<LoadPage<App>>(
    (asked, signal) => loadApps(api, clusterId, { search, query, sort: sorted }, asked, signal),
    [api, clusterId, search, query, sorted],
  );
  return usePagedRows({ list: listOf(clusterId, { search, query, sort: sorted }), load, rowKey: appKey });
}

/** How many there are without a filter; asked for only where one is set. */
export function useAppCount(clusterId: string, isFiltered: boolean) {
  const api = useApi();
  return useQuery({
    queryKey: [RESOURCES, APPS, clusterId, 'count'],
    queryFn: async ({ signal }) => {
      const query = { limit: '1', sort: 'name:asc' };
      return (await api(appRoutes.list, { params: { clusterId }, query }, signal)).totalCount;
    },
    enabled: isFiltered,
  }).data;
}

/** One application with all that can be edited. */
export function appQuery(api: Api, clusterId: string, name: string) {
  return queryOptions({
    queryKey: [RESOURCES, APPS, clusterId, 'one', name],
    queryFn: ({ signal }) => api(appRoutes.get, { params: { clusterId, name } }, signal),
  });
}

/** The first few that fit some words. */
export function fewAppsQuery(api: Api, clusterId: string, search: string, limit = 6) {
  return queryOptions({
    queryKey: [RESOURCES, APPS, clusterId, 'few', search, limit],
    queryFn: ({ signal }) => {
      const query = { search, limit: String(limit), sort: 'name:asc' };
      return api(appRoutes.list, { params: { clusterId }, query }, signal);
    },
  });
}

/** What has joined with a token whose applications carry this id. */
export function useJoinedApps(clusterId: string, resourceLabel: string, resourceId: string) {
  const api = useApi();
  return useQuery({
    ...fewAppsQuery(api, clusterId, `${resourceLabel} ${resourceId}`, 20),
    refetchInterval: 3_000,
    select: ({ items }) => items,
  });
}

/** Agents that could reach an application; nobody's for those who may not list them. */
export function useAgents() {
  const api = useApi();
  const { userAcl } = useUser();
  return useQuery({
    queryKey: [RESOURCES, 'agents'],
    queryFn: ({ signal }) => api(agentRoutes.list, {}, signal),
    enabled: userAcl.tokens.list,
  }).data;
}

/** Asks for the first page while the screen's file is on its way. Afterwards the screen asks for itself. */
export async function askForApps({ queries, api }: Asking): Promise<void> {
  const page = matchPage(window.location.pathname);
  const clusterId = page?.params.clusterId;
  if (page?.name !== 'apps' || clusterId === undefined) return;
  if (queries.getQueryCache().find({ queryKey: [RESOURCES, APPS, clusterId], exact: false })) return;
  const { search, query, sort } = parseApps(Object.fromEntries(new URLSearchParams(window.location.search)));
  if (filterProblem(query)) return;
  const filter = { search, query, sort: `${sort.key}:${sort.direction}` };
  const load: LoadPage<App> = (asked, signal) => loadApps(api, clusterId, filter, asked, signal);
  await queries.prefetchQuery(firstPageQuery(listOf(clusterId, filter), load));
}

interface Filter {
  search: string;
  query: string;
  sort: string;
}

function listOf(clusterId: string, { search, query, sort }: Filter): string[] {
  return [APPS, clusterId, search, query, sort];
}

function loadApps(
  api: Api,
  clusterId: string,
  { search, query, sort }: Filter,
  { startKey, skip, limit }: Parameters<LoadPage<App>>[0],
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
  return api(appRoutes.list, { params: { clusterId }, query: asked }, signal);
}
