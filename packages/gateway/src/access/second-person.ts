/** Whether somebody would be the second person that a role asks for: whoever makes or resets an account could then be both. */

import type { RequirePolicy } from '@gatehouse/contract/access/roles/role-conditions';
import { JOIN_MODES } from '@gatehouse/contract/access/roles/vocabulary';
import { factsOf, kinds } from '@gatehouse/contract/kinds/kinds';
import { aboutUser } from './bind-access.ts';
import type { CompiledRole } from './compile-role.ts';
import type { Person } from './containment.ts';
import { decide } from './decide.ts';
import { requiredJoins } from './session-options.ts';
import { parseWhere } from './where/parse-where.ts';
import { holds } from './where/simplify-where.ts';

const PATH = 'spec.allow.require_session_join';

/** One rule that wants two people, and which of them the other would be for it. */
export interface SecondPerson {
  role: string;
  path: string;
  /** The same for the same rule and part: being that already is no reason to become it for one more. */
  key: string;
}

/** Rules of the actor's that the other would fulfil, those of the other's that the actor would, and those that only the other would. */
export function secondPersons(actor: Person, other: Person, roles: readonly CompiledRole[]): SecondPerson[] {
  const found: SecondPerson[] = [];
  const add = (part: string, role: string, policy: RequirePolicy) =>
    found.push({ role, path: PATH, key: JSON.stringify([part, role, policy]) });
  // Nobody is the second person of their own sessions; of others' they may become it by what they take from themselves.
  for (const kind of actor.username === other.username ? [] : kinds) {
    const { sessionKind } = factsOf(kind);
    for (const { role, policy } of requiredJoins(actor.access, sessionKind))
      if (joins(other, actor, sessionKind, policy)) add('watches', role, policy);
    if (!other.access.roles.some(({ allow }) => allow.labels.has(factsOf(kind).labels))) continue;
    for (const { role, policy } of requiredJoins(other.access, sessionKind))
      if (joins(actor, other, sessionKind, policy)) add('is watched', role, policy);
  }
  if (!other.access.roles.some(({ allow }) => allow.joins.length > 0)) return found;
  for (const { name, requiredJoins: policies } of roles)
    for (const policy of policies)
      if (counts(policy.filter, other) && !counts(policy.filter, actor)) add('watches others', name, policy);
  return found;
}

function joins(person: Person, owner: Person, kind: string, { filter, modes }: RequirePolicy): boolean {
  if (!counts(filter, person)) return false;
  const session = { kind, ownerRoles: owner.access.roles.map(({ name }) => name) };
  return JOIN_MODES.some(
    (mode) =>
      modes.some((known) => known === mode || known === '*') &&
      decide(person.access, { type: 'join', session, mode }).allowed,
  );
}

function counts(filter: string, { username, traits, access }: Person): boolean {
  const names = access.roles.map(({ name }) => name);
  return holds(parseWhere(filter), aboutUser({ username, traits }, names));
}
