/** Nobody gives, through users, links, locks or tokens, more than they hold. */

import type { Actor } from '../platform/http/actor.ts';
import { AppError } from '../platform/std/app-error.ts';
import { type Excess, excessOver, type Person } from './containment.ts';
import type { AccessControl } from './create-access.ts';
import { liftedDenial } from './lifted-denials.ts';
import type { Traits } from './match/template.ts';
import { type SecondPerson, secondPersons } from './second-person.ts';
import { firstBeyond } from './token-limits.ts';
import { templateTraits } from './user-traits.ts';

type Rights = Pick<AccessControl, 'mayEditRoles'>;

/** Throws unless the actor holds all these roles, or may edit roles and so could hold them. */
export function refuseEscalation(rights: Rights, actor: Actor, roles: readonly string[]): void {
  if (rights.mayEditRoles(actor)) return;
  const missing = roles.find((role) => !actor.roles.includes(role));
  if (missing === undefined) return;
  throw new AppError('denied', `you cannot act on role '${missing}': only those who hold it, or may edit roles, can`);
}

/** Traits decide what a role reaches: giving one is giving that. */
function refuseTraitEscalation(rights: Rights, actor: Actor, added: Traits): void {
  if (rights.mayEditRoles(actor)) return;
  for (const [trait, values] of Object.entries(added)) {
    const missing = values.find((value) => !actor.traits[trait]?.includes(value));
    if (missing === undefined) continue;
    throw new AppError('denied', `you cannot give '${missing}' as ${trait}: you do not have it yourself`);
  }
}

type EscalationAccess = Rights & Pick<AccessControl, 'of' | 'role' | 'roleNames'>;

/** Somebody as they would be, or as they are. */
export interface Holding {
  name: string;
  roles: readonly string[];
  traits: Traits;
}

/**
 * Throws unless what the person could do, the actor could do as well: with their own denials, options and traits, and
 * within what their token may. `before` is the person as they are: what they had may stay.
 */
export function refuseExcess(access: EscalationAccess, actor: Actor, after: Holding, before?: Holding): void {
  if (access.mayEditRoles(actor)) return;
  refuseEscalation(access, actor, [...(before?.roles ?? []), ...after.roles]);
  refuseTraitEscalation(access, actor, addedTraits(before?.traits ?? {}, after.traits));
  if (before) refuseLifted(access, before, after);
  refuseTakeover(access, actor, after, before);
}

function refuseLifted(access: EscalationAccess, before: Holding, after: Holding): void {
  const lifted = liftedDenial(personOf(access, before), personOf(access, after));
  if (!lifted) return;
  const { role, path, value } = lifted;
  throw new AppError(
    'denied',
    value === undefined
      ? `you cannot take away role '${role}': it holds '${after.name}' back (${path}), and only those who may edit roles lift that`
      : `you cannot take '${value}' away from ${path}: role '${role}' asks for it, and only those who may edit roles lift that`,
    { fields: { role, clause: path } },
  );
}

/** The same for somebody who is there already, and whose account the actor could have as their own. */
export function refuseTakeover(access: EscalationAccess, actor: Actor, person: Holding, before?: Holding): void {
  if (access.mayEditRoles(actor)) return;
  refuseEscalation(access, actor, person.roles);
  const own = personOf(access, { name: actor.username, roles: actor.roles, traits: actor.traits });
  const given = personOf(access, person);
  const was = before && personOf(access, before);
  const excess = excessOver(given, [own]);
  if (excess && (!was || excessOver(given, [was, own]))) throw tooMuch(excess, person);
  const beyond = beyondScope(actor, given, was);
  if (beyond) throw tooMuch(beyond, person);
  const roles = access.roleNames().flatMap((name) => access.role(name) ?? []);
  const already = new Set(was && secondPersons(own, was, roles).map(({ key }) => key));
  const puppet = secondPersons(own, given, roles).find(({ key }) => !already.has(key));
  if (puppet) throw tooMany(puppet, person, actor);
}

function tooMany({ role, path }: SecondPerson, { name }: Holding, actor: Actor): AppError {
  const why =
    name === actor.username
      ? `you would become the second person that role '${role}' asks for`
      : `with you they would be the two people that role '${role}' asks for`;
  const message = `you cannot act on '${name}' in this way: ${why}; ask somebody who may edit roles`;
  return new AppError('denied', message, { fields: { role, clause: path } });
}

/** A narrowed token gives what it may do itself, and it connects nowhere. */
function beyondScope(actor: Actor, given: Person, was: Person | undefined): Excess | undefined {
  if (!actor.isNarrowed) return undefined;
  for (const role of given.access.roles) {
    if (was && excessOver({ ...given, access: { ...given.access, roles: [role] } }, [was]) === undefined) continue;
    const path = firstBeyond(role, actor.acl);
    if (path !== undefined) return { role: role.name, path, type: 'gives' };
  }
  return undefined;
}

function personOf(access: Pick<AccessControl, 'of'>, { name, roles, traits }: Holding): Person {
  return { username: name, traits: templateTraits(traits), access: access.of({ username: name, roles, traits }) };
}

function tooMuch({ role, path, type }: Excess, { name }: Holding): AppError {
  const message =
    type === 'gives'
      ? `role '${role}' would let '${name}' do what you may not (${path}): only those who may edit roles can give that`
      : `role '${role}' holds you back (${path}) and would not hold '${name}' back: give it to them too, or ask somebody who may edit roles`;
  return new AppError('denied', message, { fields: { role, clause: path } });
}

function addedTraits(held: Traits, given: Traits): Traits {
  return Object.fromEntries(
    Object.entries(given).map(([trait, values]) => [trait, values.filter((value) => !held[trait]?.includes(value))]),
  );
}

/** The same for roles that somebody is given: whoever may not list them all hears of one they do not hold what they hear of none. */
export function requireGivenRoles(
  access: Rights & Pick<AccessControl, 'decide' | 'role' | 'roleNames'>,
  actor: Actor,
  roles: readonly string[],
): void {
  refuseUnlisted(access, actor, roles);
  requireKnownRoles(access, roles);
}

/** To be asked before whether the roles are there. */
export function refuseUnlisted(
  access: Rights & Pick<AccessControl, 'decide'>,
  actor: Actor,
  roles: readonly string[],
): void {
  if (!access.decide(actor, { type: 'verb', resource: 'role', verb: 'list' }).allowed)
    refuseEscalation(access, actor, roles);
}

export function requireKnownRoles(access: Pick<AccessControl, 'role' | 'roleNames'>, roles: readonly string[]): void {
  const unknown = roles.find((role) => access.role(role) === undefined);
  if (unknown === undefined) return;
  throw new AppError(
    'bad_request',
    `role '${unknown}' does not exist; there are: ${access.roleNames().slice(0, 50).join(', ')}`,
  );
}
