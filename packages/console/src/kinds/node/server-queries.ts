/** Servers as the gateway has them now. */
import { nodeKind } from '@gatehouse/contract/kinds/node/node-kind';
import { type Node, nodeRoutes, nodeStatus } from '@gatehouse/contract/kinds/node/nodes';
import { queryOptions, useQuery } from '@tanstack/react-query';
import type { Api } from '../../platform/api/api.ts';
import type { Asking } from '../../platform/api/query-client.ts';
import { useApi } from '../../platform/browser/use-api.ts';
import type { ResourceKind } from '../../shared/resource-list/resource-kind.ts';
import { prefetchResources } from '../../shared/resource-list/resource-queries.ts';
import { RESOURCES } from '../../shared/resource-list/use-paged-rows.ts';

export const SERVERS: ResourceKind<Node> = {
  kind: 'node',
  page: nodeKind.path,
  words: 'servers',
  sortKeys: ['hostname', 'address', 'status', 'lastUsed'],
  states: nodeStatus.options,
  rowKey: (node) => node.id,
  load: (api, clusterId, { status, ...query }, signal) => {
    const known = nodeStatus.safeParse(status).data;
    const asked = known ? { ...query, status: known } : query;
    return api(nodeRoutes.list, { params: { clusterId }, query: asked }, signal);
  },
};

/** One server, by its id, or by its name where only one has it. */
export function serverQuery(api: Api, clusterId: string, id: string) {
  return queryOptions({
    queryKey: [RESOURCES, SERVERS.page, clusterId, 'one', id],
    queryFn: ({ signal }) => api(nodeRoutes.get, { params: { clusterId, id } }, signal),
  });
}

/** Counted by the gateway, of those the user sees. */
export function useServerSummary(clusterId: string) {
  const api = useApi();
  return useQuery({
    queryKey: [RESOURCES, SERVERS.page, clusterId, 'summary'],
    queryFn: ({ signal }) => api(nodeRoutes.summary, { params: { clusterId } }, signal),
  }).data;
}

export function prefetchServers(asking: Asking): Promise<void> {
  return prefetchResources(SERVERS, asking);
}
