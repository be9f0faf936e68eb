/** The columns of the list of clusters. */
import type { Label } from '@gatehouse/contract/std/labels';
import { Badge } from '@gatehouse/design/badge';
import { LabelChips } from '@gatehouse/design/label-chips';
import type { Column } from '@gatehouse/design/table-head';
import { useMemo } from 'react';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { ClusterState, LastSeen, ServerCount, SwitchButton } from './cluster-cells.tsx';
import type { ClusterRow } from './cluster-rows.ts';
import styles from './clusters.module.css';

interface ColumnOptions {
  /** Beside the details there is room for what tells one from another. */
  isNarrow: boolean;
  isPicked: (label: Label) => boolean;
  onPick: (label: Label) => void;
  onSwitch: (name: string) => void;
}

export function useClusterColumns({ isNarrow, isPicked, onPick, onSwitch }: ColumnOptions): Column<ClusterRow>[] {
  const t = useTranslate();
  return useMemo(() => {
    const columns: (Column<ClusterRow> | false)[] = [
      {
        id: 'name',
        title: t('clusters.name'),
        sortKey: 'name',
        width: isNarrow ? undefined : '22%',
        cell: ({ name, isOwn }) => (
          <span className={styles.named}>
            <span title={name}>{name}</span>
            {isOwn && <Badge tone="brand">{t('clusters.here')}</Badge>}
          </span>
        ),
      },
      {
        id: 'status',
        title: t('clusters.status'),
        sortKey: 'status',
        width: '168px',
        card: 'subtitle',
        cell: (row) => <ClusterState row={row} />,
      },
      {
        id: 'version',
        title: t('clusters.version'),
        sortKey: 'version',
        width: '96px',
        mono: true,
        card: 'none',
        cell: ({ version, isOlder }) => <span className={isOlder ? styles.older : undefined}>{version}</span>,
      },
      {
        id: 'seen',
        title: t('clusters.seen'),
        sortKey: 'seen',
        width: '136px',
        card: 'line',
        cell: (row) => <LastSeen row={row} />,
      },
      {
        id: 'servers',
        title: t('clusters.servers'),
        align: 'end',
        width: '92px',
        card: 'line',
        cell: (row) => <ServerCount row={row} />,
      },
      !isNarrow && {
        id: 'labels',
        title: t('clusters.labels'),
        card: 'wide',
        overflow: 'visible',
        cell: ({ labels }) => <LabelChips labels={labels} isActive={isPicked} onPick={onPick} />,
      },
      !isNarrow && {
        id: 'switch',
        title: t('clusters.switch'),
        titleHidden: true,
        align: 'end',
        width: '128px',
        card: 'action',
        overflow: 'visible',
        cell: (row) => <SwitchButton row={row} onSwitch={onSwitch} />,
      },
    ];
    return columns.filter((column) => column !== false);
  }, [t, isNarrow, isPicked, onPick, onSwitch]);
}
