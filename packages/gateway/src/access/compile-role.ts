/** A role document made ready to be bound to users: templates, patterns and conditions read once. */
import type {
  JoinPolicy,
  RequirePolicy,
  RoleConditions,
  RoleRule,
} from '@gatehouse/contract/access/roles/role-conditions';
import type { RoleDocument } from '@gatehouse/contract/access/roles/role-document';
import type { RoleOptions } from '@gatehouse/contract/access/roles/role-options';
import {
  LABEL_FIELDS,
  type LabelField,
  PRINCIPAL_FIELDS,
  type PrincipalField,
  type RoleVersion,
  type RuleVerb,
} from '@gatehouse/contract/access/roles/vocabulary';
import { rows } from '@gatehouse/contract/kinds/kinds';
import type { Clause } from './clause.ts';
import { compileObjects, type ObjectEntry } from './compile-objects.ts';
import { type Pattern, parsePattern } from './match/pattern.ts';
import { parseTemplate, type Template } from './match/template.ts';
import { parseWhere } from './where/parse-where.ts';
import { factsOf, type Where } from './where/where-expression.ts';

export type ValueSource = { template: Template } | { pattern: Pattern };

export interface LabelClause {
  clause: Clause;
  /** `'*': '*'` is written: everything matches, labels or not. */
  everything: boolean;
  keys: readonly { key: string; values: readonly ValueSource[] }[];
}

export interface PrincipalEntry {
  clause: Clause;
  source: ValueSource;
}

export interface Rule {
  clause: Clause;
  resources: ReadonlySet<string>;
  verbs: ReadonlySet<string>;
  where: Where | undefined;
}

export interface JoinClause {
  clause: Clause;
  policy: JoinPolicy;
  roles: readonly Pattern[];
}

export interface Side {
  labels: ReadonlyMap<LabelField, LabelClause>;
  principals: ReadonlyMap<PrincipalField, readonly PrincipalEntry[]>;
  rules: readonly Rule[];
  objects: readonly ObjectEntry[];
  joins: readonly JoinClause[];
}

export interface CompiledRole {
  name: string;
  version: RoleVersion;
  /** When it stops counting. */
  expires: number | undefined;
  allow: Side;
  deny: Side;
  options: RoleOptions;
  requiredJoins: readonly RequirePolicy[];
  /** Traits that templates or conditions read. */
  traits: ReadonlySet<string>;
  /** Traits where one more value does more than add a name: it may deny, or reach other resources. */
  farReachingTraits: ReadonlySet<string>;
  /** Whether a condition asks who the user is. */
  asksForUser: boolean;
  /** Label names of resources that can make a difference. */
  labelKeys: ReadonlySet<string>;
}

export function compileRole({ version, metadata, spec }: RoleDocument): CompiledRole {
  const allow = compileSide(metadata.name, version, 'allow', spec.allow ?? {});
  const deny = compileSide(metadata.name, version, 'deny', spec.deny ?? {});
  const facts = [...allow.rules, ...deny.rules].flatMap(({ where }) => (where ? factsOf(where) : []));
  const keyed = (name: string) => facts.filter((fact) => fact.name === name).map(({ key = '' }) => key);
  return {
    name: metadata.name,
    version,
    expires: metadata.expires === undefined ? undefined : Date.parse(metadata.expires),
    allow,
    deny,
    options: spec.options ?? {},
    requiredJoins: spec.allow?.require_session_join ?? [],
    traits: new Set([...traitsOf(allow), ...traitsOf(deny), ...keyed('user.spec.traits')]),
    farReachingTraits: new Set([
      ...traitsOf(deny),
      ...traitsOf({ ...allow, principals: new Map() }),
      ...keyed('user.spec.traits'),
    ]),
    asksForUser: facts.some(({ name }) => name === 'user.metadata.name'),
    labelKeys: new Set([...labelKeysOf(allow), ...labelKeysOf(deny), ...keyed('resource.metadata.labels')]),
  };
}

function compileSide(role: string, version: RoleVersion, side: 'allow' | 'deny', conditions: RoleConditions): Side {
  const at = (path: string): Clause => ({ role, side, path: `spec.${side}.${path}` });
  const labels = new Map<LabelField, LabelClause>();
  for (const field of LABEL_FIELDS) {
    const selector = conditions[field];
    if (!selector || Object.keys(selector).length === 0) continue;
    const { '*': every, ...named } = selector;
    labels.set(field, {
      clause: at(field),
      everything: every !== undefined && every.length > 0,
      keys: [
        ...(every?.length === 0 ? [{ key: '*', values: [] }] : []),
        ...Object.entries(named).map(([key, values]) => ({ key, values: values.map(readValue) })),
      ],
    });
  }
  const principals = new Map<PrincipalField, PrincipalEntry[]>();
  for (const field of PRINCIPAL_FIELDS) {
    const entries = (conditions[field] ?? []).map((value, index) => ({
      clause: at(`${field}[${index}]`),
      source: readValue(value),
    }));
    if (entries.length > 0) principals.set(field, entries);
  }
  const rules = (conditions.rules ?? []).map((rule, index) => compileRule(rule, at(`rules[${index}]`)));
  const mayJoin = (conditions.join_sessions?.length ?? 0) > 0;
  return {
    labels,
    principals,
    rules:
      side === 'allow'
        ? [...rules, ...impliedRules(labels), ...(mayJoin ? [ownSessions(at('join_sessions'))] : [])]
        : rules,
    objects: compileObjects(version, side, conditions.kubernetes_resources, at),
    joins: (conditions.join_sessions ?? []).map((policy, index) => ({
      clause: at(`join_sessions[${index}]`),
      policy,
      roles: policy.roles.map(parsePattern),
    })),
  };
}

function readValue(text: string): ValueSource {
  const template = parseTemplate(text);
  return template ? { template } : { pattern: parsePattern(text) };
}

function compileRule({ resources, verbs, where }: RoleRule, clause: Clause): Rule {
  return {
    clause,
    resources: new Set(resources),
    verbs: withImplied(clause.side, new Set(verbs)),
    where: where === undefined ? undefined : parseWhere(where),
  };
}

/** Who may read may read without secrets; who may not even read without secrets may not read. */
function withImplied(side: 'allow' | 'deny', verbs: Set<string>): Set<string> {
  const [given, implied]: [RuleVerb, RuleVerb] =
    side === 'allow' ? ['read', 'readnosecrets'] : ['readnosecrets', 'read'];
  return verbs.has(given) ? verbs.add(implied) : verbs;
}

const OWN_SESSIONS = parseWhere('contains(session.participants, user.metadata.name)');

/** Who may connect to something may see it, and the sessions they are in. */
function impliedRules(labels: ReadonlyMap<LabelField, LabelClause>): Rule[] {
  const verbs = new Set(['list', 'read', 'readnosecrets']);
  return rows.flatMap(({ labels: field, rules }) => {
    const clause = labels.get(field as LabelField)?.clause;
    if (!clause) return [];
    return [{ clause, resources: new Set<string>(rules), verbs, where: undefined }, ownSessions(clause)];
  });
}

/** Those one is or was in. Which others may be joined is decided for each by itself. */
function ownSessions(clause: Clause): Rule {
  const verbs = new Set(['list', 'read', 'readnosecrets']);
  return { clause, resources: new Set(['ssh_session']), verbs, where: OWN_SESSIONS };
}

function traitsOf({ labels, principals }: Pick<Side, 'labels' | 'principals'>): string[] {
  const sources = [
    ...[...labels.values()].flatMap(({ keys }) => keys.flatMap(({ values }) => values)),
    ...[...principals.values()].flatMap((entries) => entries.map(({ source }) => source)),
  ];
  return sources.flatMap((source) => ('template' in source ? [source.template.trait] : []));
}

function labelKeysOf({ labels }: Side): string[] {
  return [...labels.values()].flatMap(({ keys }) => keys.map(({ key }) => key)).filter((key) => key !== '*');
}
