/** Servers: every one the user can reach, found by a few letters or a label, and connected to. */

import Server from 'lucide-react/icons/server';
import SquareTerminal from 'lucide-react/icons/square-terminal';
import Tags from 'lucide-react/icons/tags';
import { Suspense, useMemo } from 'react';
import { lazyPart } from '../../platform/i18n/lazy-part.ts';
import { useUser } from '../../platform/sign-in/user.ts';
import { EmptyList } from '../../shared/resource-list/empty-list.tsx';
import { Freshness } from '../../shared/resource-list/freshness.tsx';
import type { FirstStep } from '../../shared/resource-list/no-resources.tsx';
import { ResourceFrame } from '../../shared/resource-list/resource-frame.tsx';
import { ResourceTable } from '../../shared/resource-list/resource-table.tsx';
import { type ResourceScreen, useResourceScreen } from '../../shared/resource-list/use-resource-screen.ts';
import type { Connecting } from './connect/connect-cell.tsx';
import { useLoginMemory } from './connect/login-memory.ts';
import { QuickConnect } from './connect/quick-connect.tsx';
import { useServerColumns } from './server-columns.tsx';
import { SERVERS } from './server-queries.ts';
import { ServerCounts, useSignInWords } from './server-status.tsx';
import styles from './servers.module.css';

const FIRST_STEPS: readonly FirstStep[] = [
  { word: 'servers.empty-label', icon: Tags },
  { word: 'servers.empty-run', icon: SquareTerminal },
  { word: 'servers.empty-join', icon: Server },
];

export function ServersScreen() {
  const { userAcl } = useUser();
  const mayAdd = userAcl.tokens.create;
  const mayTest = userAcl.connectionDiagnostic.create;
  const screen = useResourceScreen(SERVERS, { mayAdd });
  const { clusterId, address, rows } = screen;
  const { open, start } = screen.actions;
  const [memory, onConnect] = useLoginMemory();
  const connecting = useMemo<Connecting>(
    () => ({ memory, onConnect, ...(mayTest ? { onTest: (node) => open(node.id, 'test') } : {}) }),
    [memory, onConnect, mayTest, open],
  );
  const columns = useServerColumns(screen, connecting);
  const empty = <EmptyList screen={screen} icon={Server} steps={FIRST_STEPS} />;
  return (
    <ResourceFrame
      screen={screen}
      allWords={useSignInWords(clusterId)}
      tools={
        <div className={styles.toolsEnd}>
          <ServerCounts clusterId={clusterId} shown={address.status} onShow={screen.actions.showOnly} />
          <Freshness updatedAt={rows.updatedAt} isFetching={rows.isFetching} onRefresh={rows.refresh} />
          <QuickConnect clusterId={clusterId} memory={memory} onConnect={onConnect} />
        </div>
      }
      panel={({ name: id, ...opened }) => (
        <ServerPanel
          {...opened}
          id={id}
          known={knownServer(screen, id)}
          connecting={connecting}
          onEdit={() => start('edit')}
        />
      )}
    >
      <ResourceTable
        screen={screen}
        columns={columns}
        empty={empty}
        keys={{ act: 'servers.key-connect', login: 'servers.key-login', quick: 'servers.key-quick' }}
      />
      {address.doing === 'edit' && address.open !== undefined && userAcl.nodes.edit && (
        <Suspense>
          <EditServerDialog clusterId={clusterId} id={address.open} onClose={() => start(undefined)} />
        </Suspense>
      )}
    </ResourceFrame>
  );
}

const ServerPanel = lazyPart(
  () => import('./panel/server-panel.tsx').then((file) => file.ServerPanel),
  ['server-panel', 'connection-steps', 'access', 'webauthn'],
);
const EditServerDialog = lazyPart(
  () => import('./edit/edit-server-dialog.tsx').then((file) => file.EditServerDialog),
  ['edit-server', 'add-server'],
);

function knownServer<T>({ rows: { source } }: ResourceScreen<T>, id: string): T | undefined {
  const index = source.indexOf(id);
  return index === undefined ? undefined : source.rowAt(index);
}
