/** Where a shell in a pod is opened. */
import { pagePath } from '@gatehouse/contract/console/pages';

export interface ExecTarget {
  cluster: string;
  namespace: string;
  pod: string;
  /** Absent: the one the cluster takes for the main one. */
  container?: string | undefined;
  /** As whom, where several may be chosen. */
  user?: string | undefined;
}

export function execPath(clusterId: string, { cluster, namespace, pod, ...more }: ExecTarget): string {
  return `${pagePath('consoleKube', { clusterId, name: cluster, namespace, pod })}${execTexts(more)}`;
}

/** What follows the path: the container and the user, where they are named. */
export function execTexts({ container, user }: Pick<ExecTarget, 'container' | 'user'>): string {
  const texts = new URLSearchParams();
  if (container !== undefined) texts.set('container', container);
  if (user !== undefined) texts.set('as', user);
  return texts.size === 0 ? '' : `?${texts}`;
}

export function readExecTexts(search: string): Pick<ExecTarget, 'container' | 'user'> {
  const texts = new URLSearchParams(search);
  return { container: texts.get('container') || undefined, user: texts.get('as') || undefined };
}
