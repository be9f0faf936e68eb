/** Whether somebody would be the second person that a role asks for: whoever makes or resets an account could then be both. */

import { KINDS, kinds } from '@gatehouse/contract/kinds/kinds';
import type { RequirePolicy } from '@gatehouse/contract/roles/role-conditions';
import { JOIN_MODES } from '@gatehouse/contract/roles/vocabulary';
import { aboutUser } from './bind-access.ts';
import type { CompiledRole } from './compile-role.ts';
import type { Excess, Person } from './containment.ts';
import { decide } from './decide.ts';
import { KIND_RULES } from './kind-rules.ts';
import { requiredJoins } from './session-options.ts';
import { parseWhere } from './where/parse-where.ts';
import { holds } from './where/simplify-where.ts';

const PATH = 'spec.allow.require_session_join';

/** A rule of the actor's that the other would fulfil, one of the other's that the actor would, or one that only the other would. */
export function secondPerson(actor: Person, other: Person, roles: readonly CompiledRole[]): Excess | undefined {
  if (actor.username === other.username) return undefined;
  for (const kind of kinds) {
    const { sessionKind } = KINDS[kind];
    const found =
      requiredJoins(actor.access, sessionKind).find(({ policy }) => joins(other, actor, sessionKind, policy)) ??
      (other.access.roles.some(({ allow }) => allow.labels.has(KIND_RULES[kind].field))
        ? requiredJoins(other.access, sessionKind).find(({ policy }) => joins(actor, other, sessionKind, policy))
        : undefined);
    if (found) return { role: found.role, path: PATH, type: 'lifts' };
  }
  if (!other.access.roles.some(({ allow }) => allow.joins.length > 0)) return undefined;
  const asking = roles.find(({ requiredJoins: policies }) =>
    policies.some(({ filter }) => counts(filter, other) && !counts(filter, actor)),
  );
  return asking && { role: asking.name, path: PATH, type: 'gives' };
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
