/** Kubernetes clusters in the console. */
import ShipWheel from 'lucide-react/icons/ship-wheel';
import { fetchCode } from '../../platform/code/fetch-code.ts';
import type { ConsoleKind } from '../../shared/kinds/console-kind.ts';
import { useResourceCount } from '../../shared/resource-list/resource-queries.ts';
import { KUBE_CLUSTERS } from './kube-queries.ts';
import { kubeScreen } from './kube-screen.ts';

export const kubeKind: ConsoleKind<'kube'> = {
  screen: kubeScreen,
  icon: ShipWheel,
  label: 'shell.kubernetes',
  key: 'k',
  useCount: (clusterId) => useResourceCount(KUBE_CLUSTERS, clusterId, true),
  hasTerminals: true,
  foundBy: 'search',
  role: {
    title: 'roles.section-kubernetes',
    labels: 'roles.kubernetes-labels',
    names: { kubernetes_users: 'roles.kubernetes-users', kubernetes_groups: 'roles.kubernetes-groups' },
    never: null,
  },
  palette: () => fetchCode(() => import('./connect/palette-kubes.ts')).then((file) => file.kubePalette),
};
