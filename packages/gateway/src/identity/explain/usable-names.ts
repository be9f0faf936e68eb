/** The names somebody may use on a resource, for people to read. */
import type { UsableNames } from '@gatehouse/contract/access/explain/explain';
import type { PrincipalField } from '@gatehouse/contract/access/roles/vocabulary';
import { factsOf, type Kind } from '@gatehouse/contract/kinds/kinds';
import type { Access, Labels } from '../../access/bind-access.ts';
import { principalsFor } from '../../access/principals-for.ts';
import { reachedBy } from './reach.ts';

export function usableNames(access: Access, kind: Kind, labels: Labels): UsableNames {
  return factsOf(kind)
    .principals.map(({ field }) => field as PrincipalField)
    .map((field) => ({ field, names: principalsFor(access, kind, labels, field) }))
    .filter(({ names }) => names.length > 0);
}

/** Whether there is any way to connect at all. */
export function canReach(access: Access, kind: Kind, labels: Labels): boolean {
  const { fields, nameless } = reachedBy(kind);
  if (!nameless) return fields.some((field) => principalsFor(access, kind, labels, field).length > 0);
  const field = factsOf(kind).labels;
  const matches = (side: 'allow' | 'deny') =>
    access.roles.some((role) => role[side].labels.get(field)?.matches(labels));
  return matches('allow') && !matches('deny');
}

/** Of everything somebody has, the roles whose labels let them in. */
export function rolesThatReach(access: Access, kind: Kind, labels: Labels): string[] {
  const reaching = access.roles.filter(({ allow }) => allow.labels.get(factsOf(kind).labels)?.matches(labels));
  return reaching.map(({ name }) => name).toSorted();
}
