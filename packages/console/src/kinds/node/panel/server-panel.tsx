/** One server beside the list: what it is, what it carries, whether it can be reached, and the way to remove it. */

import type { Node } from '@gatehouse/contract/kinds/node/nodes';
import { TabPanel } from '@gatehouse/design/tabs';
import { useQuery } from '@tanstack/react-query';
import { useApi } from '../../../platform/browser/use-api.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { useUser } from '../../../platform/sign-in/user.ts';
import type { OpenResource } from '../../../shared/resource-list/resource-frame.tsx';
import shared from '../../../shared/resource-panel/resource-panel.module.css';
import { PanelLabels, PanelTabs, ResourcePanel } from '../../../shared/resource-panel/resource-panel.tsx';
import { useSshDoor } from '../../../shared/ssh-door/use-ssh-door.ts';
import { ConnectCell, type Connecting } from '../connect/connect-cell.tsx';
import { serverQuery } from '../server-queries.ts';
import { ChangeServer } from './change-server.tsx';
import { ServerActivity } from './server-activity.tsx';
import { ServerFacts } from './server-facts.tsx';
import { ServerWays } from './server-ways.tsx';
import { TestConnection } from './test-connection.tsx';
import { UseSsh, useSshLines } from './use-ssh.tsx';

interface ServerPanelProps extends Omit<OpenResource, 'name'> {
  id: string;
  /** As the list has it, until it is asked for. */
  known: Node | undefined;
  connecting: Connecting;
  onEdit: () => void;
}

export function ServerPanel({ clusterId, id, known, onClose, ...rest }: ServerPanelProps) {
  const t = useTranslate();
  const api = useApi();
  const server = useQuery({ ...serverQuery(api, clusterId, id), ...(known ? { initialData: known } : {}) });
  const title = server.data?.hostname ?? id;
  return (
    <ResourcePanel
      found={server}
      label={t('server-panel.title', { server: title })}
      title={title}
      gone={t('servers.gone', { server: title })}
      actions={(node) => <ConnectCell node={node} connecting={rest.connecting} />}
      onClose={onClose}
    >
      {(node) => <ServerTabs node={node} onGone={onClose} {...rest} />}
    </ResourcePanel>
  );
}

interface ServerTabsProps extends Omit<ServerPanelProps, 'clusterId' | 'id' | 'known' | 'onClose'> {
  node: Node;
  onGone: () => void;
}

function ServerTabs({ node, tab, connecting, isPicked, onPick, onTab, onEdit, onGone }: ServerTabsProps) {
  const t = useTranslate();
  const { userAcl } = useUser();
  const door = useSshDoor();
  const lines = useSshLines(node, door, connecting.memory);
  const isShown = { test: userAcl.connectionDiagnostic.create, ssh: lines !== undefined };
  return (
    <PanelTabs
      label={node.hostname}
      // That of ssh is last: it is known later than the others, and moves none of them.
      tabs={['facts', ...(['test', 'ssh'] as const).filter((each) => isShown[each])]}
      word={(each) => t(`server-panel.tab-${each}`)}
      {...{ tab, onTab }}
    >
      <TabPanel value="facts" className={shared.tab}>
        <ServerFacts node={node} />
        <ServerWays node={node} memory={connecting.memory} />
        <PanelLabels
          heading={t('servers.labels')}
          none={t('server-panel.no-labels')}
          labels={node.tags}
          {...{ isPicked, onPick }}
        />
        <ServerActivity node={node} />
        <ChangeServer node={node} onEdit={onEdit} onGone={onGone} />
      </TabPanel>
      <TabPanel value="test" className={shared.tab}>
        <TestConnection node={node} memory={connecting.memory} />
      </TabPanel>
      {lines && (
        <TabPanel value="ssh" className={shared.tab}>
          <UseSsh lines={lines} fingerprint={door?.fingerprint} />
        </TabPanel>
      )}
    </PanelTabs>
  );
}
