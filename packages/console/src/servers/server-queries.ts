/** Servers as the gateway has them now. */
import { type Node, nodeRoutes } from '@gatehouse/contract/nodes/nodes';
import { queryOptions } from '@tanstack/react-query';
import type { Api } from '../api/api.ts';
import type { Asking } from '../api/query-client.ts';
import type { ResourceKind } from '../resource-list/resource-kind.ts';
import { askForResources } from '../resource-list/resource-queries.ts';
import { RESOURCES } from '../resource-list/use-paged-rows.ts';

export const SERVERS: ResourceKind<Node> = {
  page: 'nodes',
  words: 'servers',
  sortKeys: ['hostname', 'address', 'status', 'lastUsed'],
  rowKey: (node) => node.id,
  load: (api, clusterId, query, signal) => api(nodeRoutes.list, { params: { clusterId }, query }, signal),
};

/** One server, by its id, or by its name where only one has it. */
export function serverQuery(api: Api, clusterId: string, id: string) {
  return queryOptions({
    queryKey: [RESOURCES, SERVERS.page, clusterId, 'one', id],
    queryFn: ({ signal }) => api(nodeRoutes.get, { params: { clusterId, id } }, signal),
  });
}

export function askForServers(asking: Asking): Promise<void> {
  return askForResources(SERVERS, asking);
}
