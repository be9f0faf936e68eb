/** Whether somebody could do more than others: what their roles give, with their traits put in, and what holds them back. Not proven to be contained is more. */

import type { LabelField, PrincipalField } from '@gatehouse/contract/access/roles/vocabulary';
import { factsOf, kinds, rows } from '@gatehouse/contract/kinds/kinds';
import { type Access, aboutUser, type BoundRole, type BoundRule, bindValue } from './bind-access.ts';
import type { LabelClause, Rule, ValueSource } from './compile-role.ts';
import type { Pattern } from './match/pattern.ts';
import type { Traits } from './match/template.ts';
import { requiredJoins } from './session-options.ts';
import { looserOption } from './strictness.ts';
import { impliesForOthers } from './where/implies-where.ts';
import { type FactReader, simplifyWhere } from './where/simplify-where.ts';
import type { Where } from './where/where-expression.ts';

const ADDED_UP = rows.filter(({ namesAddUp }) => namesAddUp).map(({ labels }) => labels);
const WITH_OBJECTS = rows.filter(({ hasObjects }) => hasObjects).map(({ labels }) => labels);

export interface Person {
  username: string;
  /** As templates call them. */
  traits: Traits;
  access: Access;
}

/** The place in a role by which somebody could do more: it gives, or it holds back the others only. */
export interface Excess {
  role: string;
  path: string;
  type: 'gives' | 'lifts';
}

/** Every role must be covered by one of the others, and whatever holds that other back must hold here as well. */
export function excessOver(given: Person, others: readonly Person[]): Excess | undefined {
  const used = new Set<Person>();
  const lenders = new Map(ADDED_UP.map((field) => [field, new Set<Person>()]));
  for (const role of given.access.roles) {
    const excesses = others.map((other) => ({ other, path: roleExcess(given, role, other) }));
    const covering = excesses.find(({ path }) => path === undefined)?.other;
    if (!covering) return { role: role.name, path: excesses[0]?.path ?? 'spec.allow', type: 'gives' };
    used.add(covering);
    for (const [field, people] of lenders) {
      if (role.allow.labels.has(field)) people.add(covering);
      // The target adds up what several roles give: two people's halves could make more than either has.
      if (people.size > 1) return { role: role.name, path: `spec.allow.${field}`, type: 'gives' };
    }
  }
  for (const other of used) {
    const lifted = liftedFrom(given, other);
    if (lifted) return lifted;
  }
  return undefined;
}

/** Where a role gives more to one person than the same role gives to another. */
function roleExcess(given: Person, { name, role, allow }: BoundRole, other: Person): string | undefined {
  const held = other.access.roles.find((each) => each.name === name);
  if (!held) return 'spec.allow';
  for (const clause of role.allow.labels.values()) {
    if (!isLabelsWithin(clause, given.traits, other.traits)) return clause.clause.path;
  }
  for (const [field, { values }] of allow.principals) {
    const wide = held.allow.principals.get(field);
    if ([...values].some((value) => !wide?.allows(value))) return `spec.allow.${field}`;
  }
  const [narrow, wide] = [readerOf(given), readerOf(other)];
  return role.allow.rules.find((rule) => !isRuleWithin(rule, narrow, wide, 'allow'))?.clause.path;
}

function isRuleWithin({ where }: Rule, narrow: FactReader, wide: FactReader, side: 'allow' | 'deny'): boolean {
  return where === undefined || impliesForOthers(where, narrow, wide, side);
}

function readerOf({ username, traits, access }: Person): FactReader {
  return aboutUser({ username, traits }, namesOf(access));
}

function namesOf({ roles }: Access): string[] {
  return roles.map(({ name }) => name);
}

/** Both are of one clause, so only what templates put in can differ. */
function isLabelsWithin({ everything, keys }: LabelClause, narrow: Traits, wide: Traits): boolean {
  if (everything) return true;
  const bound = keys.map(({ values }) => ({ narrow: bindAll(values, narrow), wide: bindAll(values, wide) }));
  return bound.some((each) => each.narrow.length === 0) || bound.every((each) => isWithin(each.narrow, each.wide));
}

function bindAll(values: readonly ValueSource[], traits: Traits): Pattern[] {
  return values.flatMap((value) => bindValue(value, traits));
}

function isWithin(narrow: readonly Pattern[], wide: readonly Pattern[]): boolean {
  return narrow.every((one) =>
    wide.some((other) =>
      one.type === 'literal'
        ? other.matches(one.text)
        : other.matchesAll || (other.type === one.type && other.text === one.text),
    ),
  );
}

/** What holds the other back, about something that is given here, and does not hold here. */
function liftedFrom(given: Person, other: Person): Excess | undefined {
  for (const role of other.access.roles) {
    const same = given.access.roles.find(({ name }) => name === role.name);
    const path = liftedDenial(given, role, other, same);
    if (path !== undefined) return { role: role.name, path, type: 'lifts' };
  }
  const opened = kinds.filter((kind) => givesLabels(given.access, factsOf(kind).labels));
  for (const kind of opened) {
    const missing = requiredJoins(other.access, factsOf(kind).sessionKind).find(
      ({ role }) => !given.access.roles.some(({ name }) => name === role),
    );
    if (missing) return { role: missing.role, path: 'spec.allow.require_session_join', type: 'lifts' };
  }
  const path = looserOption(given.access, other.access, { opensSessions: opened.length > 0 });
  return path === undefined ? undefined : { role: optionRole(given, other, path), path, type: 'lifts' };
}

function optionRole(given: Person, other: Person, path: string): string {
  const names = namesOf(given.access);
  const option = path.split('.')[2] ?? '';
  const missing = other.access.roles.filter(({ name }) => !names.includes(name));
  return (missing.find(({ role }) => Object.hasOwn(role.options, option)) ?? missing[0])?.name ?? '';
}

function liftedDenial(given: Person, { role }: BoundRole, other: Person, same: BoundRole | undefined) {
  const { deny } = role;
  for (const [field, clause] of deny.labels) {
    if (!givesLabels(given.access, field) || isNothing(clause, other.traits)) continue;
    if (!same || !isLabelsWithin(clause, other.traits, given.traits)) return clause.clause.path;
  }
  for (const [field, entries] of deny.principals) {
    if (!givesPrincipals(given.access, field)) continue;
    const theirs = entries.flatMap(({ source }) => (same ? bindValue(source, given.traits) : []));
    const lifted = entries.find(({ source }) => !isWithin(bindValue(source, other.traits), theirs));
    if (lifted) return lifted.clause.path;
  }
  const [theirs, own] = [readerOf(given), readerOf(other)];
  for (const rule of deny.rules) {
    if (!givesRule(given.access, rule) || neverHolds(rule.where, own)) continue;
    if (!same || !isRuleWithin(rule, own, theirs, 'deny')) return rule.clause.path;
  }
  if (same) return undefined;
  if (deny.objects.length > 0 && WITH_OBJECTS.some((field) => givesLabels(given.access, field)))
    return deny.objects[0]!.clause.path;
  const joins = given.access.roles.some(({ allow }) => allow.joins.length > 0);
  return joins ? deny.joins[0]?.clause.path : undefined;
}

/** A template that nothing is put in makes a clause that matches nothing. */
function isNothing({ everything, keys }: LabelClause, traits: Traits): boolean {
  return !everything && keys.some(({ values }) => bindAll(values, traits).length === 0);
}

function neverHolds(where: Where | undefined, read: FactReader): boolean {
  if (where === undefined) return false;
  const left = simplifyWhere(where, read);
  return left.type === 'constant' && !left.value;
}

function givesLabels({ roles }: Access, field: LabelField): boolean {
  return roles.some(({ allow }) => allow.labels.has(field));
}

function givesPrincipals({ roles }: Access, field: PrincipalField): boolean {
  return roles.some(({ allow }) => {
    const given = allow.principals.get(field);
    return given !== undefined && (given.any || given.values.size > 0);
  });
}

function givesRule({ roles }: Access, denied: Pick<BoundRule, 'resources' | 'verbs'>): boolean {
  return roles.some(({ allow }) =>
    allow.rules.some(({ resources, verbs }) => meet(resources, denied.resources) && meet(verbs, denied.verbs)),
  );
}

function meet(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  return one.has('*') || other.has('*') || [...one].some((name) => other.has(name));
}
