/** The names somebody may use on a resource, for people to read. */
import type { UsableNames } from '@gatehouse/contract/access/explain/explain';
import type { PrincipalField } from '@gatehouse/contract/access/roles/vocabulary';
import type { Kind } from '@gatehouse/contract/kinds/kinds';
import type { Access, Labels } from '../../access/bind-access.ts';
import { KIND_RULES } from '../../access/kind-rules.ts';
import { principalsFor } from '../../access/principals-for.ts';
import { REACHED_BY } from './reach.ts';

const SHOWN: Record<Kind, readonly PrincipalField[]> = {
  node: REACHED_BY.node.fields,
  app: REACHED_BY.app.fields,
  kube: REACHED_BY.kube.fields,
  db: ['db_users', 'db_names'],
  desktop: REACHED_BY.desktop.fields,
};

export function usableNames(access: Access, kind: Kind, labels: Labels): UsableNames {
  return SHOWN[kind]
    .map((field) => ({ field, names: principalsFor(access, kind, labels, field) }))
    .filter(({ names }) => names.length > 0);
}

/** Whether there is any way to connect at all. */
export function canReach(access: Access, kind: Kind, labels: Labels): boolean {
  const { fields, nameless } = REACHED_BY[kind];
  if (!nameless) return fields.some((field) => principalsFor(access, kind, labels, field).length > 0);
  const { field } = KIND_RULES[kind];
  const matches = (side: 'allow' | 'deny') =>
    access.roles.some((role) => role[side].labels.get(field)?.matches(labels));
  return matches('allow') && !matches('deny');
}
