/** The leaves that joined this cluster. */
import type { RemoteCluster } from '@gatehouse/contract/reach/trusted-clusters/trusted-clusters';
import { formatDateTime } from '@gatehouse/contract/std/dates';
import { EmptyState } from '@gatehouse/design/empty-state';
import { IconButton } from '@gatehouse/design/icon-button';
import { LabelChips } from '@gatehouse/design/label-chips';
import { Menu, MenuItem } from '@gatehouse/design/menu';
import { StatusDot } from '@gatehouse/design/status-dot';
import { Table } from '@gatehouse/design/table';
import type { Sort } from '@gatehouse/design/table-head';
import Ellipsis from 'lucide-react/icons/ellipsis';
import Network from 'lucide-react/icons/network';
import Tag from 'lucide-react/icons/tag';
import Trash2 from 'lucide-react/icons/trash-2';
import type { ReactNode } from 'react';
import { asSentence } from '../../../platform/i18n/formats.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { useOwnUser } from '../../../platform/sign-in/user.ts';
import type { RowRules } from '../../../shared/resource-list/use-shown-rows.ts';
import styles from '../roots/trust.module.css';

export const LEAF_RULES: RowRules<RemoteCluster> = {
  texts: ({ name, labels, version, id }) => [
    name,
    version,
    id,
    ...Object.entries(labels).map(([label, value]) => `${label}: ${value}`),
  ],
  sortValues: {
    name: ({ name }) => name,
    status: ({ status }) => status,
    joined: ({ created }) => Date.parse(created),
  },
};

interface LeavesTableProps {
  rows: readonly RemoteCluster[];
  isLoading: boolean;
  isFetching: boolean;
  sort: Sort;
  onSort: (sort: Sort) => void;
  onLabels: (leaf: RemoteCluster) => void;
  onRemove: (leaf: RemoteCluster) => void;
  noMatch: ReactNode;
  join: ReactNode;
}

export function LeavesTable(props: LeavesTableProps) {
  const { rows, isLoading, isFetching, sort, onSort, onLabels, onRemove, noMatch, join } = props;
  const t = useTranslate();
  const { edit, remove } = useOwnUser().userAcl.trustedClusters;
  return (
    <Table
      label={t('trust.leaves')}
      rows={rows}
      rowKey={({ id }) => id}
      sort={sort}
      onSortChange={onSort}
      loading={isLoading}
      refreshing={isFetching}
      empty={
        noMatch || (
          <EmptyState icon={Network} title={t('trust.no-leaves')} actions={join}>
            {t('trust.no-leaves-text')}
          </EmptyState>
        )
      }
      columns={[
        { id: 'name', title: t('trust.name'), sortKey: 'name', width: '18%', cell: ({ name }) => name },
        {
          id: 'status',
          title: t('trust.status'),
          sortKey: 'status',
          width: '168px',
          card: 'subtitle',
          cell: ({ status, trouble }) => (
            <span className={styles.state} title={trouble && asSentence(trouble)}>
              <StatusDot state={status === 'online' ? 'ok' : 'bad'}>{t(`trust.state-${status}`)}</StatusDot>
            </span>
          ),
        },
        { id: 'version', title: t('clusters.version'), width: '110px', mono: true, cell: ({ version }) => version },
        {
          id: 'labels',
          title: t('trust.labels'),
          card: 'wide',
          overflow: 'visible',
          cell: ({ labels }) => (
            <LabelChips labels={Object.entries(labels).map(([name, value]) => ({ name, value }))} />
          ),
        },
        {
          id: 'joined',
          title: t('trust.joined-on'),
          sortKey: 'joined',
          width: '180px',
          cell: ({ created }) => formatDateTime(created),
        },
        {
          id: 'actions',
          title: t('trust.actions-title'),
          titleHidden: true,
          align: 'end',
          width: '72px',
          card: 'action',
          overflow: 'visible',
          cell: (leaf) =>
            (edit || remove) && (
              <Menu
                trigger={<IconButton icon={Ellipsis} size="small" label={t('trust.actions', { root: leaf.name })} />}
              >
                {edit && (
                  <MenuItem icon={Tag} onSelect={() => onLabels(leaf)}>
                    {t('trust.labels')}
                  </MenuItem>
                )}
                {remove && (
                  <MenuItem icon={Trash2} tone="danger" onSelect={() => onRemove(leaf)}>
                    {t('trust.remove')}
                  </MenuItem>
                )}
              </Menu>
            ),
        },
      ]}
    />
  );
}
