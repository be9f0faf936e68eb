/** Whether roles have a database user of somebody's own name made on the fly, and with which roles in the database. */
import type { RoleOptions } from '@gatehouse/contract/access/roles/role-options';
import { type ConnectTo, wantedPrincipals } from '../../access/action.ts';
import type { Access } from '../../access/bind-access.ts';
import { decide, grants } from '../../access/decide.ts';

export interface MadeUser {
  /** In the database, as roles call them; sorted. */
  roles: readonly string[];
  /** It goes when the last session of theirs is over, as far as nothing there is its own. */
  isDropped: boolean;
}

/**
 * Undefined: nobody is made, and whoever connects is a user that the database has. Only roles that themselves give the name on this
 * database count: what another one says of other databases makes nobody here. One that keeps users goes before one that drops them.
 */
export function madeUser(access: Access, action: ConnectTo<'db'>): MadeUser | undefined {
  if (action.dbUser !== access.username || !decide(access, action).allowed) return undefined;
  const { together } = wantedPrincipals(action);
  const making = access.roles.filter(
    (role) => modeOf(role.role.options) !== 'off' && together.every((group) => grants(role, action, group)),
  );
  if (making.length === 0) return undefined;
  const named = making.flatMap(({ allow }) => [...(allow.principals.get('db_roles')?.values ?? [])]);
  const roles = [...new Set(named)].filter((dbRole) => decide(access, { ...action, dbRole }).allowed).sort();
  return { roles, isDropped: making.every(({ role }) => modeOf(role.options) === 'best_effort_drop') };
}

function modeOf({
  create_db_user_mode: mode,
  create_db_user: isOlder,
}: RoleOptions): 'off' | 'keep' | 'best_effort_drop' {
  return mode ?? (isOlder ? 'keep' : 'off');
}
