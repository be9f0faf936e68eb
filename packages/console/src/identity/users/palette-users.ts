/** People in the command palette, by a few letters of their name. */

import { CURRENT_CLUSTER } from '@gatehouse/contract/console/clusters';
import { pagePath } from '@gatehouse/contract/console/pages';
import type { FoundUser } from '@gatehouse/contract/identity/users/find-users';
import { userListRoutes } from '@gatehouse/contract/identity/users/user-list';
import UserRound from 'lucide-react/icons/user-round';
import { useApi } from '../../platform/browser/use-api.ts';
import { useTranslate } from '../../platform/i18n/words.ts';
import { useFollow } from '../../platform/routing/routing.tsx';
import { useOwnUser } from '../../platform/sign-in/user.ts';
import { ASKED, type PaletteSource } from '../../shared/palette/palette-source.ts';

const params = { clusterId: CURRENT_CLUSTER };

export function usePaletteUsers(query: string): PaletteSource<FoundUser> {
  const t = useTranslate();
  const api = useApi();
  const follow = useFollow();
  const { userAcl } = useOwnUser();
  return {
    id: 'user',
    title: t('shell.users'),
    key: ['access', 'found-users'],
    mayAsk: userAcl.users.list,
    search: query.trim(),
    find: async (nameHas, signal) => {
      const { items, totalCount } = await api(
        userListRoutes.find,
        { params, query: { nameHas, limit: ASKED } },
        signal,
      );
      return { rows: items, total: totalCount };
    },
    one: async (name, signal) =>
      (await api(userListRoutes.find, { params, query: { name, limit: 1 } }, signal)).items[0],
    item: ({ name, roles, state }) => ({
      id: `user:${name}`,
      title: name,
      icon: UserRound,
      detail: roles.join(', '),
      ...(state === 'active' ? {} : { hint: t(`palette.user-${state}`) }),
      enter: t('palette.show'),
      onSelect: () => follow(`${pagePath('users')}?open=${encodeURIComponent(name)}`),
    }),
  };
}
