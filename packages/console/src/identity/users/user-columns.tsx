/** What the list of users shows of each. */

import { isWithoutFactor } from '@gatehouse/contract/identity/users/find-users';
import { formatDateTime } from '@gatehouse/contract/std/dates';
import { Badge } from '@gatehouse/design/badge';
import { ONE_LINE } from '@gatehouse/design/class-names';
import { StatusDot } from '@gatehouse/design/status-dot';
import type { Column } from '@gatehouse/design/table-head';
import { useBrowser } from '../../platform/browser/browser-services.tsx';
import { formatRelative } from '../../platform/i18n/formats.ts';
import { useTranslate } from '../../platform/i18n/words.ts';
import { useUser } from '../../platform/sign-in/user.ts';
import { RoleChips } from './role-chips.tsx';
import { factorWords, STATE_DOTS, typeWords, type UserRow } from './user-facts.ts';
import styles from './users.module.css';

interface ColumnsProps {
  isNarrow: boolean;
  /** The one the list is narrowed to. */
  role: string | undefined;
  onRole: (role: string | undefined) => void;
}

export function useUserColumns({ isNarrow, role: wanted, onRole }: ColumnsProps): Column<UserRow>[] {
  const t = useTranslate();
  const { now } = useBrowser();
  const { userName } = useUser();
  const columns: Column<UserRow>[] = [
    {
      id: 'name',
      title: t('users.name'),
      sortKey: 'name',
      // One column takes what is left: otherwise the boxes would.
      ...(isNarrow ? {} : { width: '22%' }),
      cell: ({ name }) => (
        <span className={styles.named}>
          <span className={ONE_LINE}>{name}</span>
          {name === userName && <Badge tone="brand">{t('users.you')}</Badge>}
        </span>
      ),
    },
    {
      id: 'roles',
      title: t('users.roles'),
      sortKey: 'roles',
      width: '26%',
      card: 'wide',
      cell: ({ roles }) => (
        <RoleChips roles={roles} wanted={wanted} onRole={(role) => onRole(role === wanted ? undefined : role)} />
      ),
    },
    { id: 'type', title: t('users.type'), sortKey: 'type', card: 'subtitle', cell: (row) => typeWords(t, row) },
    {
      id: 'factors',
      title: t('users.factors'),
      sortKey: 'factors',
      cell: (row) =>
        isWithoutFactor(row) ? <span className={styles.warn}>{factorWords(t, row)}</span> : factorWords(t, row),
    },
    {
      id: 'state',
      title: t('users.state'),
      sortKey: 'state',
      width: '12%',
      card: 'end',
      cell: ({ state }) => <StatusDot state={STATE_DOTS[state]}>{t(`users.state-${state}`)}</StatusDot>,
    },
    {
      id: 'last',
      title: t('users.last-sign-in'),
      sortKey: 'last',
      width: '14%',
      cell: ({ lastSignIn }) =>
        lastSignIn === undefined ? (
          <span className={styles.faint}>{t('users.never')}</span>
        ) : (
          <span title={formatDateTime(lastSignIn)}>{formatRelative(Date.parse(lastSignIn), now())}</span>
        ),
    },
  ];
  return columns.filter(({ id }) => !isNarrow || !['type', 'factors'].includes(id));
}
