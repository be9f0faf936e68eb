/** What a change would take away from somebody that holds them back, whether or not it has anything to hold back today. */
import type { CompiledRole } from './compile-role.ts';
import type { Excess, Person } from './containment.ts';
import { looserOption } from './strictness.ts';
import { factsOf } from './where/where-expression.ts';

/** A role that denies or asks for more people, an option, or a trait that a denial or a condition asks for. */
export function liftedDenial(before: Person, after: Person): (Excess & { value?: string }) | undefined {
  const kept = new Set(after.access.roles.map(({ name }) => name));
  const denying = before.access.roles.find(({ name, role }) => !kept.has(name) && denies(role));
  if (denying) return { role: denying.name, path: 'spec.deny', type: 'lifts' };
  for (const { name, role } of before.access.roles) {
    for (const trait of askedTraits(role)) {
      const value = before.traits[trait]?.find((each) => !after.traits[trait]?.includes(each));
      if (value !== undefined) return { role: name, path: trait, type: 'lifts', value };
    }
  }
  const path = looserOption(after.access, before.access, { opensSessions: true });
  const lost = path === undefined ? undefined : before.access.roles.find(({ name }) => !kept.has(name));
  return lost && path !== undefined ? { role: lost.name, path, type: 'lifts' } : undefined;
}

function denies({ deny, requiredJoins }: CompiledRole): boolean {
  const { labels, principals, rules, objects, joins } = deny;
  return labels.size + principals.size + rules.length + objects.length + joins.length + requiredJoins.length > 0;
}

function askedTraits(role: CompiledRole): string[] {
  const sources = [
    ...[...role.deny.labels.values()].flatMap(({ keys }) => keys.flatMap(({ values }) => values)),
    ...[...role.deny.principals.values()].flatMap((entries) => entries.map(({ source }) => source)),
  ];
  const conditions = [...role.allow.rules, ...role.deny.rules].flatMap(({ where }) => (where ? factsOf(where) : []));
  return [
    ...sources.flatMap((source) => ('template' in source ? [source.template.trait] : [])),
    ...conditions.filter(({ name }) => name === 'user.spec.traits').map(({ key = '' }) => key),
  ];
}
