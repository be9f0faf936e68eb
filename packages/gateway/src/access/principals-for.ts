/** The names somebody may use on a resource: what list rows show. Agrees with the decision for each of them. */

import type { PrincipalField } from '@gatehouse/contract/access/roles/vocabulary';
import { factsOf, type Kind } from '@gatehouse/contract/kinds/kinds';
import { namesToDeny } from './action.ts';
import type { Access, Labels } from './bind-access.ts';

/** Sorted. `*` stands for any name, where a role allows any. */
export function principalsFor(access: Access, kind: Kind, labels: Labels, field: PrincipalField): string[] {
  const { labels: labelField, ignoresCase } = factsOf(kind);
  if (access.roles.some(({ deny }) => deny.labels.get(labelField)?.matches(labels))) return [];
  const denied = access.roles.flatMap(({ deny }) => deny.principals.get(field) ?? []);
  const folds = ignoresCase === 'always';
  const names = new Set<string>();
  for (const { allow } of access.roles) {
    if (!allow.labels.get(labelField)?.matches(labels)) continue;
    const allowed = allow.principals.get(field);
    if (allowed?.any) names.add('*');
    for (const value of allowed?.values ?? []) names.add(value);
  }
  return [...names]
    .filter((name) => {
      const names = namesToDeny(kind, name);
      return !denied.some((entry) => names.some((each) => (folds ? entry.matchesFolded(each) : entry.matches(each))));
    })
    .sort();
}
