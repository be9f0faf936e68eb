/** Databases as the gateway has them now. */
import { type Database, type DatabaseService, databaseRoutes } from '@gatehouse/contract/kinds/db/databases';
import { dbKind } from '@gatehouse/contract/kinds/db/db-kind';
import { queryOptions } from '@tanstack/react-query';
import type { Api } from '../../platform/api/api.ts';
import type { Asking } from '../../platform/api/query-client.ts';
import type { ResourceKind } from '../../shared/resource-list/resource-kind.ts';
import { prefetchResources } from '../../shared/resource-list/resource-queries.ts';
import { RESOURCES } from '../../shared/resource-list/use-paged-rows.ts';

export const DATABASES: ResourceKind<Database> = {
  kind: 'db',
  page: dbKind.path,
  words: 'databases',
  sortKeys: ['name', 'type', 'description'],
  rowKey: (database) => database.name,
  load: (api, clusterId, { status: _, ...query }, signal) =>
    api(databaseRoutes.list, { params: { clusterId }, query }, signal),
};

/** Agents that look after databases. The gateway gives all of them at once; a search is for what joined with a token. */
export const DB_SERVICES: ResourceKind<DatabaseService> = {
  kind: 'db',
  page: dbKind.path,
  words: 'databases',
  sortKeys: ['name'],
  rowKey: ({ name }) => name,
  async load(api, clusterId, { search = '' }, signal) {
    const all = await api(databaseRoutes.services, { params: { clusterId } }, signal);
    const id = search.split(' ').at(-1);
    return { ...all, items: all.items.filter(({ gatehouse }) => gatehouse?.connected && gatehouse.resourceId === id) };
  },
};

/** One database with all that can be edited. */
export function databaseQuery(api: Api, clusterId: string, name: string) {
  return queryOptions({
    queryKey: [RESOURCES, DATABASES.page, clusterId, 'one', name],
    queryFn: ({ signal }) => api(databaseRoutes.details, { params: { clusterId, name } }, signal),
  });
}

export function prefetchDatabases(asking: Asking): Promise<void> {
  return prefetchResources(DATABASES, asking);
}
