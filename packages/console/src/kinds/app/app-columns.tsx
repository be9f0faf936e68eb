/** The columns of the table of applications: name with its picture, description, address, labels, the way in. */

import type { App } from '@gatehouse/contract/kinds/app/apps';
import { classNames, ONE_LINE } from '@gatehouse/design/class-names';
import type { Column } from '@gatehouse/design/table-head';
import { useMemo } from 'react';
import { useTranslate } from '../../platform/i18n/words.ts';
import { type ListedOn, labelsColumn } from '../../shared/resource-list/resource-columns.tsx';
import { AppBadges, shownAddress } from './app-address.tsx';
import { AppPicture } from './app-picture.tsx';
import styles from './apps.module.css';
import { OpenCell } from './open/open-cell.tsx';

export function useAppColumns({ isNarrow, isPicked, onPick }: ListedOn): Column<App>[] {
  const t = useTranslate();
  return useMemo(() => {
    const columns: (Column<App> | false)[] = [
      {
        id: 'name',
        title: t('apps.name'),
        sortKey: 'name',
        width: isNarrow ? '36%' : '20%',
        cell: (app) => (
          <span className={styles.nameCell} title={app.name}>
            <AppPicture app={app} />
            <span className={ONE_LINE}>{app.name}</span>
          </span>
        ),
      },
      !isNarrow && {
        id: 'description',
        title: t('apps.description'),
        sortKey: 'description',
        width: '22%',
        cell: ({ description }) => <span title={description}>{description}</span>,
      },
      !isNarrow && {
        id: 'address',
        title: t('apps.address'),
        sortKey: 'publicAddress',
        width: '26%',
        card: 'subtitle',
        cell: (app) => (
          <span className={styles.addressCell}>
            <span className={classNames(ONE_LINE, styles.mono)} title={shownAddress(app)}>
              {shownAddress(app)}
            </span>
            <AppBadges app={app} />
          </span>
        ),
      },
      labelsColumn(t('apps.labels'), ({ labels }) => labels, { isPicked, onPick }),
      {
        id: 'open',
        title: t('apps.launch'),
        titleHidden: true,
        align: 'end',
        width: '124px',
        card: 'action',
        overflow: 'visible',
        cell: (app) => <OpenCell app={app} />,
      },
    ];
    return columns.filter((column) => column !== false);
  }, [t, isNarrow, isPicked, onPick]);
}
