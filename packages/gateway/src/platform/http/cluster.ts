/** Which cluster a call or a socket is for. Asked where calls are bound and sockets opened: handlers are given the answer. */
import { CURRENT_CLUSTER } from '@gatehouse/contract/console/clusters';
import { notFound } from '../std/app-error.ts';

/** The name of the cluster with this id. Leaf clusters come later; until then every id but our own is unknown. */
export function findCluster(clusterId: string, own: string): string | undefined {
  if (clusterId !== CURRENT_CLUSTER && clusterId !== own) return undefined;
  return own;
}

export function requireCluster(clusterId: string, own: string): string {
  const found = findCluster(clusterId, own);
  if (found === undefined) throw notFound('cluster', clusterId);
  return found;
}
