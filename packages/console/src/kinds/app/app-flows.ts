/** How applications are enrolled: those with a web page, and what speaks TCP. */
import AppWindow from 'lucide-react/icons/app-window';
import Plug from 'lucide-react/icons/plug';
import type { KindFlows } from '../../shared/enrolment/flow.ts';

const common = {
  group: 'discover.group-services',
  may: (acl) => acl.appServers.create || acl.tokens.create,
} as const satisfies Partial<KindFlows['cards'][number]>;

export const appFlows: KindFlows = {
  cards: [
    {
      ...common,
      id: 'app',
      resource: 'DISCOVER_RESOURCE_APPLICATION_HTTP',
      title: 'discover.card-app',
      text: 'discover.card-app-text',
      also: 'discover.card-app-also',
      icon: AppWindow,
    },
    {
      ...common,
      id: 'tcp',
      resource: 'DISCOVER_RESOURCE_APPLICATION_TCP',
      title: 'discover.card-tcp',
      text: 'discover.card-tcp-text',
      also: 'discover.card-tcp-also',
      icon: Plug,
      first: { draft: { scheme: 'tcp' } },
    },
  ],
  words: [
    'apps',
    'add-app',
    'app-form',
    'app-panel',
    'joining',
    'connection-steps',
    'resource-list',
    'way-there',
    'webauthn',
  ],
  load: () => import('./enrol/app-flow.tsx').then((file) => file.appFlow),
};
