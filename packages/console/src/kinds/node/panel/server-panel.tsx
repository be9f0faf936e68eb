/** One server beside the list: what it is, what it carries, whether it can be reached, and the way to remove it. */

import type { Node } from '@gatehouse/contract/kinds/node/nodes';
import type { Label } from '@gatehouse/contract/std/labels';
import { LabelChip } from '@gatehouse/design/label-chip';
import { Notice } from '@gatehouse/design/notice';
import { Panel } from '@gatehouse/design/panel';
import { Spinner } from '@gatehouse/design/spinner';
import { TabPanel, Tabs } from '@gatehouse/design/tabs';
import { useQuery } from '@tanstack/react-query';
import { useApi } from '../../../platform/browser/use-api.ts';
import { failureWords, refusalOf } from '../../../platform/failures/failure-words.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { useUser } from '../../../platform/sign-in/user.ts';
import shared from '../../../shared/resource-panel/resource-panel.module.css';
import { useSshDoor } from '../../../shared/ssh-door/use-ssh-door.ts';
import { ConnectCell, type Connecting } from '../connect/connect-cell.tsx';
import { serverQuery } from '../server-queries.ts';
import { ChangeServer } from './change-server.tsx';
import { ServerActivity } from './server-activity.tsx';
import { ServerFacts } from './server-facts.tsx';
import { ServerWays } from './server-ways.tsx';
import { TestConnection } from './test-connection.tsx';
import { UseSsh, useSshLines } from './use-ssh.tsx';

interface ServerPanelProps {
  clusterId: string;
  id: string;
  /** As the list has it, until it is asked for. */
  known: Node | undefined;
  tab: string | undefined;
  connecting: Connecting;
  isPicked: (label: Label) => boolean;
  onPick: (label: Label) => void;
  onTab: (tab: string | undefined) => void;
  onEdit: () => void;
  onClose: () => void;
}

export function ServerPanel({ clusterId, id, known, onClose, ...rest }: ServerPanelProps) {
  const t = useTranslate();
  const api = useApi();
  const server = useQuery({ ...serverQuery(api, clusterId, id), ...(known ? { initialData: known } : {}) });
  const node = server.data;
  const isGone = refusalOf(server.error)?.code === 'not_found';
  const title = node?.hostname ?? id;
  return (
    <Panel
      label={t('server-panel.title', { server: title })}
      title={title}
      actions={node && !isGone && <ConnectCell node={node} connecting={rest.connecting} />}
      onClose={onClose}
      className={shared.panel}
    >
      {server.error && (
        <Notice tone={isGone ? 'warn' : 'bad'}>
          {isGone ? t('servers.gone', { server: title }) : failureWords(t, server.error)}
        </Notice>
      )}
      {server.isPending && !server.error && <Spinner />}
      {node && !isGone && <ServerTabs node={node} onGone={onClose} {...rest} />}
    </Panel>
  );
}

/** That of ssh is last: it is known later than the others, and moves none of them. */
const TABS = ['facts', 'test', 'ssh'] as const;

interface ServerTabsProps extends Omit<ServerPanelProps, 'clusterId' | 'id' | 'known' | 'onClose'> {
  node: Node;
  onGone: () => void;
}

function ServerTabs({ node, tab, connecting, isPicked, onPick, onTab, onEdit, onGone }: ServerTabsProps) {
  const t = useTranslate();
  const { userAcl } = useUser();
  const door = useSshDoor();
  const lines = useSshLines(node, door, connecting.memory);
  const tabs = TABS.filter(
    (each) => each === 'facts' || (each === 'test' ? userAcl.connectionDiagnostic.create : lines !== undefined),
  );
  const shown = tabs.find((each) => each === tab) ?? 'facts';
  return (
    <Tabs
      label={node.hostname}
      value={shown}
      onValueChange={(next) => onTab(next === 'facts' ? undefined : next)}
      tabs={tabs.map((value) => ({ value, label: t(`server-panel.tab-${value}`) }))}
    >
      <TabPanel value="facts" className={shared.tab}>
        <ServerFacts node={node} />
        <ServerWays node={node} memory={connecting.memory} />
        <section>
          <h3 className={shared.heading}>{t('servers.labels')}</h3>
          <div className={shared.labels}>
            {node.tags.map((label) => (
              <LabelChip key={label.name} {...label} active={isPicked(label)} onClick={() => onPick(label)} />
            ))}
            {node.tags.length === 0 && <span className={shared.faint}>{t('server-panel.no-labels')}</span>}
          </div>
        </section>
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
    </Tabs>
  );
}
