/** The columns of the table of desktops: name, address, as whom, labels, whether it can be reached, the way in. */
import type { Desktop } from '@gatehouse/contract/kinds/desktop/desktops';
import type { Label } from '@gatehouse/contract/std/labels';
import { ONE_LINE } from '@gatehouse/design/class-names';
import { LabelChips } from '@gatehouse/design/label-chips';
import type { Column } from '@gatehouse/design/table-head';
import { useMemo } from 'react';
import { useTranslate } from '../../platform/i18n/words.ts';
import { ConnectCell } from './connect/connect-cell.tsx';
import type { Connecting } from './connect/desktop-logins.ts';
import { DesktopStatus } from './desktop-status.tsx';
import styles from './desktops.module.css';

interface ColumnOptions {
  /** Beside the details there is room for what tells one from another. */
  isNarrow: boolean;
  isPicked: (label: Label) => boolean;
  onPick: (label: Label) => void;
  connecting: Connecting;
}

export function useDesktopColumns({ isNarrow, isPicked, onPick, connecting }: ColumnOptions): Column<Desktop>[] {
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
      !isNarrow && {
        id: 'labels',
        title: t('desktops.labels'),
        card: 'wide',
        overflow: 'visible',
        cell: ({ labels }) => <LabelChips labels={labels} isActive={isPicked} onPick={onPick} />,
      },
      {
        id: 'status',
        title: t('desktops.status'),
        width: '190px',
        card: 'end',
        cell: (desktop) => <DesktopStatus desktop={desktop} />,
      },
      {
        id: 'connect',
        title: t('desktops.connect'),
        titleHidden: true,
        align: 'end',
        width: '136px',
        card: 'action',
        overflow: 'visible',
        cell: (desktop) => <ConnectCell desktop={desktop} connecting={connecting} />,
      },
    ];
    return columns.filter((column) => column !== false);
  }, [t, isNarrow, isPicked, onPick, connecting]);
}
