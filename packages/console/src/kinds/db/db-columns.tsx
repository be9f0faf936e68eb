/** The columns of the table of databases: name, what it is with the marks of the way there, labels, how it was found, who used it last, the way in. */
import type { Database } from '@gatehouse/contract/kinds/db/databases';
import { ONE_LINE } from '@gatehouse/design/class-names';
import type { Column } from '@gatehouse/design/table-head';
import { useMemo } from 'react';
import { useTranslate } from '../../platform/i18n/words.ts';
import { LastUsed } from '../../shared/resource-list/last-used.tsx';
import { connectColumn, type ListedOn, labelsColumn } from '../../shared/resource-list/resource-columns.tsx';
import { ConnectCell } from './connect/connect-cell.tsx';
import styles from './databases.module.css';
import { ReadOnlyBadge, TlsBadge, titleOf } from './db-badges.tsx';
import { DbStatus } from './db-status.tsx';

export function useDatabaseColumns(
  { clusterId, isNarrow, isPicked, onPick }: ListedOn,
  onConnect: (name: string) => void,
): Column<Database>[] {
  const t = useTranslate();
  return useMemo(() => {
    const columns: (Column<Database> | false)[] = [
      {
        id: 'name',
        title: t('databases.name'),
        sortKey: 'name',
        width: isNarrow ? '36%' : '18%',
        cell: (database) => (
          <span className={styles.marked} title={[database.name, database.desc].filter(Boolean).join(': ')}>
            <span className={ONE_LINE}>{database.name}</span>
            <ReadOnlyBadge database={database} />
            {isNarrow && <TlsBadge database={database} />}
          </span>
        ),
      },
      !isNarrow && {
        id: 'type',
        title: t('databases.type'),
        sortKey: 'type',
        width: '20%',
        card: 'subtitle',
        cell: (database) => (
          <span className={styles.marked} title={titleOf(database)}>
            <span className={ONE_LINE}>{titleOf(database)}</span>
            <TlsBadge database={database} />
          </span>
        ),
      },
      labelsColumn(t('databases.labels'), ({ labels }) => labels, { isPicked, onPick }),
      {
        id: 'status',
        title: t('databases.status'),
        width: '200px',
        card: 'end',
        cell: (database) => <DbStatus database={database} />,
      },
      !isNarrow && {
        id: 'last-used',
        title: t('databases.last-used'),
        width: '15%',
        card: 'start',
        cell: ({ gatehouse }) => {
          const used = gatehouse?.lastUsed;
          return <LastUsed used={used && { ...used, as: used.dbUser }} />;
        },
      },
      connectColumn(t('databases.connect'), (database) => (
        <ConnectCell clusterId={clusterId} database={database} onOther={onConnect} />
      )),
    ];
    return columns.filter((column) => column !== false);
  }, [t, clusterId, isNarrow, isPicked, onPick, onConnect]);
}
