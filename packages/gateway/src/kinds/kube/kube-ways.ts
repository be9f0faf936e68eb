/** What somebody can do with a Kubernetes cluster: reach it, as which users, in which groups, and with which of its objects. */
import type { Access, Labels } from '../../access/bind-access.ts';
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
  // Who has no name there but their own has what the cluster gives that name, which no label does.
  const given = users.length + groups.length > 0 ? reachedObjects(held, resource.labels) : [];
  const objects = [...given].map((text) => ({
    name: `use ${text} of it`,
    action: open,
    isHeld: (by: Access, { labels }: { labels: Labels }) => {
      const has = reachedObjects(by, labels);
      return (has.has(text) || has.has(EVERYTHING)) && deniesAsMuch(held, by);
    },
  }));
  return [...all, ...objects].filter(({ action }) => decide(held, action).allowed);
}

/** As entries of roles that say nothing of objects are told. */
const EVERYTHING = 'everything';

/** By what they say: whether one pattern holds another is not worked out, so an entry must be held as it is written. */
function reachedObjects({ roles }: Access, labels: Labels): ReadonlySet<string> {
  const reaching = roles.filter(({ allow }) => allow.labels.get('kubernetes_labels')?.matches(labels));
  return new Set(reaching.flatMap(({ allow }) => allow.objects.map(({ text }) => text)));
}

/** What the second may not touch, the first may not either. */
function deniesAsMuch(held: Access, by: Access): boolean {
  const deniedTo = ({ roles }: Access) => new Set(roles.flatMap(({ deny }) => deny.objects.map(({ text }) => text)));
  const denied = deniedTo(held);
  return [...deniedTo(by)].every((text) => denied.has(text));
}
