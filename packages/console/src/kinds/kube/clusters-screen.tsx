/** Kubernetes clusters: every one the user sees, found by a few letters or a label, and the ways into it. */
import KeyRound from 'lucide-react/icons/key-round';
import ShieldCheck from 'lucide-react/icons/shield-check';
import ShipWheel from 'lucide-react/icons/ship-wheel';
import SquareTerminal from 'lucide-react/icons/square-terminal';
import { lazyPart } from '../../platform/i18n/lazy-part.ts';
import { useUser } from '../../platform/sign-in/user.ts';
import { EmptyList } from '../../shared/resource-list/empty-list.tsx';
import type { FirstStep } from '../../shared/resource-list/no-resources.tsx';
import { ResourceFrame } from '../../shared/resource-list/resource-frame.tsx';
import { ResourceTable } from '../../shared/resource-list/resource-table.tsx';
import { useDoingTo } from '../../shared/resource-list/use-doing-to.ts';
import { useResourceScreen } from '../../shared/resource-list/use-resource-screen.ts';
import { CommandsDialog } from './connect/commands-dialog.tsx';
import { useKubeColumns } from './kube-columns.tsx';
import { KUBE_CLUSTERS } from './kube-queries.ts';

const FIRST_STEPS: readonly FirstStep[] = [
  { word: 'kubernetes.empty-config', icon: ShieldCheck },
  { word: 'kubernetes.empty-groups', icon: KeyRound },
  { word: 'kubernetes.empty-connect', icon: SquareTerminal },
];

export function ClustersScreen() {
  const { userAcl } = useUser();
  const mayAdd = userAcl.kubeServers.create;
  const screen = useResourceScreen(KUBE_CLUSTERS, { mayAdd });
  const [connecting, connect] = useDoingTo('connect', screen);
  const columns = useKubeColumns(screen, connect);
  const empty = <EmptyList screen={screen} icon={ShipWheel} steps={FIRST_STEPS} />;
  return (
    <ResourceFrame screen={screen} panel={(opened) => <KubePanel {...opened} onConnect={connect} />}>
      <ResourceTable
        screen={screen}
        columns={columns}
        empty={empty}
        keys={{ act: 'kubernetes.key-connect', login: 'kubernetes.key-commands' }}
      />
      {connecting !== undefined && <CommandsDialog name={connecting} onClose={() => screen.actions.start(undefined)} />}
    </ResourceFrame>
  );
}

const KubePanel = lazyPart(
  () => import('./panel/kube-panel.tsx').then((file) => file.KubePanel),
  ['kube-panel', 'connection-steps', 'access', 'webauthn'],
);
