/** How Kubernetes clusters are enrolled. */
import ShipWheel from 'lucide-react/icons/ship-wheel';
import type { KindFlows } from '../../shared/enrolment/flow.ts';

export const kubeFlows: KindFlows = {
  cards: [
    {
      id: 'kubernetes',
      group: 'discover.group-services',
      resource: 'DISCOVER_RESOURCE_KUBERNETES',
      title: 'discover.card-kubernetes',
      text: 'discover.card-kubernetes-text',
      also: 'discover.card-kubernetes-also',
      icon: ShipWheel,
      may: (acl) => acl.kubeServers.create,
    },
  ],
  words: ['kubernetes', 'add-kube', 'kube-panel', 'connection-steps', 'resource-list', 'way-there', 'webauthn'],
  load: () => import('./enrol/kube-flow.tsx').then((file) => file.kubeFlow),
};
