/** Traits that somebody's roles take names from and that are empty: such a role shows servers and signs in to none of them. */
import type { PrincipalField } from '@gatehouse/contract/access/roles/vocabulary';
import type { Trait } from '@gatehouse/contract/identity/users/users';
import type { Access, BoundRole } from './bind-access.ts';

export interface MissingTrait {
  trait: Trait;
  /** Those that would use it. */
  roles: string[];
}

/** Where a connection needs a name, and a user record has a field for it. Kinds that need none, or are not there yet, are left out. */
const NAMED_BY: readonly { field: PrincipalField; trait: Trait }[] = [{ field: 'logins', trait: 'logins' }];

export function missingTraits({ roles }: Access): MissingTrait[] {
  return NAMED_BY.flatMap(({ field, trait }) => {
    const lacking = roles.filter((role) => lacks(role, field, trait)).map(({ name }) => name);
    return lacking.length > 0 ? [{ trait, roles: lacking }] : [];
  });
}

function lacks({ role, allow }: BoundRole, field: PrincipalField, trait: Trait): boolean {
  const asks = role.allow.principals
    .get(field)
    ?.some(({ source }) => 'template' in source && source.template.trait === trait);
  const got = allow.principals.get(field);
  return Boolean(asks) && allow.labels.has('node_labels') && !got?.any && (got?.values.size ?? 0) === 0;
}

/** For the answer to whoever made or changed the user. */
export function missingTraitNotes(access: Access): string[] {
  return missingTraits(access).map(({ trait, roles }) => {
    const named = roles.map((role) => `'${role}'`).join(', ');
    return `'${access.username}' has no ${trait}, and ${roles.length === 1 ? 'role' : 'roles'} ${named} would use them: without any they sign in to no server by it`;
  });
}
