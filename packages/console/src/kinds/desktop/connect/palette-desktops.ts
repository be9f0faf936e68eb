/** Desktops in the command palette, by a few letters of the name. */
import { desktopRoutes } from '@gatehouse/contract/kinds/desktop/desktops';
import Monitor from 'lucide-react/icons/monitor';
import { useTranslate } from '../../../platform/i18n/words.ts';
import type { KindPalette } from '../../../shared/palette/kind-palette.ts';
import type { Found, PaletteAsk } from '../../../shared/palette/palette-source.ts';
import { useFoundResources } from '../../../shared/resource-list/resource-source.ts';
import { DESKTOPS } from '../desktop-queries.ts';

export const desktopPalette: KindPalette = {
  useFound: useFoundDesktops,
  actions: [
    {
      id: 'add-desktop',
      word: 'palette.do-add-desktop',
      also: 'palette.do-add-desktop-also',
      icon: Monitor,
      page: 'discover',
      texts: { flow: 'desktop' },
      may: (acl) => acl.desktops.create,
    },
  ],
};

function useFoundDesktops(ask: PaletteAsk): Found {
  const t = useTranslate();
  const { clusterId } = ask;
  return useFoundResources(
    {
      list: DESKTOPS,
      id: 'desktop',
      one: (api, name, signal) => api(desktopRoutes.get, { params: { clusterId, name } }, signal),
      item: (desktop, show) => ({
        title: desktop.name,
        detail: desktop.addr.replace(/:3389$/, ''),
        enter: t('palette.show'),
        onSelect: show,
      }),
    },
    ask,
  );
}
