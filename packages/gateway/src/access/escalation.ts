/** Nobody gives, through users, links or tokens, more than they hold. */
import { type Acl, aclGroups, VERBS } from '@gatehouse/contract/access';
import { AppError } from '../std/app-error.ts';
import type { Actor } from './actor.ts';
import { aclOfRoles, READY_MADE_ROLES } from './ready-made-roles.ts';

/** Throws when these roles allow something the actor may not do themselves. */
export function refuseEscalation(actor: Pick<Actor, 'acl'>, roles: readonly string[]): void {
  for (const role of roles) {
    const missing = firstMissing(actor.acl, aclOfRoles([role]));
    if (missing) {
      throw new AppError('denied', `you cannot act on role '${role}': it allows ${missing}, which you may not do`);
    }
  }
}

export function requireKnownRoles(roles: readonly string[]): void {
  const unknown = roles.find((role) => !Object.hasOwn(READY_MADE_ROLES, role));
  if (unknown === undefined) return;
  throw new AppError(
    'bad_request',
    `role '${unknown}' does not exist; there are: ${Object.keys(READY_MADE_ROLES).join(', ')}`,
  );
}

function firstMissing(held: Acl, given: Acl): string | undefined {
  for (const group of aclGroups) {
    const verb = VERBS.find((candidate) => given[group][candidate] && !held[group][candidate]);
    if (verb) return `'${verb}' on '${group}'`;
  }
  return undefined;
}
