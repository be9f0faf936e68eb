/** Applications as the gateway has them now. */

import { appKind } from '@gatehouse/contract/kinds/app/app-kind';
import { type App, appRoutes } from '@gatehouse/contract/kinds/app/apps';
import { queryOptions } from '@tanstack/react-query';
import type { Api } from '../../platform/api/api.ts';
import type { Asking } from '../../platform/api/query-client.ts';
import type { ResourceKind } from '../../shared/resource-list/resource-kind.ts';
import { prefetchResources } from '../../shared/resource-list/resource-queries.ts';
import { RESOURCES } from '../../shared/resource-list/use-paged-rows.ts';

export const APP_SORT_KEYS = ['name', 'description', 'publicAddress'] as const;

export const APPS: ResourceKind<App> = {
  kind: 'app',
  page: appKind.path,
  words: 'apps',
  sortKeys: APP_SORT_KEYS,
  rowKey: (app) => app.name,
  load: (api, clusterId, { status: _, ...query }, signal) =>
    api(appRoutes.list, { params: { clusterId }, query }, signal),
};

/** One application with all that can be edited. */
export function appQuery(api: Api, clusterId: string, name: string) {
  return queryOptions({
    queryKey: [RESOURCES, APPS.page, clusterId, 'one', name],
    queryFn: ({ signal }) => api(appRoutes.get, { params: { clusterId, name } }, signal),
  });
}

export function prefetchApps(asking: Asking): Promise<void> {
  return prefetchResources(APPS, asking);
}
