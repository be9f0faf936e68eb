/** What somebody can do with a Kubernetes cluster: reach it, as which users, and in which groups. */
import type { Access } from '../../access/bind-access.ts';
import { decide } from '../../access/decide.ts';
import type { WayIn } from '../../access/label-gifts.ts';
import { principalsFor } from '../../access/principals-for.ts';
import type { Resource } from '../../inventory/resource-store.ts';

export function kubeWays(held: Access, resource: Resource): WayIn[] {
  const open = { type: 'connect', kind: 'kube', resource, groups: [] } as const;
  const users = principalsFor(held, 'kube', resource.labels, 'kubernetes_users');
  const groups = principalsFor(held, 'kube', resource.labels, 'kubernetes_groups');
  const all: WayIn[] = [
    { name: 'use it', action: open },
    ...users.map((user) => ({ name: `use it as '${user}'`, action: { ...open, user } })),
    ...groups.map((group) => ({ name: `use it in the group '${group}'`, action: { ...open, groups: [group] } })),
  ];
  return all.filter(({ action }) => decide(held, action).allowed);
}
