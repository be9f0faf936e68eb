/** Manage Clusters: this one and every leaf, how each is doing, what one finds there, and the way to it. */
import type { Label } from '@gatehouse/contract/std/labels';
import { Button } from '@gatehouse/design/button';
import { EmptyState } from '@gatehouse/design/empty-state';
import { StatusDot } from '@gatehouse/design/status-dot';
import { Table } from '@gatehouse/design/table';
import { TableFoot } from '@gatehouse/design/table-foot';
import { useKey } from '@gatehouse/design/use-key';
import Plus from 'lucide-react/icons/plus';
import SearchX from 'lucide-react/icons/search-x';
import { useCallback, useMemo, useState } from 'react';
import { usePreference } from '../../platform/browser/preferences.ts';
import { useTranslate } from '../../platform/i18n/words.ts';
import { useOwnUser } from '../../platform/sign-in/user.ts';
import { useClusters, useSwitchCluster } from '../../shared/clusters/cluster-queries.ts';
import { ListFrame } from '../../shared/resource-list/list-frame.tsx';
import { LIST_KEYS } from '../../shared/resource-list/list-keys.ts';
import { useListAddress } from '../../shared/resource-list/list-search-params.ts';
import { SearchField } from '../../shared/resource-list/search-field.tsx';
import { type RowRules, useShownRows } from '../../shared/resource-list/use-shown-rows.ts';
import { LOOK_EVERY_MS, useLeaves } from './cluster-queries.ts';
import { JoinLeafDialog } from './leaves/join-leaf-dialog.tsx';
import { LabelsDialog } from './leaves/labels-dialog.tsx';
import { RemoveLeafDialog } from './leaves/remove-leaf-dialog.tsx';
import { useClusterColumns } from './list/cluster-columns.tsx';
import { ClusterPanel } from './list/cluster-panel.tsx';
import { type ClusterRow, clusterRows } from './list/cluster-rows.ts';
import styles from './list/clusters.module.css';

const RULES: RowRules<ClusterRow> = {
  texts: ({ name, labels, version }) => [name, version, ...labels.map((label) => wordOf(label))],
  sortValues: {
    name: ({ name }) => name,
    status: ({ isOwn, isOnline }) => (isOwn ? 0 : isOnline ? 1 : 2),
    version: ({ version }) => version,
    seen: ({ isOnline, lastSeen }) => (isOnline ? 0 : lastSeen === undefined ? undefined : -Date.parse(lastSeen)),
  },
};

export function ClustersScreen() {
  const t = useTranslate();
  const { userAcl, cluster: own } = useOwnUser();
  const mayJoin = userAcl.trustedClusters.create;
  const sites = useClusters({ refetchInterval: LOOK_EVERY_MS });
  const leaves = useLeaves();
  const switchTo = useSwitchCluster();
  const [address, { searchFor, sortBy, openRow, start }] = useListAddress(['name', 'status', 'version', 'seen']);
  const rows = useMemo(
    () => (sites.data && leaves.data ? clusterRows(own, sites.data, leaves.data) : NONE),
    [own, sites.data, leaves.data],
  );
  const { shown, found } = useShownRows(rows, address.search, address.sort, RULES);
  const [asking, setAsking] = useState<{ what: 'labels' | 'remove'; name: string }>();
  const [shortcuts] = usePreference('shortcuts');
  useKey(['n'], () => start('join'), mayJoin && shortcuts !== 'off');
  const open = rows.find(({ name }) => name === address.open);
  const isPicked = useCallback((label: Label) => address.search === wordOf(label), [address.search]);
  const onPick = useCallback((label: Label) => searchFor(isPicked(label) ? '' : wordOf(label)), [searchFor, isPicked]);
  const columns = useClusterColumns({ isNarrow: open !== undefined, isPicked, onPick, onSwitch: switchTo });
  if (sites.isError && !sites.data) throw sites.error;
  if (leaves.isError && !leaves.data) throw leaves.error;

  const asked = rows.find(({ name }) => name === asking?.name)?.leaf;
  const join = mayJoin && (
    <Button tone="primary" icon={Plus} onClick={() => start('join')}>
      {t('clusters.join')}
    </Button>
  );
  return (
    <ListFrame
      title={t('pages.clusters')}
      meta={rows.length > 0 && t('clusters.count', { count: rows.length - 1 })}
      actions={join}
      tools={
        <>
          <SearchField label={t('clusters.search')} value={address.search} onSearch={searchFor} />
          <States rows={rows} />
        </>
      }
      panel={
        open && (
          <ClusterPanel
            key={open.name}
            row={open}
            onSwitch={() => switchTo(open.name)}
            onLabels={() => setAsking({ what: 'labels', name: open.name })}
            onRemove={() => setAsking({ what: 'remove', name: open.name })}
            onClose={() => openRow(undefined)}
          />
        )
      }
    >
      <Table
        label={t('pages.clusters')}
        rows={shown}
        rowKey={({ name }) => name}
        sort={address.sort}
        onSortChange={sortBy}
        onOpenRow={({ name }) => openRow(name === address.open ? undefined : name)}
        isCurrent={({ name }) => name === address.open}
        loading={sites.isPending || leaves.isPending}
        refreshing={sites.isFetching || leaves.isFetching}
        columns={columns}
        empty={
          <EmptyState
            icon={SearchX}
            title={t('clusters.no-match', { search: address.search })}
            actions={<Button onClick={() => searchFor('')}>{t('clusters.clear')}</Button>}
          />
        }
      />
      <TableFoot
        keys={[
          { keys: LIST_KEYS.move, word: t('clusters.key-move') },
          { keys: LIST_KEYS.act, word: t('clusters.key-open') },
          ...(mayJoin ? [{ keys: LIST_KEYS.create, word: t('clusters.key-join') }] : []),
          { keys: LIST_KEYS.all, word: t('clusters.key-all') },
        ]}
      >
        {t('clusters.shown', { shown: shown.length, found })}
      </TableFoot>
      {address.doing === 'join' && mayJoin && <JoinLeafDialog onClose={() => start(undefined)} />}
      {asked && asking?.what === 'labels' && <LabelsDialog leaf={asked} onClose={() => setAsking(undefined)} />}
      {asked && asking?.what === 'remove' && (
        <RemoveLeafDialog leaf={asked} onClose={() => setAsking(undefined)} onDone={() => openRow(undefined)} />
      )}
    </ListFrame>
  );
}

/** How many are well, and how many not. */
function States({ rows }: { rows: readonly ClusterRow[] }) {
  const t = useTranslate();
  const leaves = rows.filter(({ isOwn }) => !isOwn);
  const away = leaves.filter(({ isOnline }) => !isOnline).length;
  if (leaves.length === 0) return null;
  return (
    <span className={styles.states}>
      <StatusDot state="ok">{t('clusters.connected-count', { count: leaves.length - away })}</StatusDot>
      {away > 0 && <StatusDot state="bad">{t('clusters.away-count', { count: away })}</StatusDot>}
    </span>
  );
}

/** As it is searched for. */
function wordOf({ name, value }: Label): string {
  return `${name}: ${value}`;
}

const NONE: readonly ClusterRow[] = [];
