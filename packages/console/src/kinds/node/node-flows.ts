/** How servers are enrolled: by the agent, or by their own sshd. */
import Server from 'lucide-react/icons/server';
import SquareTerminal from 'lucide-react/icons/square-terminal';
import type { KindFlows } from '../../shared/enrolment/flow.ts';

const common = {
  group: 'discover.group-servers',
  resource: 'DISCOVER_RESOURCE_SERVER',
  may: (acl) => acl.tokens.create,
  several: true,
} as const satisfies Partial<KindFlows['cards'][number]>;

export const nodeFlows: KindFlows = {
  cards: [
    {
      ...common,
      id: 'server',
      isMachine: true,
      title: 'discover.card-server',
      text: 'discover.card-server-text',
      also: 'discover.card-server-also',
      icon: Server,
    },
    {
      ...common,
      id: 'openssh',
      may: (acl) => acl.tokens.create || acl.nodes.create,
      title: 'discover.card-openssh',
      text: 'discover.card-openssh-text',
      also: 'discover.card-openssh-also',
      icon: SquareTerminal,
      first: { way: 'openssh' },
    },
  ],
  words: [
    ...(['servers', 'add-server', 'joining', 'server-panel', 'connection-steps', 'resource-list'] as const),
    ...(['way-there', 'webauthn'] as const),
  ],
  load: () => import('./enrol/node-flow.tsx').then((file) => file.nodeFlow),
};
