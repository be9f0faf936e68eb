/** One application beside the list: what it is, how it is reached, who is told what, and the ways to change or remove it. */
import type { AppDetails } from '@gatehouse/contract/kinds/app/apps';
import type { Label } from '@gatehouse/contract/std/labels';
import { Button } from '@gatehouse/design/button';
import { CopyField } from '@gatehouse/design/copy-field';
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
import { appQuery } from '../app-queries.ts';
import { proxyCommand } from '../open/launch-path.ts';
import { OpenCell } from '../open/open-cell.tsx';
import { AppFacts } from './app-facts.tsx';
import styles from './app-panel.module.css';
import { RemoveApp } from './remove-app.tsx';
import { TestApp } from './test-app.tsx';

interface AppPanelProps {
  clusterId: string;
  name: string;
  tab: string | undefined;
  isPicked: (label: Label) => boolean;
  onPick: (label: Label) => void;
  onTab: (tab: string | undefined) => void;
  onEdit: () => void;
  onClose: () => void;
}

export function AppPanel({ clusterId, name, onClose, ...rest }: AppPanelProps) {
  const t = useTranslate();
  const api = useApi();
  const found = useQuery(appQuery(api, clusterId, name));
  const isGone = refusalOf(found.error)?.code === 'not_found';
  const details = isGone ? undefined : found.data;
  return (
    <Panel
      label={t('app-panel.title', { app: name })}
      title={name}
      actions={details && <OpenCell app={details.app} />}
      onClose={onClose}
      className={shared.panel}
    >
      {found.error && (
        <Notice tone={isGone ? 'warn' : 'bad'}>
          {isGone ? t('apps.gone', { app: name }) : failureWords(t, found.error)}
        </Notice>
      )}
      {found.isPending && <Spinner />}
      {details && <AppTabs clusterId={clusterId} details={details} onGone={onClose} {...rest} />}
    </Panel>
  );
}

interface AppTabsProps extends Omit<AppPanelProps, 'name' | 'onClose'> {
  details: AppDetails;
  onGone: () => void;
}

function AppTabs({ clusterId, details, tab, isPicked, onPick, onTab, onEdit, onGone }: AppTabsProps) {
  const t = useTranslate();
  const { userAcl } = useUser();
  const { app } = details;
  const type = app.gatehouse?.type;
  const mayTest = userAcl.connectionDiagnostic.create && type !== 'aws';
  const tabs = mayTest ? (['facts', 'test'] as const) : (['facts'] as const);
  const shown = tabs.find((each) => each === tab) ?? 'facts';
  const mayEdit = app.gatehouse?.source === 'entered' && userAcl.appServers.edit;
  return (
    <Tabs
      label={app.name}
      value={shown}
      onValueChange={(next) => onTab(next === 'facts' ? undefined : next)}
      tabs={tabs.map((value) => ({ value, label: t(`app-panel.tab-${value}`) }))}
    >
      <TabPanel value="facts" className={shared.tab}>
        {app.description && <p>{app.description}</p>}
        <AppFacts details={details} />
        <section>
          <h3 className={shared.heading}>{t('apps.labels')}</h3>
          <div className={shared.labels}>
            {app.labels.map((label) => (
              <LabelChip key={label.name} {...label} active={isPicked(label)} onClick={() => onPick(label)} />
            ))}
            {app.labels.length === 0 && <span className={shared.faint}>{t('app-panel.no-labels')}</span>}
          </div>
        </section>
        {type !== 'aws' && (
          <section>
            <h3 className={shared.heading}>{t('app-panel.command')}</h3>
            <p className={styles.lead}>{t('app-panel.command-text')}</p>
            <CopyField name={t('app-panel.command')} value={proxyCommand(app.name)} />
          </section>
        )}
        <div className={styles.ends}>
          {mayEdit && (
            <Button icon={Pencil} onClick={onEdit}>
              {t('app-panel.edit')}
            </Button>
          )}
          <RemoveApp app={app} onGone={onGone} />
        </div>
      </TabPanel>
      {mayTest && (
        <TabPanel value="test" className={shared.tab}>
          <TestApp clusterId={clusterId} details={details} />
        </TabPanel>
      )}
    </Tabs>
  );
}
