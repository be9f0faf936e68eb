/** What others than the actor decide to give by what the actor writes, as sign-in providers do: they must be able to give all of it themselves. */
import type { Actor } from '../platform/http/actor.ts';
import { AppError } from '../platform/std/app-error.ts';
import type { CompiledRole } from './compile-role.ts';
import type { AccessControl } from './create-access.ts';
import { refuseEscalation, refuseTakeover } from './escalation.ts';
import type { Operand, Where } from './where/where-expression.ts';

export interface Gift {
  /** Who would get it, in words that are nobody's name. */
  who: string;
  /** Roles that come together. Somebody may get one of these, several, or all. */
  roles: readonly (readonly string[])[];
  /** Names of roles that others make up, as `team-$1`: any role at all. */
  composed: readonly string[];
  /** Whether what others say becomes traits by name. */
  givesTraits: boolean;
}

type GiftAccess = Pick<AccessControl, 'mayEditRoles' | 'of' | 'role' | 'roleNames'>;

/**
 * Throws unless whoever gets it could do no more than the actor, whatever they are called. What others say fills in the templates of
 * roles as well: roles that ask for traits, and traits themselves, are for those who may edit roles.
 */
export function refuseGift(access: GiftAccess, actor: Actor, { who, roles, composed, givesTraits }: Gift): void {
  if (access.mayEditRoles(actor)) return;
  if (composed.length > 0)
    throw new AppError(
      'denied',
      `'${composed[0]}' is filled in by what the provider says: only those who may edit roles write that`,
    );
  const all = [...new Set(roles.flat())].sort();
  refuseEscalation(access, actor, all);
  const known = all.flatMap((name) => access.role(name) ?? []);
  const asking = known.find(({ traits }) => traits.size > 0);
  if (asking)
    throw new AppError(
      'denied',
      `role '${asking.name}' asks for traits, which the provider would give: only those who may edit roles map it`,
    );
  if (givesTraits)
    throw new AppError('denied', 'traits decide what roles reach: only those who may edit roles map them');
  const names = [who, ...known.flatMap(namesIn)];
  for (const together of distinct([...roles, all]))
    for (const name of names) refuseTakeover(access, actor, { name, roles: together, traits: {} });
}

function distinct(lists: readonly (readonly string[])[]): string[][] {
  const keys = new Set(lists.map((list) => JSON.stringify([...new Set(list)].sort())));
  return [...keys].map((key) => JSON.parse(key) as string[]);
}

/** Names that conditions of a role ask for: whoever may be called anything may be called that. */
function namesIn({ allow, deny }: CompiledRole): string[] {
  return [...allow.rules, ...deny.rules].flatMap(({ where }) => (where ? namesAskedFor(where) : []));
}

function namesAskedFor(where: Where): string[] {
  switch (where.type) {
    case 'constant':
    case 'exists':
      return [];
    case 'not':
      return namesAskedFor(where.of);
    case 'and':
    case 'or':
      return where.of.flatMap(namesAskedFor);
    default:
      return isName(where.left) || isName(where.right) ? [...valuesOf(where.left), ...valuesOf(where.right)] : [];
  }
}

function isName(operand: Operand): boolean {
  return operand.type === 'fact' && operand.name === 'user.metadata.name';
}

function valuesOf(operand: Operand): readonly string[] {
  return operand.type === 'values' ? operand.values : [];
}
