/** Nobody gives, through users, links, locks or tokens, more than they hold. */
import { AppError } from '../std/app-error.ts';
import type { Actor } from './actor.ts';
import type { AccessControl } from './create-access.ts';
import type { Traits } from './match/template.ts';

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

export function requireKnownRoles(access: Pick<AccessControl, 'role' | 'roleNames'>, roles: readonly string[]): void {
  const unknown = roles.find((role) => access.role(role) === undefined);
  if (unknown === undefined) return;
  throw new AppError(
    'bad_request',
    `role '${unknown}' does not exist; there are: ${access.roleNames().slice(0, 50).join(', ')}`,
  );
}
