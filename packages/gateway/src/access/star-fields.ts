/** Fields of roles where `*` among what is allowed means any name. What binds a role and what warns of it read the same. */
import type { PrincipalField } from '@gatehouse/contract/access/roles/vocabulary';
import { rows } from '@gatehouse/contract/kinds/kinds';

export const STAR_FIELDS: ReadonlySet<PrincipalField> = new Set(
  rows.flatMap(({ principals }) =>
    principals.filter(({ starAllows }) => starAllows).map(({ field }) => field as PrincipalField),
  ),
);
