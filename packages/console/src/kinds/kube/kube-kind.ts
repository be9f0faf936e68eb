/** Kubernetes clusters in the console. */
import { kubeKind as facts } from '@gatehouse/contract/kinds/kube/kube-kind';
import ShipWheel from 'lucide-react/icons/ship-wheel';
import { fetchCode } from '../../platform/code/fetch-code.ts';
import type { ConsoleKind } from '../../shared/kinds/console-kind.ts';
import { useLaterCount } from '../../shared/resource-list/resource-queries.ts';
import { kubeScreen } from './kube-screen.ts';

const fetchKubes = () => fetchCode(() => import('./kube-queries.ts')).then((file) => file.KUBE_CLUSTERS);

export const kubeKind: ConsoleKind<'kube'> = {
  screen: kubeScreen,
  icon: ShipWheel,
  label: 'shell.kubernetes',
  flow: 'kubernetes',
  key: 'k',
  useCount: (clusterId) => useLaterCount(facts.path, fetchKubes, clusterId),
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
