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
import { useResourceScreen } from '../../shared/resource-list/use-resource-screen.ts';
import { useConnecting } from './connect/desktop-logins.ts';
import { useDesktopColumns } from './desktop-columns.tsx';
import { DESKTOPS } from './desktop-queries.ts';

const FIRST_STEPS: readonly FirstStep[] = [
  { word: 'desktops.empty-certificate', icon: ShieldCheck },
  { word: 'desktops.empty-password', icon: KeyRound },
  { word: 'desktops.empty-connect', icon: MonitorPlay },
];

/** What is being done to one. */
const EDIT = 'edit:';

export function DesktopsScreen() {
  const { userAcl } = useUser();
  const mayAdd = userAcl.desktops.create;
  const screen = useResourceScreen(DESKTOPS, { mayAdd });
  const { clusterId, address, isPicked, onPick } = screen;
  const { open, start } = screen.actions;
  const connecting = useConnecting(clusterId);
  const columns = useDesktopColumns({ isNarrow: address.open !== undefined, isPicked, onPick, connecting });
  const editing = address.doing?.startsWith(EDIT) ? address.doing.slice(EDIT.length) : undefined;
  const empty = <EmptyList screen={screen} icon={Monitor} steps={FIRST_STEPS} />;
  return (
    <ResourceFrame
      screen={screen}
      panel={
        address.open !== undefined && (
          <Suspense>
            <DesktopPanel
              key={address.open}
              {...{ clusterId, isPicked, onPick, connecting }}
              name={address.open}
              tab={address.tab}
              onTab={(tab) => open(address.open, tab)}
              onEdit={(name) => start(`${EDIT}${name}`)}
              onClose={() => open(undefined)}
            />
          </Suspense>
        )
      }
    >
      <ResourceTable
        screen={screen}
        columns={columns}
        empty={empty}
        keys={{ act: 'desktops.key-connect', login: 'desktops.key-login' }}
      />
      {editing !== undefined && userAcl.desktops.edit && (
        <Suspense>
          <EditDesktopDialog clusterId={clusterId} name={editing} onClose={() => start(undefined)} />
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
