/** One database beside the list: what it is, how it is reached and signed in to, what is stored for that, and the ways to change or remove it. */
import type { DatabaseDetails } from '@gatehouse/contract/kinds/db/databases';
import type { Label } from '@gatehouse/contract/std/labels';
import { Button } from '@gatehouse/design/button';
import { LabelChip } from '@gatehouse/design/label-chip';
import { Notice } from '@gatehouse/design/notice';
import { Panel } from '@gatehouse/design/panel';
import { Spinner } from '@gatehouse/design/spinner';
import { TabPanel, Tabs } from '@gatehouse/design/tabs';
import { useQuery } from '@tanstack/react-query';
import Pencil from 'lucide-react/icons/pencil';
import { useApi } from '../../../platform/browser/use-api.ts';
import { failureWords, refusalOf } from '../../../platform/failures/failure-words.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { useUser } from '../../../platform/sign-in/user.ts';
import shared from '../../../shared/resource-panel/resource-panel.module.css';
import { ConnectButton } from '../connect/connect-button.tsx';
import { databaseQuery } from '../db-queries.ts';
import { DbFacts } from './db-facts.tsx';
import styles from './db-panel.module.css';
import { RemoveDb } from './remove-db.tsx';
import { StoredPasswords } from './stored-passwords.tsx';
import { TestDb } from './test-db.tsx';

interface DbPanelProps {
  clusterId: string;
  name: string;
  tab: string | undefined;
  isPicked: (label: Label) => boolean;
  onPick: (label: Label) => void;
  onTab: (tab: string | undefined) => void;
  onConnect: (name: string) => void;
  onEdit: () => void;
  onClose: () => void;
}

export function DbPanel({ clusterId, name, onClose, ...rest }: DbPanelProps) {
  const t = useTranslate();
  const api = useApi();
  const found = useQuery(databaseQuery(api, clusterId, name));
  const isGone = refusalOf(found.error)?.code === 'not_found';
  const details = isGone ? undefined : found.data;
  return (
    <Panel
      label={t('db-panel.title', { database: name })}
      title={name}
      actions={details && <ConnectButton database={details.item} size="small" onConnect={rest.onConnect} />}
      onClose={onClose}
      className={shared.panel}
    >
      {found.error && (
        <Notice tone={isGone ? 'warn' : 'bad'}>
          {isGone ? t('databases.gone', { database: name }) : failureWords(t, found.error)}
        </Notice>
      )}
      {found.isPending && <Spinner />}
      {details && <DbTabs clusterId={clusterId} details={details} onGone={onClose} {...rest} />}
    </Panel>
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
  const isShown = { facts: true, test: userAcl.connectionDiagnostic.create, passwords: hasPasswords };
  const tabs = (['facts', 'test', 'passwords'] as const).filter((each) => isShown[each]);
  const shown = tabs.find((each) => each === tab) ?? 'facts';
  return (
    <Tabs
      label={item.name}
      value={shown}
      onValueChange={(next) => onTab(next === 'facts' ? undefined : next)}
      tabs={tabs.map((value) => ({ value, label: t(`db-panel.tab-${value}`) }))}
    >
      <TabPanel value="facts" className={shared.tab}>
        {item.desc && <p>{item.desc}</p>}
        {hasPasswords && details.stored.length === 0 && (
          <Notice tone="warn">{t('db-panel.no-passwords', { database: item.name })}</Notice>
        )}
        <DbFacts details={details} />
        <section>
          <h3 className={shared.heading}>{t('databases.labels')}</h3>
          <div className={shared.labels}>
            {item.labels.map((label) => (
              <LabelChip key={label.name} {...label} active={isPicked(label)} onClick={() => onPick(label)} />
            ))}
            {item.labels.length === 0 && <span className={shared.faint}>{t('db-panel.no-labels')}</span>}
          </div>
        </section>
        <div className={styles.ends}>
          {mayEdit && (
            <Button icon={Pencil} onClick={onEdit}>
              {t('db-panel.edit')}
            </Button>
          )}
          <RemoveDb clusterId={clusterId} database={item} onGone={onGone} />
        </div>
      </TabPanel>
      <TabPanel value="test" className={shared.tab}>
        <TestDb clusterId={clusterId} details={details} />
      </TabPanel>
      {hasPasswords && (
        <TabPanel value="passwords" className={shared.tab}>
          <StoredPasswords clusterId={clusterId} details={details} />
        </TabPanel>
      )}
    </Tabs>
  );
}
