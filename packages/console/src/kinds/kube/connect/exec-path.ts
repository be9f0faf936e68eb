/** Where a shell in a pod is opened. */
import { pagePath } from '@gatehouse/contract/console/pages';

export interface ExecTarget {
  cluster: string;
  namespace: string;
  pod: string;
  /** Absent: the one the cluster takes for the main one. */
  container?: string | undefined;
}

export function execPath(clusterId: string, { cluster, namespace, pod, container }: ExecTarget): string {
  const path = pagePath('consoleKube', { clusterId, name: cluster, namespace, pod });
  return container === undefined ? path : `${path}?${new URLSearchParams({ container })}`;
}
