/** Manage Users: everybody who can sign in, with their roles, how they prove themselves and what may be done about them. */
import { formatDateTime } from '@gatehouse/contract/dates';
import { Badge } from '@gatehouse/design/badge';
import { Button } from '@gatehouse/design/button';
import { EmptyState } from '@gatehouse/design/empty-state';
import { StatusDot } from '@gatehouse/design/status-dot';
import { Table } from '@gatehouse/design/table';
import { TableFoot } from '@gatehouse/design/table-foot';
import type { Column } from '@gatehouse/design/table-head';
import { useKey } from '@gatehouse/design/use-key';
import Plus from 'lucide-react/icons/plus';
import SearchX from 'lucide-react/icons/search-x';
import UsersIcon from 'lucide-react/icons/users';
import { useMemo } from 'react';
import { useLockOuts, useLocks, useUsers } from '../access/access-queries.ts';
import { useListAddress } from '../resource-list/list-address.ts';
import { ListFrame } from '../resource-list/list-frame.tsx';
import { SearchField } from '../resource-list/search-field.tsx';
import { type RowRules, useShownRows } from '../resource-list/use-shown-rows.ts';
import { useUser } from '../sign-in/user.ts';
import { formatRelative } from '../words/formats.ts';
import { useWords } from '../words/words.ts';
import { usePreference } from '../world/preferences.ts';
import { useWorld } from '../world/world.tsx';
import { NewUserDialog } from './new-user-dialog.tsx';
import { RoleChips } from './role-chips.tsx';
import { factorWords, rowsOf, STATE_DOTS, stateOf, typeWords, type UserRow } from './user-facts.ts';
import { UserPanel } from './user-panel.tsx';
import styles from './users.module.css';

const RULES: RowRules<UserRow> = {
  texts: ({ name, roles, authType }) => [name, ...roles, authType],
  sortValues: {
    name: ({ name }) => name,
    roles: ({ roles }) => roles.join(' '),
    type: ({ authType }) => authType,
    factors: ({ factors }) => factors?.length,
    state: (row) => stateOf(row),
    last: ({ lastSignIn }) => (lastSignIn === undefined ? undefined : Date.parse(lastSignIn)),
  },
};

export function UsersScreen() {
  const t = useWords();
  const { userAcl } = useUser();
  const [address, { searchFor, sortBy, openRow, showTab, start }] = useListAddress([
    'name',
    'roles',
    'type',
    'factors',
    'state',
    'last',
  ]);
  const users = useUsers();
  const locks = useLocks().data;
  const lockOuts = useLockOuts().data;
  const rows = useMemo(() => rowsOf(users.data ?? [], locks ?? [], lockOuts ?? []), [users.data, locks, lockOuts]);
  const { shown, found, showMore } = useShownRows(rows, address.search, address.sort, RULES);
  // Beside the details there is room for what tells one user from another.
  const columns = useColumns().filter(({ id }) => address.open === undefined || !['type', 'factors'].includes(id));
  const [shortcuts] = usePreference('shortcuts');
  const mayCreate = userAcl.users.create;
  useKey(['n'], () => start('new'), mayCreate && shortcuts !== 'off');
  // What failed is the whole screen: the shell shows it and offers another try.
  if (users.isError && !users.data) throw users.error;

  const open = address.open === undefined ? undefined : rows.find(({ name }) => name === address.open);
  const newButton = mayCreate && (
    <Button tone="primary" icon={Plus} onClick={() => start('new')}>
      {t('users.new')}
    </Button>
  );
  return (
    <ListFrame
      title={t('pages.users')}
      meta={
        users.data &&
        (address.search === ''
          ? t('users.count', { count: rows.length })
          : t('users.count-found', { count: rows.length, found }))
      }
      actions={newButton}
      tools={<SearchField label={t('users.search')} value={address.search} onSearch={searchFor} />}
      panel={
        open && (
          <UserPanel key={open.name} row={open} tab={address.tab} onTab={showTab} onClose={() => openRow(undefined)} />
        )
      }
    >
      <Table
        label={t('pages.users')}
        columns={columns}
        rows={shown}
        rowKey={({ name }) => name}
        sort={address.sort}
        onSortChange={sortBy}
        onOpenRow={({ name }) => openRow(name)}
        isCurrent={({ name }) => name === address.open}
        loading={users.isPending}
        refreshing={users.isFetching}
        empty={
          address.search === '' ? (
            <EmptyState icon={UsersIcon} title={t('users.empty')} actions={newButton}>
              {t('users.empty-text')}
            </EmptyState>
          ) : (
            <EmptyState
              icon={SearchX}
              title={t('users.no-match', { search: address.search })}
              actions={<Button onClick={() => searchFor('')}>{t('access.clear-search')}</Button>}
            />
          )
        }
        after={
          showMore && (
            <div className={styles.after}>
              <Button onClick={showMore}>{t('access.show-more')}</Button>
            </div>
          )
        }
      />
      <TableFoot
        keys={[
          { keys: ['J', 'K'], word: t('access.key-move') },
          { keys: ['↵'], word: t('access.key-open') },
          ...(mayCreate ? [{ keys: ['N'], word: t('users.key-new') }] : []),
          { keys: ['?'], word: t('access.key-all') },
        ]}
      >
        {t('access.shown', { shown: shown.length, found })}
      </TableFoot>
      {address.doing === 'new' && mayCreate && <NewUserDialog onClose={() => start(undefined)} />}
    </ListFrame>
  );
}

function useColumns(): Column<UserRow>[] {
  const t = useWords();
  const { now } = useWorld();
  const { userName } = useUser();
  return [
    {
      id: 'name',
      title: t('users.name'),
      sortKey: 'name',
      width: '22%',
      cell: ({ name }) => (
        <span className={styles.named}>
          <span className={styles.name}>{name}</span>
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
      cell: ({ roles }) => <RoleChips roles={roles} />,
    },
    { id: 'type', title: t('users.type'), sortKey: 'type', card: 'subtitle', cell: (row) => typeWords(t, row) },
    {
      id: 'factors',
      title: t('users.factors'),
      sortKey: 'factors',
      cell: (row) =>
        row.factors?.length === 0 && !row.invited ? (
          <span className={styles.warn}>{factorWords(t, row)}</span>
        ) : (
          factorWords(t, row)
        ),
    },
    {
      id: 'state',
      title: t('users.state'),
      sortKey: 'state',
      width: '12%',
      card: 'end',
      cell: (row) => <StatusDot state={STATE_DOTS[stateOf(row)]}>{t(`users.state-${stateOf(row)}`)}</StatusDot>,
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
}
