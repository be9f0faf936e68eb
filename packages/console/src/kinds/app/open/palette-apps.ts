/** Applications in the command palette, by a few letters of the name. */

import { appRoutes } from '@gatehouse/contract/kinds/app/apps';
import AppWindow from 'lucide-react/icons/app-window';
import { useTranslate } from '../../../platform/i18n/words.ts';
import type { KindPalette } from '../../../shared/palette/kind-palette.ts';
import type { Found, PaletteAsk } from '../../../shared/palette/palette-source.ts';
import { useFoundResources } from '../../../shared/resource-list/resource-source.ts';
import { APPS } from '../app-queries.ts';
import { launchPath, NEW_TAB } from './launch-path.ts';

export const appPalette: KindPalette = {
  useFound: useFoundApps,
  actions: [
    {
      id: 'add-app',
      word: 'palette.do-add-app',
      also: 'palette.do-add-app-also',
      icon: AppWindow,
      page: 'discover',
      texts: { flow: 'app' },
      may: (acl) => acl.appServers.create || acl.tokens.create,
    },
  ],
};

function useFoundApps(ask: PaletteAsk): Found {
  const t = useTranslate();
  const { clusterId } = ask;
  return useFoundResources(
    {
      list: APPS,
      id: 'app',
      one: async (api, name, signal) => (await api(appRoutes.get, { params: { clusterId, name } }, signal)).app,
      item: (app, show) => {
        // Others have something to choose or to type first.
        const path = app.gatehouse?.type === 'web' ? launchPath(app) : undefined;
        return {
          title: app.name,
          detail: app.description,
          enter: path ? t('palette.launch') : t('palette.show'),
          onSelect: (how) => {
            if (!path || how === 'other') return show();
            window.open(path, NEW_TAB.target, NEW_TAB.rel);
          },
        };
      },
    },
    ask,
  );
}
