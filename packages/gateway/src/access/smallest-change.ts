/** What would turn a decision round: clauses to take out, or the least to add to one role. */
import { isDeepStrictEqual } from 'node:util';
import type { KubeObjectRule } from '@gatehouse/contract/access/roles/kube-objects';
import type { LabelField, PrincipalField, RuleVerb } from '@gatehouse/contract/access/roles/vocabulary';
import { factsOf } from '@gatehouse/contract/kinds/kinds';
import { type Action, type Connect, objectIn, type ReachedResource, wantedPrincipals } from './action.ts';
import type { Access, BoundRole } from './bind-access.ts';
import { entryFor } from './compile-objects.ts';
import { allowsPrincipal, type Decision, decide, grants, matchingObjects } from './decide.ts';

export type Change =
  | { type: 'remove-clause'; role: string; path: string }
  | { type: 'add-principal'; role: string; field: PrincipalField; value: string }
  /** Under `allow`; `'*': '*'` reaches everything. */
  | { type: 'add-label'; role: string; field: LabelField; key: string; value: string }
  | { type: 'drop-label'; role: string; field: LabelField; key: string }
  | { type: 'add-object'; role: string; entry: KubeObjectRule }
  | { type: 'add-rule'; role: string; resource: string; verb: RuleVerb }
  | { type: 'add-join'; role: string; kind: string; mode: string; ownerRole: string }
  | { type: 'add-trait'; trait: string; value: string }
  /** The user has no role that could be changed. */
  | { type: 'give-role' };

/** All of it together turns the decision round, and no part of it can be left out. */
export function smallestChange(access: Access, action: Action, decision: Decision = decide(access, action)): Change[] {
  const removed = decision.cited.map(({ role, path }): Change => ({ type: 'remove-clause', role, path }));
  return decision.allowed ? removed : [...removed, ...leastGrant(access, action)];
}

/** Denials aside, what is missing for some role to allow it: nothing when one does. */
function leastGrant(access: Access, action: Action): Change[] {
  const offers = access.roles.map((role) => grantBy(access, role, action));
  if (offers.some((changes) => changes.length === 0)) return [];
  if (action.type === 'connect' && isGrantedTogether(access, action)) return [];
  return (
    offers.reduce<Change[] | undefined>(
      (best, offer) => (best && best.length <= offer.length ? best : offer),
      undefined,
    ) ?? [{ type: 'give-role' }]
  );
}

function isGrantedTogether(access: Access, action: Connect): boolean {
  return wantedPrincipals(action).together.every((group) => access.roles.some((role) => grants(role, action, group)));
}

function grantBy(access: Access, role: BoundRole, action: Action): Change[] {
  switch (action.type) {
    case 'verb': {
      const { resource, verb } = action;
      const held = decide({ ...access, roles: [withoutDeny(role)] }, action).allowed;
      return held ? [] : [{ type: 'add-rule', role: role.name, resource, verb }];
    }
    case 'join': {
      const held = decide({ ...access, roles: [withoutDeny(role)] }, action).allowed;
      const { session, mode } = action;
      if (held) return [];
      return [{ type: 'add-join', role: role.name, kind: session.kind, mode, ownerRole: session.ownerRoles[0] ?? '*' }];
    }
    case 'see':
      return labelChanges(role, factsOf(action.kind).labels, action.resource);
    case 'connect':
      return [
        ...labelChanges(role, factsOf(action.kind).labels, action.resource),
        ...principalChanges(access, role, action),
        ...objectChanges(role, action),
      ];
    default:
      return action satisfies never;
  }
}

function labelChanges(role: BoundRole, field: LabelField, { labels }: ReachedResource): Change[] {
  const bound = role.allow.labels.get(field);
  if (bound?.matches(labels)) return [];
  const add = (key: string, value: string): Change => ({ type: 'add-label', role: role.name, field, key, value });
  if (!bound) {
    const [first] = Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1));
    return [first ? add(...first) : add('*', '*')];
  }
  const wrong = bound.keys.filter(({ key, matches }) => !Object.hasOwn(labels, key) || !matches(labels[key]!));
  const absent = wrong.filter(({ key }) => !Object.hasOwn(labels, key));
  // A selector that loses all its labels reaches nothing any more.
  if (absent.length === bound.keys.length) return [add('*', '*')];
  return wrong.map(({ key }) =>
    absent.some((other) => other.key === key)
      ? { type: 'drop-label', role: role.name, field, key }
      : add(key, labels[key]!),
  );
}

function principalChanges(access: Access, role: BoundRole, action: Connect): Change[] {
  const { together } = wantedPrincipals(action);
  const open = together.filter((group) => !access.roles.some((other) => grants(other, action, group)));
  const missing = open.flat().filter((wanted) => !allowsPrincipal(role, wanted));
  const changes = missing.map(({ field, value }): Change => {
    const trait = traitBehind(access, role, field);
    return trait === undefined
      ? { type: 'add-principal', role: role.name, field, value }
      : { type: 'add-trait', trait, value };
  });
  // Two fields may take their names from the same trait.
  return changes.filter((change, index) => changes.findIndex((other) => isDeepStrictEqual(other, change)) === index);
}

/** A role that takes these names from the user is best left as it is, unless the trait does something else too. */
function traitBehind(access: Access, role: BoundRole, field: PrincipalField): string | undefined {
  const plain = (role.role.allow.principals.get(field) ?? [])
    .flatMap(({ source }) => ('template' in source && source.template.plain ? [source.template.trait] : []))
    .find((trait) => !access.roles.some((other) => other.role.farReachingTraits.has(trait)));
  return plain;
}

function objectChanges(role: BoundRole, action: Connect): Change[] {
  const object = objectIn(action);
  if (!object || matchingObjects(role.allow, action).length > 0) return [];
  return [{ type: 'add-object', role: role.name, entry: entryFor(role.role.version, object) }];
}

function withoutDeny(role: BoundRole): BoundRole {
  return { ...role, deny: { labels: new Map(), principals: new Map(), objects: [], rules: [], joins: [] } };
}
