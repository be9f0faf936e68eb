/** Roles in the command palette. */

import { type RoleItem, roleRoutes } from '@gatehouse/contract/access/roles/roles';
import { pagePath } from '@gatehouse/contract/console/pages';
import ShieldCheck from 'lucide-react/icons/shield-check';
import { useApi } from '../../platform/browser/use-api.ts';
import { useTranslate } from '../../platform/i18n/words.ts';
import { useFollow } from '../../platform/routing/routing.tsx';
import { useOwnUser } from '../../platform/sign-in/user.ts';
import { descriptionIn } from '../../shared/access-questions/role-description.ts';
import type { PaletteSource } from '../../shared/palette/palette-source.ts';

export function usePaletteRoles(query: string): PaletteSource<RoleItem> {
  const t = useTranslate();
  const api = useApi();
  const follow = useFollow();
  const { userAcl } = useOwnUser();
  return {
    id: 'role',
    title: t('shell.roles'),
    key: ['access', 'roles'],
    mayAsk: userAcl.roles.list,
    search: query.trim(),
    find: async (_search, signal) => {
      const rows = await api(roleRoutes.list, {}, signal);
      return { rows, total: rows.length };
    },
    narrow: (rows, search) => rows.filter(({ name, content }) => fits(`${name}\n${descriptionIn(content)}`, search)),
    one: async (name, signal) => (await api(roleRoutes.list, {}, signal)).find((role) => role.name === name),
    item: ({ name, content }) => ({
      id: `role:${name}`,
      title: name,
      icon: ShieldCheck,
      detail: descriptionIn(content),
      enter: t('palette.show'),
      onSelect: () => follow(`${pagePath('roles')}?open=${encodeURIComponent(name)}`),
    }),
  };
}

function fits(text: string, search: string): boolean {
  const within = text.toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => within.includes(word));
}
