/** The roles of one user with their traits put in: what decisions are made from. Pure, and the same for any order of roles. */
import type { LabelField, PrincipalField } from '@gatehouse/contract/access/roles/vocabulary';
import type { Clause } from './clause.ts';
import type { ObjectEntry } from './compile-objects.ts';
import type { CompiledRole, JoinClause, LabelClause, Rule, Side, ValueSource } from './compile-role.ts';
import { foldPattern, foldText, literalPattern, type Pattern } from './match/pattern.ts';
import type { Traits } from './match/template.ts';
import { isMeantByStar, STAR_FIELDS } from './star-fields.ts';
import { type FactReader, simplifyWhere } from './where/simplify-where.ts';
import type { Where } from './where/where-expression.ts';

export type Labels = Readonly<Record<string, string>>;

export interface BoundLabels {
  clause: Clause;
  matches(labels: Labels): boolean;
  everything: boolean;
  keys: readonly { key: string; matches(value: string): boolean }[];
}

export interface BoundEntry {
  clause: Clause;
  matches(value: string): boolean;
  /** For targets that do not tell upper from lower case. */
  matchesFolded(value: string): boolean;
}

export interface AllowedPrincipals {
  any: boolean;
  values: ReadonlySet<string>;
  allows(value: string): boolean;
}

export interface BoundRule {
  clause: Clause;
  resources: ReadonlySet<string>;
  verbs: ReadonlySet<string>;
  /** What is left to ask about the object; nothing when the rule holds in any case. */
  where: Where | undefined;
}

export interface BoundRole {
  name: string;
  role: CompiledRole;
  allow: {
    labels: ReadonlyMap<LabelField, BoundLabels>;
    principals: ReadonlyMap<PrincipalField, AllowedPrincipals>;
    objects: readonly ObjectEntry[];
    rules: readonly BoundRule[];
    joins: readonly JoinClause[];
  };
  deny: {
    labels: ReadonlyMap<LabelField, BoundLabels>;
    principals: ReadonlyMap<PrincipalField, readonly BoundEntry[]>;
    objects: readonly ObjectEntry[];
    rules: readonly BoundRule[];
    joins: readonly JoinClause[];
  };
}

export interface Access {
  username: string;
  traits: Traits;
  /** Sorted by name. */
  roles: readonly BoundRole[];
}

export function bindAccess(roles: readonly CompiledRole[], user: { username: string; traits: Traits }): Access {
  const sorted = [...new Map(roles.map((role) => [role.name, role])).values()].sort((a, b) =>
    a.name < b.name ? -1 : 1,
  );
  const read = aboutUser(
    user,
    sorted.map(({ name }) => name),
  );
  return { ...user, roles: sorted.map((role) => bindRole(role, user.traits, read)) };
}

/** What conditions can know of a user; the rest is about the object. */
export function aboutUser(user: { username: string; traits: Traits }, roles: readonly string[]): FactReader {
  return (name, key = '') => {
    if (name === 'user.metadata.name') return [user.username];
    if (name === 'user.spec.roles') return roles;
    if (name === 'user.spec.traits') return Object.hasOwn(user.traits, key) ? user.traits[key] : [];
    return undefined;
  };
}

function bindRole(role: CompiledRole, traits: Traits, read: FactReader): BoundRole {
  return {
    name: role.name,
    role,
    allow: {
      ...bindShared(role.allow, traits, read),
      principals: new Map(
        [...role.allow.principals].map(([field, entries]) => [field, allowed(field, entries, traits)]),
      ),
    },
    deny: {
      ...bindShared(role.deny, traits, read),
      principals: new Map(
        [...role.deny.principals].map(([field, entries]) => [
          field,
          entries.map(({ clause, source }) => denied(clause, bindValue(source, traits))),
        ]),
      ),
    },
  };
}

function bindShared(side: Side, traits: Traits, read: FactReader) {
  return {
    labels: new Map([...side.labels].map(([field, clause]) => [field, bindLabels(clause, traits)])),
    rules: side.rules.flatMap((rule) => bindRule(rule, read)),
    objects: side.objects,
    joins: side.joins,
  };
}

function bindRule({ where, ...rule }: Rule, read: FactReader): BoundRule[] {
  if (!where) return [{ ...rule, where }];
  const left = simplifyWhere(where, read);
  if (left.type !== 'constant') return [{ ...rule, where: left }];
  return left.value ? [{ ...rule, where: undefined }] : [];
}

/** All labels that are named must be there, each with one of its values. */
function bindLabels({ clause, everything, keys }: LabelClause, traits: Traits): BoundLabels {
  const bound = keys.map(({ key, values }) => ({
    key,
    matches: anyOf(values.flatMap((value) => bindValue(value, traits))),
  }));
  return {
    clause,
    everything,
    keys: bound,
    matches(labels) {
      if (everything) return true;
      for (const { key, matches } of bound) {
        if (!Object.hasOwn(labels, key) || !matches(labels[key]!)) return false;
      }
      return bound.length > 0;
    },
  };
}

export function bindValue(source: ValueSource, traits: Traits): Pattern[] {
  return 'pattern' in source ? [source.pattern] : source.template.expand(traits).map(literalPattern);
}

function anyOf(patterns: readonly Pattern[]): (value: string) => boolean {
  if (patterns.some(({ matchesAll }) => matchesAll)) return () => true;
  if (patterns.length === 1) return patterns[0]!.matches;
  return (value) => patterns.some((pattern) => pattern.matches(value));
}

function allowed(
  field: PrincipalField,
  entries: readonly { source: ValueSource }[],
  traits: Traits,
): AllowedPrincipals {
  const any =
    STAR_FIELDS.has(field) && entries.some(({ source }) => 'pattern' in source && source.pattern.text === '*');
  const names = entries.flatMap(({ source }) => bindValue(source, traits)).filter(({ type }) => type === 'literal');
  const values = new Set(names.map(({ text }) => text));
  return { any, values, allows: (value) => values.has(value) || (any && isMeantByStar(field, value)) };
}

function denied(clause: Clause, patterns: readonly Pattern[]): BoundEntry {
  const folded = patterns.map(foldPattern);
  return {
    clause,
    matches: anyOf(patterns),
    matchesFolded: (value) => folded.some((pattern) => pattern.matches(foldText(value))),
  };
}
