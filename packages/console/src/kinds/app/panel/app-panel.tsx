/** One application beside the list: what it is, how it is reached, who is told what, and the ways to change or remove it. */
import type { AppDetails } from '@gatehouse/contract/kinds/app/apps';
import { Button } from '@gatehouse/design/button';
import { CopyField } from '@gatehouse/design/copy-field';
import { TabPanel } from '@gatehouse/design/tabs';
import { useQuery } from '@tanstack/react-query';
import Pencil from 'lucide-react/icons/pencil';
import { useApi } from '../../../platform/browser/use-api.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { useUser } from '../../../platform/sign-in/user.ts';
import type { OpenResource } from '../../../shared/resource-list/resource-frame.tsx';
import shared from '../../../shared/resource-panel/resource-panel.module.css';
import { PanelEnds, PanelLabels, PanelTabs, ResourcePanel } from '../../../shared/resource-panel/resource-panel.tsx';
import { appQuery } from '../app-queries.ts';
import { proxyCommand } from '../open/launch-path.ts';
import { OpenCell } from '../open/open-cell.tsx';
import { AppFacts } from './app-facts.tsx';
import styles from './app-panel.module.css';
import { RemoveApp } from './remove-app.tsx';
import { TestApp } from './test-app.tsx';

interface AppPanelProps extends OpenResource {
  onEdit: () => void;
}

export function AppPanel({ clusterId, name, onClose, ...rest }: AppPanelProps) {
  const t = useTranslate();
  const api = useApi();
  const found = useQuery(appQuery(api, clusterId, name));
  return (
    <ResourcePanel
      found={found}
      label={t('app-panel.title', { app: name })}
      title={name}
      gone={t('apps.gone', { app: name })}
      actions={({ app }) => <OpenCell app={app} />}
      onClose={onClose}
    >
      {(details) => <AppTabs clusterId={clusterId} details={details} onGone={onClose} {...rest} />}
    </ResourcePanel>
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
  const mayEdit = app.gatehouse?.source === 'entered' && userAcl.appServers.edit;
  return (
    <PanelTabs
      label={app.name}
      tabs={mayTest ? ['facts', 'test'] : ['facts']}
      word={(each) => t(`app-panel.tab-${each}`)}
      {...{ tab, onTab }}
    >
      <TabPanel value="facts" className={shared.tab}>
        {app.description && <p>{app.description}</p>}
        <AppFacts details={details} />
        <PanelLabels
          heading={t('apps.labels')}
          none={t('app-panel.no-labels')}
          labels={app.labels}
          {...{ isPicked, onPick }}
        />
        {type !== 'aws' && (
          <section>
            <h3 className={shared.heading}>{t('app-panel.command')}</h3>
            <p className={styles.lead}>{t('app-panel.command-text')}</p>
            <CopyField name={t('app-panel.command')} value={proxyCommand(app.name)} />
          </section>
        )}
        <PanelEnds>
          {mayEdit && (
            <Button icon={Pencil} onClick={onEdit}>
              {t('app-panel.edit')}
            </Button>
          )}
          <RemoveApp app={app} onGone={onGone} />
        </PanelEnds>
      </TabPanel>
      {mayTest && (
        <TabPanel value="test" className={shared.tab}>
          <TestApp clusterId={clusterId} details={details} />
        </TabPanel>
      )}
    </PanelTabs>
  );
}
