/** The columns of the table of databases: name, what it is with the marks of the way there, description, labels, the way in. */
import type { Database } from '@gatehouse/contract/kinds/db/databases';
import type { Label } from '@gatehouse/contract/std/labels';
import { ONE_LINE } from '@gatehouse/design/class-names';
import { LabelChips } from '@gatehouse/design/label-chips';
import type { Column } from '@gatehouse/design/table-head';
import { useMemo } from 'react';
import { useTranslate } from '../../platform/i18n/words.ts';
import { ConnectButton } from './connect/connect-button.tsx';
import styles from './databases.module.css';
import { ReadOnlyBadge, titleOf, WayBadges } from './db-badges.tsx';

interface ColumnOptions {
  /** Beside the details there is room for what tells one from another. */
  isNarrow: boolean;
  isPicked: (label: Label) => boolean;
  onPick: (label: Label) => void;
  onConnect: (name: string) => void;
}

export function useDatabaseColumns({ isNarrow, isPicked, onPick, onConnect }: ColumnOptions): Column<Database>[] {
  const t = useTranslate();
  return useMemo(() => {
    const columns: (Column<Database> | false)[] = [
      {
        id: 'name',
        title: t('databases.name'),
        sortKey: 'name',
        width: isNarrow ? '36%' : '20%',
        cell: (database) => (
          <span className={styles.marked} title={database.name}>
            <span className={ONE_LINE}>{database.name}</span>
            <ReadOnlyBadge database={database} />
            {isNarrow && <WayBadges database={database} />}
          </span>
        ),
      },
      !isNarrow && {
        id: 'type',
        title: t('databases.type'),
        sortKey: 'type',
        width: '26%',
        card: 'subtitle',
        cell: (database) => (
          <span className={styles.marked} title={titleOf(database)}>
            <span className={ONE_LINE}>{titleOf(database)}</span>
            <WayBadges database={database} />
          </span>
        ),
      },
      !isNarrow && {
        id: 'description',
        title: t('databases.description'),
        sortKey: 'description',
        width: '20%',
        // A card has room for two lines beside its labels.
        card: 'none',
        cell: ({ desc }) => <span title={desc}>{desc}</span>,
      },
      {
        id: 'labels',
        title: t('databases.labels'),
        card: 'wide',
        overflow: 'visible',
        cell: ({ labels }) => <LabelChips labels={labels} isActive={isPicked} onPick={onPick} />,
      },
      {
        id: 'connect',
        title: t('databases.connect'),
        titleHidden: true,
        align: 'end',
        width: '124px',
        card: 'action',
        overflow: 'visible',
        cell: (database) => <ConnectButton database={database} size="small" onConnect={onConnect} />,
      },
    ];
    return columns.filter((column) => column !== false);
  }, [t, isNarrow, isPicked, onPick, onConnect]);
}
