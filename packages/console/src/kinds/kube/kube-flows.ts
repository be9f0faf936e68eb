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
      may: (acl) => acl.kubeServers.create || acl.tokens.create,
    },
  ],
  words: [
    ...(['kubernetes', 'add-kube', 'kube-panel', 'joining', 'connection-steps', 'resource-list'] as const),
    ...(['way-there', 'webauthn'] as const),
  ],
  load: () => import('./enrol/kube-flow.tsx').then((file) => file.kubeFlow),
};
