/** Desktops: every one the user sees, found by a few letters or a label, and the way onto it. */
import KeyRound from 'lucide-react/icons/key-round';
import Monitor from 'lucide-react/icons/monitor';
import MonitorPlay from 'lucide-react/icons/monitor-play';
import ShieldCheck from 'lucide-react/icons/shield-check';
import { Suspense } from 'react';
import { lazyPart } from '../../platform/i18n/lazy-part.ts';
import { useUser } from '../../platform/sign-in/user.ts';
import { EmptyList } from '../../shared/resource-list/empty-list.tsx';
import type { FirstStep } from '../../shared/resource-list/no-resources.tsx';
import { ResourceFrame } from '../../shared/resource-list/resource-frame.tsx';
import { ResourceTable } from '../../shared/resource-list/resource-table.tsx';
import { useDoingTo } from '../../shared/resource-list/use-doing-to.ts';
import { useResourceScreen } from '../../shared/resource-list/use-resource-screen.ts';
import { useConnecting } from './connect/desktop-logins.ts';
import { useDesktopColumns } from './desktop-columns.tsx';
import { DESKTOPS } from './desktop-queries.ts';

const FIRST_STEPS: readonly FirstStep[] = [
  { word: 'desktops.empty-certificate', icon: ShieldCheck },
  { word: 'desktops.empty-password', icon: KeyRound },
  { word: 'desktops.empty-connect', icon: MonitorPlay },
];

export function DesktopsScreen() {
  const { userAcl } = useUser();
  const mayAdd = userAcl.desktops.create;
  const screen = useResourceScreen(DESKTOPS, { mayAdd });
  const { clusterId } = screen;
  const [editing, edit] = useDoingTo('edit', screen);
  const connecting = useConnecting(clusterId);
  const columns = useDesktopColumns(screen, connecting);
  const empty = <EmptyList screen={screen} icon={Monitor} steps={FIRST_STEPS} />;
  return (
    <ResourceFrame
      screen={screen}
      panel={(opened) => <DesktopPanel {...opened} connecting={connecting} onEdit={edit} />}
    >
      <ResourceTable
        screen={screen}
        columns={columns}
        empty={empty}
        keys={{ act: 'desktops.key-connect', login: 'desktops.key-login' }}
      />
      {editing !== undefined && userAcl.desktops.edit && (
        <Suspense>
          <EditDesktopDialog clusterId={clusterId} name={editing} onClose={() => screen.actions.start(undefined)} />
        </Suspense>
      )}
    </ResourceFrame>
  );
}

const DesktopPanel = lazyPart(
  () => import('./panel/desktop-panel.tsx').then((file) => file.DesktopPanel),
  ['desktop-panel', 'access', 'connection-steps', 'webauthn', 'add-desktop'],
);
const EditDesktopDialog = lazyPart(
  () => import('./add/edit-desktop-dialog.tsx').then((file) => file.EditDesktopDialog),
  ['add-desktop', 'way-there', 'joining'],
);
