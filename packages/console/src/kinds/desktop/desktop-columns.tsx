/** The columns of the table of desktops: name, address, as whom, labels, whether it can be reached, the way in. */
import type { Desktop } from '@gatehouse/contract/kinds/desktop/desktops';
import { ONE_LINE } from '@gatehouse/design/class-names';
import type { Column } from '@gatehouse/design/table-head';
import { useMemo } from 'react';
import { useTranslate } from '../../platform/i18n/words.ts';
import { connectColumn, type ListedOn, labelsColumn } from '../../shared/resource-list/resource-columns.tsx';
import { ConnectCell } from './connect/connect-cell.tsx';
import type { Connecting } from './connect/desktop-logins.ts';
import { DesktopStatus } from './desktop-status.tsx';
import styles from './desktops.module.css';

export function useDesktopColumns({ isNarrow, isPicked, onPick }: ListedOn, connecting: Connecting): Column<Desktop>[] {
  const t = useTranslate();
  return useMemo(() => {
    const columns: (Column<Desktop> | false)[] = [
      {
        id: 'name',
        title: t('desktops.name'),
        sortKey: 'name',
        ...(isNarrow ? {} : { width: '20%' }),
        cell: ({ name }) => (
          <span className={ONE_LINE} title={name}>
            {name}
          </span>
        ),
      },
      !isNarrow && {
        id: 'address',
        title: t('desktops.address'),
        sortKey: 'address',
        width: '18%',
        card: 'subtitle',
        cell: ({ addr }) => {
          const address = addr.replace(/:3389$/, '');
          return (
            <code className={`${ONE_LINE} ${styles.address}`} title={addr}>
              {address}
            </code>
          );
        },
      },
      !isNarrow && labelsColumn(t('desktops.labels'), ({ labels }) => labels, { isPicked, onPick }),
      {
        id: 'status',
        title: t('desktops.status'),
        width: '190px',
        card: 'end',
        cell: (desktop) => <DesktopStatus desktop={desktop} />,
      },
      connectColumn(t('desktops.connect'), (desktop) => <ConnectCell desktop={desktop} connecting={connecting} />),
    ];
    return columns.filter((column) => column !== false);
  }, [t, isNarrow, isPicked, onPick, connecting]);
}
