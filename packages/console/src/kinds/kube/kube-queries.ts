/** Kubernetes clusters as the gateway has them now. */
import { kubeKind } from '@gatehouse/contract/kinds/kube/kube-kind';
import { type KubeCluster, kubeRoutes } from '@gatehouse/contract/kinds/kube/kubernetes';
import { queryOptions } from '@tanstack/react-query';
import type { Api } from '../../platform/api/api.ts';
import type { Asking } from '../../platform/api/query-client.ts';
import type { ResourceKind } from '../../shared/resource-list/resource-kind.ts';
import { prefetchResources } from '../../shared/resource-list/resource-queries.ts';
import { RESOURCES } from '../../shared/resource-list/use-paged-rows.ts';

export const KUBE_CLUSTERS: ResourceKind<KubeCluster> = {
  kind: 'kube',
  page: kubeKind.path,
  words: 'kubernetes',
  sortKeys: ['name'],
  rowKey: ({ name }) => name,
  load: (api, clusterId, { status: _, ...query }, signal) =>
    api(kubeRoutes.list, { params: { clusterId }, query }, signal),
};

/** One with all that can be edited. */
export function kubeQuery(api: Api, clusterId: string, name: string) {
  return queryOptions({
    queryKey: [RESOURCES, KUBE_CLUSTERS.page, clusterId, 'one', name],
    queryFn: ({ signal }) => api(kubeRoutes.get, { params: { clusterId, name } }, signal),
  });
}

export function prefetchKubes(asking: Asking): Promise<void> {
  return prefetchResources(KUBE_CLUSTERS, asking);
}
