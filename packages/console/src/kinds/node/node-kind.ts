/** Servers in the console. */
import Server from 'lucide-react/icons/server';
import SquareTerminal from 'lucide-react/icons/square-terminal';
import { fetchCode } from '../../platform/code/fetch-code.ts';
import type { ConsoleKind } from '../../shared/kinds/console-kind.ts';
import { nodeScreen } from './node-screen.ts';
import { useServerSummary } from './server-queries.ts';

export const nodeKind: ConsoleKind<'node'> = {
  screen: nodeScreen,
  icon: Server,
  sessionIcon: SquareTerminal,
  label: 'shell.nodes',
  flow: 'server',
  key: 's',
  useCount: (clusterId) => useServerSummary(clusterId)?.seen,
  hasTerminals: true,
  foundBy: 'open',
  role: {
    title: 'roles.section-nodes',
    labels: 'roles.node-labels',
    names: { logins: 'roles.logins' },
    never: { labels: 'roles.never-labels', names: { logins: 'roles.never-logins' } },
  },
  palette: () => fetchCode(() => import('./connect/palette-servers.ts')).then((file) => file.nodePalette),
};
