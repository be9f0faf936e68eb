/** Which cluster the user looks at, and the way to another one. */

import { clusterRoutes } from '@gatehouse/contract/console/clusters';
import { PAGES, pagePath } from '@gatehouse/contract/console/pages';
import { Icon } from '@gatehouse/design/icon';
import { Menu, MenuChoice } from '@gatehouse/design/menu';
import { StatusDot } from '@gatehouse/design/status-dot';
import { VisuallyHidden } from '@gatehouse/design/visually-hidden';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import ChevronsUpDown from 'lucide-react/icons/chevrons-up-down';
import { useSyncExternalStore } from 'react';
import { useBrowser } from '../../platform/browser/browser-services.tsx';
import { useApi } from '../../platform/browser/use-api.ts';
import { useTranslate } from '../../platform/i18n/words.ts';
import { useCurrentPage } from '../../platform/routing/routing.tsx';
import styles from './top-bar.module.css';
import { useClusterId } from './use-cluster-id.ts';

const CLUSTERS_FRESH_MS = 60_000;

/** Every cluster this user can reach, by name. */
export function useClusters() {
  const api = useApi();
  return useQuery({
    queryKey: ['clusters'],
    queryFn: ({ signal }) => api(clusterRoutes.sites, {}, signal),
    select: (clusters) => clusters.toSorted((a, b) => a.name.localeCompare(b.name)),
    staleTime: CLUSTERS_FRESH_MS,
  });
}

/** Goes to the same screen of another cluster, or to that cluster's start. */
export function useSwitchCluster() {
  const page = useCurrentPage();
  const navigate = useNavigate();
  return (clusterId: string) => {
    const stays = page !== undefined && PAGES[page.name].path.endsWith(`:clusterId/${lastSegment(page.name)}`);
    void navigate({ to: pagePath(stays ? page.name : 'cluster', { clusterId }) });
  };
}

/** Deeper pages name a server or a session that the other cluster does not have. */
function lastSegment(page: keyof typeof PAGES): string {
  return PAGES[page].path.split('/').at(-1) ?? '';
}

export function ClusterPicker() {
  const t = useTranslate();
  const clusterId = useClusterId();
  const clusters = useClusters().data ?? [];
  const switchTo = useSwitchCluster();
  const stateWord = (status: string) => t(status === 'online' ? 'shell.cluster-online' : 'shell.cluster-offline');
  const status = clusters.find((cluster) => cluster.name === clusterId)?.status ?? 'online';
  const { connection } = useBrowser();
  // What was known of it before nobody answered is not known now.
  const isLost = useSyncExternalStore(connection.subscribe, connection.state) === 'lost';
  const known = clusters.some((cluster) => cluster.name === clusterId);

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
        label={t('shell.palette-clusters')}
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
