/** Narrows what a user may do to what one of their tokens may do. */

import { type Acl, aclGroups } from '@gatehouse/contract/access/acl';
import type { TokenScope } from '@gatehouse/contract/access/api-tokens';
import { VERBS, type Verb } from '@gatehouse/contract/wire/route';

const READING: readonly Verb[] = ['list', 'read'];

/** Never wider than the user: a verb the user loses is lost to the token too. */
export function limitToScope(acl: Acl, scope: TokenScope): Acl {
  if (scope === 'all') return acl;
  const limited = structuredClone(acl);
  for (const group of aclGroups) {
    const allowed = scope === 'read' ? READING : (scope[group] ?? []);
    for (const verb of VERBS) limited[group][verb] &&= allowed.includes(verb);
  }
  return limited;
}
