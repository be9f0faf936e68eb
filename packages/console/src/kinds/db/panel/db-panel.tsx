/** One database beside the list: what it is, how it is reached and signed in to, what is stored for that, and the ways to change or remove it. */
import type { DatabaseDetails } from '@gatehouse/contract/kinds/db/databases';
import { Button } from '@gatehouse/design/button';
import { Notice } from '@gatehouse/design/notice';
import { TabPanel } from '@gatehouse/design/tabs';
import { useQuery } from '@tanstack/react-query';
import Pencil from 'lucide-react/icons/pencil';
import { useApi } from '../../../platform/browser/use-api.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { useUser } from '../../../platform/sign-in/user.ts';
import type { OpenResource } from '../../../shared/resource-list/resource-frame.tsx';
import shared from '../../../shared/resource-panel/resource-panel.module.css';
import { PanelEnds, PanelLabels, PanelTabs, ResourcePanel } from '../../../shared/resource-panel/resource-panel.tsx';
import { ConnectButton } from '../connect/connect-button.tsx';
import { databaseQuery } from '../db-queries.ts';
import { DbFacts } from './db-facts.tsx';
import { RemoveDb } from './remove-db.tsx';
import { StoredPasswords } from './stored-passwords.tsx';
import { TestDb } from './test-db.tsx';

interface DbPanelProps extends OpenResource {
  onConnect: (name: string) => void;
  onEdit: () => void;
}

export function DbPanel({ clusterId, name, onClose, ...rest }: DbPanelProps) {
  const t = useTranslate();
  const api = useApi();
  const found = useQuery(databaseQuery(api, clusterId, name));
  return (
    <ResourcePanel
      found={found}
      label={t('db-panel.title', { database: name })}
      title={name}
      gone={t('databases.gone', { database: name })}
      actions={({ item }) => <ConnectButton database={item} size="small" onConnect={rest.onConnect} />}
      onClose={onClose}
    >
      {(details) => <DbTabs clusterId={clusterId} details={details} onGone={onClose} {...rest} />}
    </ResourcePanel>
  );
}

interface DbTabsProps extends Omit<DbPanelProps, 'name' | 'onClose' | 'onConnect'> {
  details: DatabaseDetails;
  onGone: () => void;
}

function DbTabs({ clusterId, details, tab, isPicked, onPick, onTab, onEdit, onGone }: DbTabsProps) {
  const t = useTranslate();
  const { userAcl } = useUser();
  const { item } = details;
  const mayEdit = item.gatehouse?.source === 'entered' && userAcl.db.edit;
  const hasPasswords = mayEdit && item.gatehouse?.signIn === 'password';
  const isShown = { test: userAcl.connectionDiagnostic.create, passwords: hasPasswords };
  return (
    <PanelTabs
      label={item.name}
      tabs={['facts', ...(['test', 'passwords'] as const).filter((each) => isShown[each])]}
      word={(each) => t(`db-panel.tab-${each}`)}
      {...{ tab, onTab }}
    >
      <TabPanel value="facts" className={shared.tab}>
        {item.desc && <p>{item.desc}</p>}
        {hasPasswords && details.stored.length === 0 && (
          <Notice tone="warn">{t('db-panel.no-passwords', { database: item.name })}</Notice>
        )}
        <DbFacts details={details} />
        <PanelLabels
          heading={t('databases.labels')}
          none={t('db-panel.no-labels')}
          labels={item.labels}
          {...{ isPicked, onPick }}
        />
        <PanelEnds>
          {mayEdit && (
            <Button icon={Pencil} onClick={onEdit}>
              {t('db-panel.edit')}
            </Button>
          )}
          <RemoveDb clusterId={clusterId} database={item} onGone={onGone} />
        </PanelEnds>
      </TabPanel>
      <TabPanel value="test" className={shared.tab}>
        <TestDb clusterId={clusterId} details={details} />
      </TabPanel>
      {hasPasswords && (
        <TabPanel value="passwords" className={shared.tab}>
          <StoredPasswords clusterId={clusterId} details={details} />
        </TabPanel>
      )}
    </PanelTabs>
  );
}
