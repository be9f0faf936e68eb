/** Nobody gives, through users, links, locks or tokens, more than they hold. */
import { AppError } from '../std/app-error.ts';
import type { Actor } from './actor.ts';
import type { CompiledRole } from './compile-role.ts';
import type { AccessControl } from './create-access.ts';
import type { Traits } from './match/template.ts';
import { templateTraits } from './user-traits.ts';
import { factsOf } from './where/where-expression.ts';

type Rights = Pick<AccessControl, 'mayEditRoles'>;

/** Throws unless the actor holds all these roles, or may edit roles and so could hold them. */
export function refuseEscalation(rights: Rights, actor: Actor, roles: readonly string[]): void {
  if (rights.mayEditRoles(actor)) return;
  const missing = roles.find((role) => !actor.roles.includes(role));
  if (missing === undefined) return;
  throw new AppError('denied', `you cannot act on role '${missing}': only those who hold it, or may edit roles, can`);
}

/** Traits decide what a role reaches: giving one is giving that. */
export function refuseTraitEscalation(rights: Rights, actor: Actor, added: Traits): void {
  if (rights.mayEditRoles(actor)) return;
  for (const [trait, values] of Object.entries(added)) {
    const missing = values.find((value) => !actor.traits[trait]?.includes(value));
    if (missing === undefined) continue;
    throw new AppError('denied', `you cannot give '${missing}' as ${trait}: you do not have it yourself`);
  }
}

/** Taking away what denies gives as well: a role with denials, or a trait that a denial or a condition asks for. */
export function refuseLiftedDenials(
  rights: Rights & Pick<AccessControl, 'role'>,
  actor: Actor,
  before: Holding,
  after: Holding,
): void {
  if (rights.mayEditRoles(actor)) return;
  const denying = before.roles.find((name) => !after.roles.includes(name) && denies(rights.role(name)));
  if (denying !== undefined)
    throw new AppError(
      'denied',
      `you cannot take away role '${denying}': it denies, and only those who may edit roles lift that`,
    );
  const asked = new Set(before.roles.flatMap((name) => askedTraits(rights.role(name))));
  const [was, becomes] = [templateTraits(before.traits), templateTraits(after.traits)];
  for (const trait of asked) {
    const missing = was[trait]?.find((value) => !becomes[trait]?.includes(value));
    if (missing === undefined) continue;
    throw new AppError(
      'denied',
      `you cannot take '${missing}' away from ${trait}: a role denies by it, and only those who may edit roles lift that`,
    );
  }
}

interface Holding {
  roles: readonly string[];
  traits: Traits;
}

function denies(role: CompiledRole | undefined): boolean {
  if (!role) return false;
  const { labels, principals, rules, pods, joins } = role.deny;
  return labels.size + principals.size + rules.length + (pods?.length ?? 0) + joins.length > 0;
}

function askedTraits(role: CompiledRole | undefined): string[] {
  if (!role) return [];
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

export function requireKnownRoles(access: Pick<AccessControl, 'role' | 'roleNames'>, roles: readonly string[]): void {
  const unknown = roles.find((role) => access.role(role) === undefined);
  if (unknown === undefined) return;
  throw new AppError(
    'bad_request',
    `role '${unknown}' does not exist; there are: ${access.roleNames().slice(0, 50).join(', ')}`,
  );
}
