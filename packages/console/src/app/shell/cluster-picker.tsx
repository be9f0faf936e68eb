/** Which cluster the user looks at, and the way to another one. */

import { Icon } from '@gatehouse/design/icon';
import { Menu, MenuChoice } from '@gatehouse/design/menu';
import { StatusDot } from '@gatehouse/design/status-dot';
import { VisuallyHidden } from '@gatehouse/design/visually-hidden';
import ChevronsUpDown from 'lucide-react/icons/chevrons-up-down';
import { useSyncExternalStore } from 'react';
import { useBrowser } from '../../platform/browser/browser-services.tsx';
import { useTranslate } from '../../platform/i18n/words.ts';
import { useClusters, useSwitchCluster } from '../../shared/clusters/cluster-queries.ts';
import styles from './top-bar.module.css';
import { useClusterId } from './use-cluster-id.ts';

export function ClusterPicker() {
  const t = useTranslate();
  const clusterId = useClusterId();
  const { data } = useClusters();
  const clusters = data ?? [];
  const switchTo = useSwitchCluster();
  const stateWord = (status: string) => t(status === 'online' ? 'shell.cluster-online' : 'shell.cluster-offline');
  const known = clusters.find((cluster) => cluster.name === clusterId);
  const status = known?.status ?? 'online';
  const { connection } = useBrowser();
  // What was known of it before nobody answered is not known now.
  const isLost = useSyncExternalStore(connection.subscribe, connection.state) === 'lost' || (data && !known);

  return (
    <Menu
      align="start"
      trigger={
        <button type="button" className={styles.cluster}>
          <StatusDot state={isLost ? 'off' : status === 'online' ? 'ok' : 'bad'} wordHidden>
            {isLost ? t('shell.cluster-unknown') : stateWord(status)}
          </StatusDot>
          <span className={styles.name}>{clusterId}</span>
          <VisuallyHidden>{t('shell.switch-cluster')}</VisuallyHidden>
          <Icon of={ChevronsUpDown} size={14} />
        </button>
      }
    >
      <MenuChoice
        label={t('shell.clusters-list')}
        value={clusterId}
        onValueChange={switchTo}
        options={[
          ...(known ? [] : [{ value: clusterId, label: clusterId }]),
          ...clusters.map(({ name, status: state }) => ({ value: name, label: name, hint: stateWord(state) })),
        ]}
      />
    </Menu>
  );
}
