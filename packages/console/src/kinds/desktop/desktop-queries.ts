/** Desktops as the gateway has them now. */
import { desktopKind } from '@gatehouse/contract/kinds/desktop/desktop-kind';
import { type Desktop, desktopRoutes } from '@gatehouse/contract/kinds/desktop/desktops';
import { queryOptions } from '@tanstack/react-query';
import type { Api } from '../../platform/api/api.ts';
import type { Asking } from '../../platform/api/query-client.ts';
import type { ResourceKind } from '../../shared/resource-list/resource-kind.ts';
import { prefetchResources } from '../../shared/resource-list/resource-queries.ts';
import { RESOURCES } from '../../shared/resource-list/use-paged-rows.ts';

export const DESKTOPS: ResourceKind<Desktop> = {
  kind: 'desktop',
  page: desktopKind.path,
  words: 'desktops',
  sortKeys: ['name', 'address'],
  rowKey: ({ name }) => name,
  load: (api, clusterId, { status: _, ...query }, signal) =>
    api(desktopRoutes.list, { params: { clusterId }, query }, signal),
};

/** One with all that can be edited. */
export function desktopQuery(api: Api, clusterId: string, name: string) {
  return queryOptions({
    queryKey: [RESOURCES, DESKTOPS.page, clusterId, 'one', name],
    queryFn: ({ signal }) => api(desktopRoutes.details, { params: { clusterId, name } }, signal),
  });
}

export function prefetchDesktops(asking: Asking): Promise<void> {
  return prefetchResources(DESKTOPS, asking);
}
