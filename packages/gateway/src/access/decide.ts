/** The one decision: may this be done, and which clauses of which roles say so. Deny wins, the order of roles does not matter, and nothing is asked of the outside. */
import type { LabelField, RuleVerb } from '@gatehouse/contract/access/roles/vocabulary';
import { factsOf } from '@gatehouse/contract/kinds/kinds';
import {
  type Action,
  type Connect,
  namesToDeny,
  objectIn,
  type RuledObject,
  type WantedPrincipal,
  wantedPrincipals,
} from './action.ts';
import type { Access, BoundRole, BoundRule, Labels } from './bind-access.ts';
import type { Clause } from './clause.ts';
import type { ObjectEntry } from './compile-objects.ts';
import { type FactReader, holds } from './where/simplify-where.ts';

export interface Decision {
  allowed: boolean;
  /**
   * The clauses it rests on: taken away together they turn the decision round, and none of them is superfluous.
   * Denied without any: no role allows it.
   */
  cited: readonly Clause[];
}

const NOTHING: Decision = { allowed: false, cited: [] };

export function decide(access: Access, action: Action): Decision {
  switch (action.type) {
    case 'verb':
      return decideVerb(access, action.resource, action.verb, action.object);
    case 'see':
      return decideSee(access, action);
    case 'connect':
      return decideConnect(access, action);
    case 'join':
      return decideJoin(access, action);
    default:
      return action satisfies never;
  }
}

/** Without an object it is about all there are: no condition can be asked, so one that gives does not count, and one that denies does. */
function decideVerb(access: Access, resource: string, verb: RuleVerb, object: RuledObject | undefined): Decision {
  const denied = matchingRules(access, 'deny', resource, verb, object);
  if (denied.length > 0) return { allowed: false, cited: denied };
  const allowed = matchingRules(access, 'allow', resource, verb, object);
  return allowed.length > 0 ? { allowed: true, cited: allowed } : NOTHING;
}

/** Seen is what a rule lets be listed and labels let be reached. */
function decideSee(access: Access, { kind, resource }: Extract<Action, { type: 'see' }>): Decision {
  const { labels: field, rules } = factsOf(kind);
  const object: RuledObject = { kind: rules[0], name: resource.name, labels: resource.labels };
  const denied = [
    ...matchingRules(access, 'deny', rules[0], 'list', object),
    ...matchingLabels(access, 'deny', field, resource.labels),
  ];
  if (denied.length > 0) return { allowed: false, cited: denied };
  const reached = matchingLabels(access, 'allow', field, resource.labels);
  // A role that reaches it lets it be listed too, so the rules need no second look.
  return reached.length > 0 ? { allowed: true, cited: reached } : NOTHING;
}

function decideConnect(access: Access, action: Connect): Decision {
  const field = factsOf(action.kind).labels;
  const { together, folds } = wantedPrincipals(action);
  const denied = matchingLabels(access, 'deny', field, action.resource.labels);
  for (const role of access.roles) {
    for (const { field, value } of together.flat())
      for (const name of namesToDeny(action.kind, value))
        denied.push(...deniedPrincipals(role, { field, value: name }, folds));
    denied.push(...matchingObjects(role.deny, action).map(({ clause }) => clause));
  }
  // One entry may deny several of the names.
  if (denied.length > 0) return { allowed: false, cited: [...new Set(denied)] };

  // Each group of names needs a role; the group with fewest is the one whose loss would be felt first.
  let weakest: Clause[] | undefined;
  for (const group of together) {
    const granting = access.roles
      .filter((role) => grants(role, action, group))
      .map((role) => role.allow.labels.get(field)!);
    if (granting.length === 0) return NOTHING;
    if (!weakest || granting.length < weakest.length) weakest = granting.map(({ clause }) => clause);
  }
  return { allowed: true, cited: weakest ?? [] };
}

/** Whether one role alone gives these names on this resource. */
export function grants(role: BoundRole, action: Connect, group: readonly WantedPrincipal[]): boolean {
  const labels = role.allow.labels.get(factsOf(action.kind).labels);
  if (!labels?.matches(action.resource.labels)) return false;
  if (!group.every((wanted) => allowsPrincipal(role, wanted))) return false;
  return objectIn(action) === undefined || matchingObjects(role.allow, action).length > 0;
}

export function allowsPrincipal(role: BoundRole, { field, value }: WantedPrincipal): boolean {
  return role.allow.principals.get(field)?.allows(value) ?? false;
}

function deniedPrincipals(role: BoundRole, { field, value }: WantedPrincipal, folds: boolean): Clause[] {
  const entries = role.deny.principals.get(field);
  if (!entries) return [];
  return entries
    .filter((entry) => (folds ? entry.matchesFolded(value) : entry.matches(value)))
    .map(({ clause }) => clause);
}

export function matchingObjects({ objects }: Pick<BoundRole['allow'], 'objects'>, action: Connect): ObjectEntry[] {
  const object = objectIn(action);
  return object ? objects.filter((entry) => entry.matches(object)) : [];
}

function decideJoin(access: Access, { session, mode }: Extract<Action, { type: 'join' }>): Decision {
  const matching = (side: 'allow' | 'deny') =>
    access.roles.flatMap((role) =>
      role[side].joins
        .filter(
          ({ policy, roles }) =>
            names(policy.kinds, session.kind) &&
            names(policy.modes, mode) &&
            session.ownerRoles.some((owner) => roles.some((pattern) => pattern.matches(owner))),
        )
        .map(({ clause }) => clause),
    );
  const denied = matching('deny');
  if (denied.length > 0) return { allowed: false, cited: denied };
  const allowed = matching('allow');
  return allowed.length > 0 ? { allowed: true, cited: allowed } : NOTHING;
}

function names(list: readonly string[], name: string): boolean {
  return list.includes(name) || list.includes('*');
}

function matchingLabels(access: Access, side: 'allow' | 'deny', field: LabelField, labels: Labels) {
  const found: Clause[] = [];
  for (const role of access.roles) {
    const bound = role[side].labels.get(field);
    if (bound?.matches(labels)) found.push(bound.clause);
  }
  return found;
}

function matchingRules(
  access: Access,
  side: 'allow' | 'deny',
  resource: string,
  verb: RuleVerb,
  object: RuledObject | undefined,
): Clause[] {
  const found: Clause[] = [];
  for (const role of access.roles) {
    for (const rule of role[side].rules) {
      if (!covers(rule, resource, verb) || found.includes(rule.clause)) continue;
      if (!rule.where || (object ? holds(rule.where, factsOfObject(object)) : side === 'deny')) found.push(rule.clause);
    }
  }
  return found;
}

export function covers(
  { resources, verbs }: Pick<BoundRule, 'resources' | 'verbs'>,
  resource: string,
  verb: RuleVerb,
): boolean {
  return (resources.has(resource) || resources.has('*')) && (verbs.has(verb) || verbs.has('*'));
}

export function factsOfObject({ kind, name, labels, session }: RuledObject): FactReader {
  return (fact, key = '') => {
    switch (fact) {
      case 'resource.kind':
        return one(kind);
      case 'resource.metadata.name':
        return one(name);
      case 'resource.metadata.labels':
        return labelValue(labels, key);
      case 'session.participants':
        return session?.participants ?? [];
      case 'session.kind':
        return one(session?.kind);
      case 'session.user':
        return one(session?.user);
      case 'session.login':
        return one(session?.login);
      case 'session.server_labels':
        return labelValue(session?.serverLabels, key);
      default:
        return undefined;
    }
  };
}

function one(value: string | undefined): readonly string[] {
  return value === undefined ? [] : [value];
}

export function labelValue(labels: Labels | undefined, key: string): readonly string[] {
  return labels && Object.hasOwn(labels, key) ? [labels[key]!] : [];
}
