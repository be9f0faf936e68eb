/** What a role map would give, to whom, and what to think about before it is saved. */
import type { RoleMap } from '@gatehouse/contract/reach/trusted-clusters/trusted-cluster-document';
import type { MapPreview } from '@gatehouse/contract/reach/trusted-clusters/trusted-clusters';
import { mayEver } from '../../../access/acl-of.ts';
import type { AccessControl } from '../../../access/create-access.ts';
import { AppError } from '../../../platform/std/app-error.ts';
import { remoteName } from '../../stores/remote-name.ts';
import type { RemoteUser } from '../../stores/remote-user-store.ts';
import { compileRoleMap, wrongWithMap } from '../map/role-map.ts';

type PreviewAccess = Pick<AccessControl, 'role' | 'of'>;

/** What lets its holder give themselves anything else. */
const RULING = [
  ['user', 'users'],
  ['role', 'roles'],
  ['trusted_cluster', 'trust'],
] as const;
const MAX_VISITORS = 500;

export function previewMap(
  access: PreviewAccess,
  { role_map, remote }: { role_map: RoleMap; remote: readonly string[] },
  visitors: readonly RemoteUser[],
): MapPreview {
  const exists = (role: string) => access.role(role) !== undefined;
  const wrong = wrongWithMap(role_map, exists);
  if (wrong.length > 0)
    throw new AppError(
      'bad_request',
      wrong.map(({ path, message }) => `'role_map.${path.join('.')}' ${message}`).join('\n'),
      { fields: { issues: wrong.map(({ path, message }) => ({ path: ['role_map', ...path].join('.'), message })) } },
    );
  const map = compileRoleMap(role_map);
  return {
    roles: remote.map((role) => ({ remote: role, local: map([role], exists) })),
    visitors: visitors.slice(0, MAX_VISITORS).flatMap((user) => {
      const roles = map(user.remoteRoles, exists);
      const gains = roles.filter((role) => !user.roles.includes(role));
      const loses = user.roles.filter((role) => !roles.includes(role));
      if (gains.length + loses.length === 0) return [];
      return [{ name: remoteName(user), gains, loses, lastSeen: new Date(user.seen).toISOString() }];
    }),
    warnings: warningsOf(access, role_map),
  };
}

function warningsOf(access: PreviewAccess, map: RoleMap): string[] {
  return map
    .filter(({ remote }) => /^\**$|^\^\(?\.[*+]\)?\$$/.test(remote))
    .flatMap(({ remote, local }) =>
      local.flatMap((role) => {
        const rules = rulesOf(access, role);
        if (rules.length === 0) return [];
        return [
          `'${remote}' is every role of the root, and '${role}' may change ${rules.join(', ')} here: everybody there could take this cluster over`,
        ];
      }),
    );
}

function rulesOf(access: PreviewAccess, role: string): string[] {
  const held = access.of({ username: 'somebody', roles: [role], traits: {} });
  return RULING.flatMap(([resource, word]) => {
    const may = (['create', 'update'] as const).some((verb) => mayEver(held, resource, verb));
    return may ? [word] : [];
  });
}
