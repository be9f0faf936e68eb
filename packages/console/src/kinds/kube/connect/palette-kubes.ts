/** Kubernetes clusters in the command palette, by a few letters of the name. */
import { pagePath } from '@gatehouse/contract/console/pages';
import { kubeRoutes } from '@gatehouse/contract/kinds/kube/kubernetes';
import ShipWheel from 'lucide-react/icons/ship-wheel';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { useFollow } from '../../../platform/routing/routing.tsx';
import type { KindPalette } from '../../../shared/palette/kind-palette.ts';
import type { Found, PaletteAsk } from '../../../shared/palette/palette-source.ts';
import { useFoundResources } from '../../../shared/resource-list/resource-source.ts';
import { KUBE_CLUSTERS } from '../kube-queries.ts';

export const kubePalette: KindPalette = {
  useFound: useFoundKubes,
  actions: [
    {
      id: 'add-kubernetes',
      word: 'palette.do-add-kubernetes',
      also: 'palette.do-add-kubernetes-also',
      icon: ShipWheel,
      page: 'discover',
      texts: { flow: 'kubernetes' },
      may: (acl) => acl.kubeServers.create,
    },
  ],
};

/** One is looked into at once: its page says what is wrong where it cannot be. */
function useFoundKubes(ask: PaletteAsk): Found {
  const t = useTranslate();
  const follow = useFollow();
  const { clusterId } = ask;
  return useFoundResources(
    {
      list: KUBE_CLUSTERS,
      id: 'kube',
      one: async (api, name, signal) => (await api(kubeRoutes.get, { params: { clusterId, name } }, signal)).item,
      item: ({ name, kubernetes_groups: groups }) => ({
        title: name,
        detail: groups.join(', '),
        enter: t('palette.open'),
        onSelect: () => follow(pagePath('kube', { clusterId, name })),
      }),
    },
    ask,
  );
}
