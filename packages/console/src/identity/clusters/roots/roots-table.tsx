/** The roots whose people come in here. */
import type { TrustedClusterItem } from '@gatehouse/contract/reach/trusted-clusters/trusted-clusters';
import { formatDate } from '@gatehouse/contract/std/dates';
import { EmptyState } from '@gatehouse/design/empty-state';
import { Table } from '@gatehouse/design/table';
import type { Sort } from '@gatehouse/design/table-head';
import Handshake from 'lucide-react/icons/handshake';
import type { ReactNode } from 'react';
import { formatNumber } from '../../../platform/i18n/formats.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import type { RowRules } from '../../../shared/resource-list/use-shown-rows.ts';
import { RootState } from './root-state.tsx';
import styles from './trust.module.css';

export const ROOT_RULES: RowRules<TrustedClusterItem> = {
  texts: ({ name, rootName = '', address = '', roleMap = [] }) => [
    name,
    rootName,
    address,
    ...roleMap.flatMap(({ remote, local }) => [remote, ...local]),
  ],
  sortValues: {
    name: ({ name }) => name,
    status: ({ status }) => status,
    joined: ({ created }) => (created === undefined ? undefined : Date.parse(created)),
  },
};

interface RootsTableProps {
  rows: readonly TrustedClusterItem[];
  isLoading: boolean;
  isFetching: boolean;
  sort: Sort;
  onSort: (sort: Sort) => void;
  onOpen: (item: TrustedClusterItem) => void;
  /** In place of rows when a search found none. */
  noMatch: ReactNode;
  join: ReactNode;
}

export function RootsTable({ rows, isLoading, isFetching, sort, onSort, onOpen, noMatch, join }: RootsTableProps) {
  const t = useTranslate();
  return (
    <Table
      label={t('trust.roots')}
      rows={rows}
      rowKey={({ name }) => name}
      sort={sort}
      onSortChange={onSort}
      onOpenRow={onOpen}
      loading={isLoading}
      refreshing={isFetching}
      empty={
        noMatch || (
          <EmptyState icon={Handshake} title={t('trust.no-roots')} actions={join}>
            {t('trust.no-roots-text')}
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
          cell: (item) => <RootState item={item} />,
        },
        {
          id: 'address',
          title: t('trust.address'),
          mono: true,
          cell: ({ address = '' }) => <span title={address}>{address}</span>,
        },
        {
          id: 'map',
          title: t('trust.map'),
          width: '150px',
          cell: ({ roleMap = [] }) =>
            roleMap.length === 0 ? (
              <span className={styles.warn}>{t('trust.map-none')}</span>
            ) : (
              t('trust.map-count', { count: roleMap.length })
            ),
        },
        {
          id: 'people',
          title: t('trust.visitors'),
          align: 'end',
          width: '100px',
          cell: ({ visitors = 0 }) => formatNumber(visitors),
        },
        {
          id: 'joined',
          title: t('trust.joined-on'),
          sortKey: 'joined',
          width: '130px',
          cell: ({ created }) => (created === undefined ? '' : formatDate(created)),
        },
      ]}
    />
  );
}
