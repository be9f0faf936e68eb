/** A decision in words: for the person who was refused, and for the administrator who asks why. */

import { factsOf } from '@gatehouse/contract/kinds/kinds';
import { type Action, wantedPrincipals } from './action.ts';
import type { Access, BoundRole, Labels } from './bind-access.ts';
import type { Clause } from './clause.ts';
import { tellEntry } from './compile-objects.ts';

import { decide } from './decide.ts';
import { type Change, smallestChange } from './smallest-change.ts';

export interface Reason extends Clause {
  /** The labels of the resource that the clause matched. */
  labels?: Labels;
  /** Names that came from the user, with the trait they came from. */
  traits?: readonly { trait: string; value: string }[];
  sentence: string;
}

export interface Explanation {
  allowed: boolean;
  reasons: readonly Reason[];
  change: readonly Change[];
  sentence: string;
}

export function explain(access: Access, action: Action): Explanation {
  const decision = decide(access, action);
  const reasons = decision.cited.map((clause) => reasonFor(access, action, clause));
  const change = smallestChange(access, action, decision);
  return { allowed: decision.allowed, reasons, change, sentence: tell(decision.allowed, reasons, change) };
}

function reasonFor(access: Access, action: Action, clause: Clause): Reason {
  const role = access.roles.find(({ name }) => name === clause.role);
  const labels = role && matchedLabels(role, action, clause);
  const traits = role && action.type === 'connect' ? usedTraits(access, role, action) : [];
  const by = labels && Object.keys(labels).length > 0 ? ` (${pairs(labels)})` : '';
  const verb = clause.side === 'allow' ? 'allows' : 'denies';
  return {
    ...clause,
    ...(labels ? { labels } : {}),
    ...(traits.length > 0 ? { traits } : {}),
    sentence: `role '${clause.role}' ${verb} it by ${clause.path}${by}`,
  };
}

function matchedLabels(role: BoundRole, action: Action, clause: Clause): Labels | undefined {
  if (action.type !== 'see' && action.type !== 'connect') return undefined;
  const bound = role[clause.side].labels.get(factsOf(action.kind).labels);
  if (bound?.clause !== clause) return undefined;
  if (bound.everything) return {};
  const { labels } = action.resource;
  return Object.fromEntries(bound.keys.map(({ key }) => [key, labels[key] ?? '']));
}

function usedTraits(access: Access, role: BoundRole, action: Extract<Action, { type: 'connect' }>) {
  return wantedPrincipals(action)
    .together.flat()
    .flatMap(({ field, value }) => {
      const entries = role.role.allow.principals.get(field) ?? [];
      const templates = entries.flatMap(({ source }) => ('template' in source ? [source.template] : []));
      const named = entries.some(({ source }) => 'pattern' in source && source.pattern.matches(value));
      if (named) return [];
      return templates
        .filter((template) => template.expand(access.traits).includes(value))
        .map(({ trait }) => ({ trait, value }));
    });
}

function tell(allowed: boolean, reasons: readonly Reason[], change: readonly Change[]): string {
  if (reasons.length > 0)
    return `${allowed ? 'allowed' : 'denied'}: ${reasons.map(({ sentence }) => sentence).join('; ')}`;
  return `denied: no role allows it; ${change.map(tellChange).join(' and ')} would`;
}

export function tellChange(change: Change): string {
  switch (change.type) {
    case 'remove-clause':
      return `taking ${change.path} out of role '${change.role}'`;
    case 'add-principal':
      return `adding '${change.value}' to spec.allow.${change.field} of role '${change.role}'`;
    case 'add-label':
      return `adding '${change.key}: ${change.value}' to spec.allow.${change.field} of role '${change.role}'`;
    case 'drop-label':
      return `taking '${change.key}' out of spec.allow.${change.field} of role '${change.role}'`;
    case 'add-object':
      return `adding ${tellEntry(change.entry)} to spec.allow.kubernetes_resources of role '${change.role}'`;
    case 'add-rule':
      return `adding a rule for '${change.verb}' on '${change.resource}' to role '${change.role}'`;
    case 'add-join':
      return `adding a join_sessions policy for '${change.kind}' as ${change.mode} to role '${change.role}'`;
    case 'add-trait':
      return `adding '${change.value}' to the user's trait '${change.trait}'`;
    case 'give-role':
      return 'giving the user a role';
    default:
      return change satisfies never;
  }
}

function pairs(labels: Labels): string {
  return Object.entries(labels)
    .map(([key, value]) => `${key}: ${value}`)
    .join(', ');
}
