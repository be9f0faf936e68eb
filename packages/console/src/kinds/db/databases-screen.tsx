/** Databases: every one the user sees, found by a few letters or a label, and the ways into it. */
import Database from 'lucide-react/icons/database';
import KeyRound from 'lucide-react/icons/key-round';
import ShieldCheck from 'lucide-react/icons/shield-check';
import SquareTerminal from 'lucide-react/icons/square-terminal';
import { Suspense } from 'react';
import { lazyPart } from '../../platform/i18n/lazy-part.ts';
import { useUser } from '../../platform/sign-in/user.ts';
import { EmptyList } from '../../shared/resource-list/empty-list.tsx';
import type { FirstStep } from '../../shared/resource-list/no-resources.tsx';
import { ResourceFrame } from '../../shared/resource-list/resource-frame.tsx';
import { ResourceTable } from '../../shared/resource-list/resource-table.tsx';
import { useDoingTo } from '../../shared/resource-list/use-doing-to.ts';
import { useResourceScreen } from '../../shared/resource-list/use-resource-screen.ts';
import { ApprovalsButton } from './approvals/approvals-button.tsx';
import { useDatabaseColumns } from './db-columns.tsx';
import { DATABASES } from './db-queries.ts';

const FIRST_STEPS: readonly FirstStep[] = [
  { word: 'databases.empty-address', icon: ShieldCheck },
  { word: 'databases.empty-password', icon: KeyRound },
  { word: 'databases.empty-connect', icon: SquareTerminal },
];

export function DatabasesScreen() {
  const { userAcl } = useUser();
  const mayAdd = userAcl.db.create;
  const screen = useResourceScreen(DATABASES, { mayAdd });
  const { clusterId, address } = screen;
  const { start } = screen.actions;
  const [connecting, connect] = useDoingTo('connect', screen);
  const columns = useDatabaseColumns(screen, connect);
  const decides = userAcl.dbApprovals.list;
  const empty = <EmptyList screen={screen} icon={Database} steps={FIRST_STEPS} />;
  return (
    <ResourceFrame
      screen={screen}
      further={decides && <ApprovalsButton clusterId={clusterId} onOpen={() => start(APPROVALS)} />}
      panel={(opened) => <DbPanel {...opened} onConnect={connect} onEdit={() => start('edit')} />}
    >
      <ResourceTable
        screen={screen}
        columns={columns}
        empty={empty}
        keys={{ act: 'databases.key-connect', login: 'databases.key-choose' }}
      />
      {address.doing === 'edit' && address.open !== undefined && (
        <Suspense>
          <EditDbDialog clusterId={clusterId} name={address.open} onClose={() => start(undefined)} />
        </Suspense>
      )}
      {decides && address.doing === APPROVALS && (
        <Suspense>
          <ApprovalsDialog clusterId={clusterId} onClose={() => start(undefined)} />
        </Suspense>
      )}
      {connecting !== undefined && (
        <Suspense>
          <ConnectDialog key={connecting} clusterId={clusterId} name={connecting} onClose={() => start(undefined)} />
        </Suspense>
      )}
    </ResourceFrame>
  );
}

const APPROVALS = 'approvals';

const ApprovalsDialog = lazyPart(
  () => import('./approvals/approvals-dialog.tsx').then((file) => file.ApprovalsDialog),
  ['db-approvals'],
);
const DbPanel = lazyPart(
  () => import('./panel/db-panel.tsx').then((file) => file.DbPanel),
  ['db-panel', 'db-connect', 'connection-steps', 'access', 'webauthn'],
);
const ConnectDialog = lazyPart(
  () => import('./connect/connect-dialog.tsx').then((file) => file.ConnectDialog),
  ['db-connect'],
);
const EditDbDialog = lazyPart(
  () => import('./form/edit-db-dialog.tsx').then((file) => file.EditDbDialog),
  ['db-form', 'db-panel', 'way-there', 'connection-steps'],
);
