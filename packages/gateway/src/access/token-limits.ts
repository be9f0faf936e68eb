/** What a narrowed token may do of what its owner may. */

import { ACL_GROUPS, type Acl, type AclGroup, aclGroups } from '@gatehouse/contract/access/acl';
import { factsOf } from '@gatehouse/contract/kinds/kinds';
import { VERBS, type Verb } from '@gatehouse/contract/wire/route';
import type { Actor } from '../platform/http/actor.ts';
import { RULE_VERB_OF } from './acl-of.ts';
import type { Action } from './action.ts';
import type { BoundRole } from './bind-access.ts';

const GROUP_OF: ReadonlyMap<string, AclGroup> = new Map(aclGroups.map((group) => [ACL_GROUPS[group], group]));
const VERB_OF: ReadonlyMap<string, Verb> = new Map([
  ...VERBS.map((verb) => [RULE_VERB_OF[verb], verb] as const),
  // Without secrets is a way of reading.
  ['readnosecrets', 'read'],
]);

/** A token's scope names calls of the API, so no scope but the whole says that it may connect. */
const CONNECTING: ReadonlySet<Action['type']> = new Set(['connect', 'join']);

/** Within what the actor's credential may do; for whoever is not narrowed, roles alone decide what no acl group shows. */
export function isWithinScope({ acl, isNarrowed }: Pick<Actor, 'acl' | 'isNarrowed'>, action: Action): boolean {
  if (isNarrowed && CONNECTING.has(action.type)) return false;
  if (action.type === 'join') return acl.activeSessions.list;
  if (action.type !== 'verb') return acl[factsOf(action.kind).acl].list;
  const isRead = VERB_OF.get(action.verb) === 'read' || action.verb === 'list';
  return isWithinAcl(acl, action.resource, action.verb) ?? (!isNarrowed || (isNarrowed === 'reads' && isRead));
}

/** Nothing when no group of the acl shows it: what cannot be named, no narrowed token has. */
function isWithinAcl(acl: Acl, resource: string, verb: string): boolean | undefined {
  const group = GROUP_OF.get(resource);
  const named = VERB_OF.get(verb);
  return group === undefined || named === undefined ? undefined : acl[group][named];
}

/** Where a role gives more than a token with this acl has. */
export function firstBeyond({ allow }: BoundRole, acl: Acl): string | undefined {
  const [labels] = allow.labels.values();
  if (labels) return labels.clause.path;
  if (allow.joins[0]) return allow.joins[0].clause.path;
  return allow.rules.find(
    ({ resources, verbs }) =>
      ![...resources].every((resource) => [...verbs].every((verb) => isWithinAcl(acl, resource, verb) === true)),
  )?.clause.path;
}
