/** Manage Users: everybody who can sign in, with their roles, how they prove themselves and what may be done about them. */
import { type FoundUser, USER_SORTS } from '@gatehouse/contract/identity/users/find-users';
import { Button } from '@gatehouse/design/button';
import { EmptyState } from '@gatehouse/design/empty-state';
import { Notice } from '@gatehouse/design/notice';
import { Table } from '@gatehouse/design/table';
import { TableFoot } from '@gatehouse/design/table-foot';
import type { RowSelection } from '@gatehouse/design/table-selection';
import { useKey } from '@gatehouse/design/use-key';
import Plus from 'lucide-react/icons/plus';
import SearchX from 'lucide-react/icons/search-x';
import UsersIcon from 'lucide-react/icons/users';
import { useMemo } from 'react';
import { usePreference } from '../../platform/browser/preferences.ts';
import { useTranslate } from '../../platform/i18n/words.ts';
import { useUser } from '../../platform/sign-in/user.ts';
import { useLockOuts, useLocks } from '../../shared/access-questions/access-queries.ts';
import { ListFrame } from '../../shared/resource-list/list-frame.tsx';
import { LIST_KEYS } from '../../shared/resource-list/list-keys.ts';
import { useListAddress } from '../../shared/resource-list/list-search-params.ts';
import { SearchField } from '../../shared/resource-list/search-field.tsx';
import { BulkBar } from './bulk/bulk-bar.tsx';
import { NewUserDialog } from './new-user-dialog.tsx';
import { type Selection, useSelection } from './use-selection.ts';
import { useUserColumns } from './user-columns.tsx';
import { rowsOf, type UserRow } from './user-facts.ts';
import { isNarrowed, NO_FILTER, useGivenRole, useUserFilter } from './user-filter.ts';
import { UserFilters } from './user-filters.tsx';
import { UserPanel } from './user-panel.tsx';
import { useFoundUser, useFoundUsers } from './user-queries.ts';
import styles from './users.module.css';

export function UsersScreen() {
  const t = useTranslate();
  const { create: mayCreate, edit, remove } = useUser().userAcl.users;
  const [address, { searchFor, sortBy, openRow, showTab, start }] = useListAddress(USER_SORTS);
  const [filter, narrow] = useUserFilter();
  const users = useFoundUsers(address.search, filter, address.sort);
  const first = users.data?.pages[0];
  const found = first?.totalCount ?? 0;
  const shown = useRows(useMemo(() => users.data?.pages.flatMap(({ items }) => items), [users.data]));
  const selection = useSelection(shown);
  const [given, giveNothing] = useGivenRole();
  const mayAct = edit || remove;
  const open = useOpenRow(address.open, shown, first !== undefined);
  const columns = useUserColumns({
    // Beside the details there is room for what tells one user from another.
    isNarrow: address.open !== undefined,
    role: filter.role,
    onRole: (role) => narrow({ role }),
  });
  const [shortcuts] = usePreference('shortcuts');
  useKey(['n'], () => start('new'), mayCreate && shortcuts !== 'off');
  // What failed is the whole screen: the shell shows it and offers another try.
  if (users.isError && !users.data) throw users.error;

  const isNarrow = address.search !== '' || isNarrowed(filter);
  const newButton = mayCreate && (
    <Button tone="primary" icon={Plus} onClick={() => start('new')}>
      {t('users.new')}
    </Button>
  );
  return (
    <ListFrame
      title={t('pages.users')}
      meta={
        first &&
        (isNarrow
          ? t('users.count-found', { count: first.everybody, found })
          : t('users.count', { count: first.everybody }))
      }
      actions={newButton}
      tools={
        <>
          <SearchField label={t('users.search')} value={address.search} onSearch={searchFor} />
          <UserFilters filter={filter} counts={first?.counts} onChange={narrow} />
          {given && edit && (
            <Notice className={styles.give} announce="none" onDismiss={giveNothing}>
              {t('users.give', { role: given })}
            </Notice>
          )}
        </>
      }
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
        {...(mayAct ? { selection: rowSelection(t, selection) } : {})}
        loading={users.isPending}
        refreshing={users.isFetching}
        empty={
          isNarrow ? (
            <EmptyState
              icon={SearchX}
              title={
                address.search === '' ? t('users.no-match-filter') : t('users.no-match', { search: address.search })
              }
              actions={
                <>
                  {address.search !== '' && <Button onClick={() => searchFor('')}>{t('access.clear-search')}</Button>}
                  {isNarrowed(filter) && <Button onClick={() => narrow(NO_FILTER)}>{t('users.filters-clear')}</Button>}
                </>
              }
            />
          ) : (
            <EmptyState icon={UsersIcon} title={t('users.empty')} actions={newButton}>
              {t('users.empty-text')}
            </EmptyState>
          )
        }
        after={
          users.hasNextPage && (
            <div className={styles.after}>
              <Button loading={users.isFetchingNextPage} onClick={() => void users.fetchNextPage()}>
                {t('access.show-more')}
              </Button>
            </div>
          )
        }
      />
      {selection.rows.length === 0 && (
        <TableFoot
          keys={[
            { keys: LIST_KEYS.move, word: t('access.key-move') },
            { keys: LIST_KEYS.act, word: t('access.key-open') },
            ...(mayAct ? [{ keys: LIST_KEYS.select, word: t('users.key-select') }] : []),
            ...(mayCreate ? [{ keys: LIST_KEYS.create, word: t('users.key-new') }] : []),
            { keys: LIST_KEYS.all, word: t('access.key-all') },
          ]}
        >
          {t('access.shown', { shown: shown.length, found })}
        </TableFoot>
      )}
      <BulkBar selection={selection} given={given} onGiven={giveNothing} />
      {address.doing === 'new' && mayCreate && <NewUserDialog onClose={() => start(undefined)} />}
    </ListFrame>
  );
}

/** With the locks that are on them. */
function useRows(users: readonly FoundUser[] | undefined): readonly UserRow[] {
  const locks = useLocks().data;
  const lockOuts = useLockOuts().data;
  return useMemo(() => rowsOf(users ?? [], locks ?? [], lockOuts ?? []), [users, locks, lockOuts]);
}

/** By a link somebody may be open who is not among those listed. */
function useOpenRow(name: string | undefined, shown: readonly UserRow[], isListed: boolean): UserRow | undefined {
  const listed = name === undefined ? undefined : shown.find((row) => row.name === name);
  const found = useFoundUser(isListed && !listed ? name : undefined);
  const [alone] = useRows(found ? [found] : undefined);
  return listed ?? (alone?.name === name ? alone : undefined);
}

function rowSelection(t: ReturnType<typeof useTranslate>, selection: Selection): RowSelection<UserRow> {
  return {
    isSelected: selection.has,
    onToggle: selection.toggle,
    onToggleAll: selection.toggleAll,
    label: ({ name }) => t('users.select', { user: name }),
    allLabel: t('users.select-all'),
  };
}
