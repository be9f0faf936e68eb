/** Which traits of a root's people are asked for: those that the roles they can get here read, and those that were named. */
import type { AccessControl } from '../../../access/create-access.ts';
import { recordTrait } from '../../../access/user-traits.ts';
import type { KnownTrust } from './known-trust.ts';

const MAX_WANTED = 256;
const MAX_NAME = 256;

export function wantedTraits(
  access: Pick<AccessControl, 'role' | 'askedTraits'>,
  { given, traits }: Pick<KnownTrust, 'given' | 'traits'>,
): string[] {
  const { roles, composed } = given;
  const named = roles.flat().flatMap((role) => [...(access.role(role)?.traits ?? [])]);
  // What the root's words make up may be any role.
  const asked = [...named, ...(composed.length > 0 ? access.askedTraits() : []), ...traits];
  const names = new Set(asked.flatMap((trait) => [trait, recordTrait(trait)]));
  // A name that cannot be told cuts the line: one role with such a name would keep the whole cluster from its root.
  return [...names]
    .filter((name) => name !== '' && name.length <= MAX_NAME)
    .sort()
    .slice(0, MAX_WANTED);
}
