/** Applications in the command palette, by a few letters of the name. */

import { pagePath } from '@gatehouse/contract/console/pages';
import { type App, appRoutes } from '@gatehouse/contract/kinds/app/apps';
import AppWindow from 'lucide-react/icons/app-window';
import { useApi } from '../../../platform/browser/use-api.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { useFollow } from '../../../platform/routing/routing.tsx';
import { useUser } from '../../../platform/sign-in/user.ts';
import { ASKED, type PaletteSource } from '../../../shared/palette/palette-source.ts';
import { RESOURCES } from '../../../shared/resource-list/use-paged-rows.ts';
import { APPS } from '../app-queries.ts';
import { launchPath, NEW_TAB } from './launch-path.ts';

export function usePaletteApps(clusterId: string, query: string): PaletteSource<App> {
  const t = useTranslate();
  const api = useApi();
  const follow = useFollow();
  const { userAcl } = useUser();
  return {
    id: 'app',
    title: t('shell.apps'),
    key: [RESOURCES, APPS.page, clusterId],
    mayAsk: userAcl.appServers.list,
    search: query.trim(),
    find: async (search, signal) => {
      const asked = { search, limit: String(ASKED), sort: 'name:asc' };
      const { items, totalCount } = await APPS.load(api, clusterId, asked, signal);
      return { rows: items, total: totalCount };
    },
    one: async (name, signal) => (await api(appRoutes.get, { params: { clusterId, name } }, signal)).app,
    item: (app) => {
      // Others have something to choose or to type first.
      const path = app.gatehouse?.type === 'web' ? launchPath(app) : undefined;
      const show = () => follow(`${pagePath('apps', { clusterId })}?open=${encodeURIComponent(app.name)}`);
      return {
        id: `app:${app.name}`,
        title: app.name,
        icon: AppWindow,
        detail: app.description,
        enter: path ? t('shell.palette-launch') : t('shell.palette-show'),
        onSelect: (how) => {
          if (!path || how === 'other') return show();
          window.open(path, NEW_TAB.target, NEW_TAB.rel);
        },
      };
    },
  };
}
