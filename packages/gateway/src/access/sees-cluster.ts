/** Which other clusters somebody sees, by the labels these were given here. */
import type { Access, Labels } from './bind-access.ts';

/** One without labels is seen by all who are not forbidden any. */
export function seesCluster({ roles }: Pick<Access, 'roles'>, labels: Labels): boolean {
  if (roles.some(({ deny }) => deny.labels.get('cluster_labels')?.matches(labels))) return false;
  if (Object.keys(labels).length === 0) return true;
  return roles.some(({ allow }) => allow.labels.get('cluster_labels')?.matches(labels));
}
