/** Fields of roles where `*` among what is allowed means any name. What binds a role and what warns of it read the same. */
import type { PrincipalField } from '@gatehouse/contract/access/roles/vocabulary';
import { rows } from '@gatehouse/contract/kinds/kinds';

const starred = rows.flatMap(({ principals }) => principals.filter(({ starAllows }) => starAllows));

export const STAR_FIELDS: ReadonlySet<PrincipalField> = new Set(starred.map(({ field }) => field as PrincipalField));

const EXCEPTED: ReadonlyMap<string, string> = new Map(
  starred.flatMap(({ field, starExcepts }) => (starExcepts === undefined ? [] : [[field, starExcepts]])),
);

/** Some names are only given by themselves, as those that a cluster keeps for its masters. */
export function isMeantByStar(field: PrincipalField, name: string): boolean {
  const excepted = EXCEPTED.get(field);
  return excepted === undefined || !name.startsWith(excepted);
}
