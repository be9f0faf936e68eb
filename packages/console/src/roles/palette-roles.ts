/** Roles in the command palette. */
import { pagePath } from '@gatehouse/contract/pages';
import { type RoleItem, roleRoutes } from '@gatehouse/contract/roles/roles';
import ShieldCheck from 'lucide-react/icons/shield-check';
import { descriptionIn } from '../access/role-description.ts';
import { useFollow } from '../address/address.tsx';
import type { PaletteSource } from '../palette/palette-source.ts';
import { useUser } from '../sign-in/user.ts';
import { useWords } from '../words/words.ts';
import { useApi } from '../world/use-api.ts';

export function usePaletteRoles(query: string): PaletteSource<RoleItem> {
  const t = useWords();
  const api = useApi();
  const follow = useFollow();
  const { userAcl } = useUser();
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
      enter: t('shell.palette-show'),
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
