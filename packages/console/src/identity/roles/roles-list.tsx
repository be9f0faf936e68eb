/** The list of roles. */
import type { RoleItem } from '@gatehouse/contract/access/roles/roles';
import { Button } from '@gatehouse/design/button';
import { EmptyState } from '@gatehouse/design/empty-state';
import { Table } from '@gatehouse/design/table';
import { TableFoot } from '@gatehouse/design/table-foot';
import { useKey } from '@gatehouse/design/use-key';
import Plus from 'lucide-react/icons/plus';
import SearchX from 'lucide-react/icons/search-x';
import ShieldCheck from 'lucide-react/icons/shield-check';
import { usePreference } from '../../platform/browser/preferences.ts';
import { useTranslate } from '../../platform/i18n/words.ts';
import { useUser } from '../../platform/sign-in/user.ts';
import { capture } from '../../platform/telemetry/usage.ts';
import { ListFrame } from '../../shared/resource-list/list-frame.tsx';
import { LIST_KEYS } from '../../shared/resource-list/list-keys.ts';
import type { ListActions, ListAddress } from '../../shared/resource-list/list-search-params.ts';
import { SearchField } from '../../shared/resource-list/search-field.tsx';
import { type RowRules, useShownRows } from '../../shared/resource-list/use-shown-rows.ts';
import styles from './roles.module.css';

export interface RoleRow extends RoleItem {
  description: string | undefined;
  /** Unknown for those who may not list users. */
  holders: readonly string[] | undefined;
}

const RULES: RowRules<RoleRow> = {
  texts: ({ name, description = '' }) => [name, description],
  sortValues: { name: ({ name }) => name, holders: ({ holders }) => holders?.length },
};

interface RolesListProps {
  rows: readonly RoleRow[];
  query: { isPending: boolean; isFetching: boolean };
  address: ListAddress;
  actions: ListActions;
}

export function RolesList({ rows, query, address, actions }: RolesListProps) {
  const t = useTranslate();
  const { userAcl } = useUser();
  const { shown, found, showMore } = useShownRows(rows, address.search, address.sort, RULES);
  const [shortcuts] = usePreference('shortcuts');
  const mayCreate = userAcl.roles.create;
  const startNew = () => {
    capture({ event: 'tp.ui.createNewRole.click' });
    actions.start('new');
  };
  useKey(['n'], startNew, mayCreate && shortcuts !== 'off');
  const newButton = mayCreate && (
    <Button tone="primary" icon={Plus} onClick={startNew}>
      {t('roles.new')}
    </Button>
  );
  return (
    <ListFrame
      title={t('pages.roles')}
      meta={!query.isPending && t('roles.count', { count: rows.length })}
      actions={newButton}
      tools={<SearchField label={t('roles.search')} value={address.search} onSearch={actions.searchFor} />}
    >
      <Table
        label={t('pages.roles')}
        rows={shown}
        rowKey={({ name }) => name}
        sort={address.sort}
        onSortChange={actions.sortBy}
        onOpenRow={({ name }) => actions.openRow(name)}
        loading={query.isPending}
        refreshing={query.isFetching}
        empty={
          address.search === '' ? (
            <EmptyState icon={ShieldCheck} title={t('roles.empty')} actions={newButton}>
              {t('roles.empty-text')}
            </EmptyState>
          ) : (
            <EmptyState
              icon={SearchX}
              title={t('roles.no-match', { search: address.search })}
              actions={<Button onClick={() => actions.searchFor('')}>{t('access.clear-search')}</Button>}
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
        columns={[
          { id: 'name', title: t('roles.name'), sortKey: 'name', width: '26%', cell: ({ name }) => name },
          {
            id: 'description',
            title: t('roles.description'),
            card: 'wide',
            cell: ({ description }) => <span title={description}>{description}</span>,
          },
          {
            id: 'holders',
            title: t('roles.held'),
            sortKey: 'holders',
            width: '18%',
            card: 'end',
            cell: ({ holders }) =>
              holders && <span title={holders.join(', ')}>{t('roles.people', { count: holders.length })}</span>,
          },
        ]}
      />
      <TableFoot
        keys={[
          { keys: LIST_KEYS.move, word: t('access.key-move') },
          { keys: LIST_KEYS.act, word: t('access.key-open') },
          ...(mayCreate ? [{ keys: LIST_KEYS.create, word: t('roles.key-new') }] : []),
          { keys: LIST_KEYS.all, word: t('access.key-all') },
        ]}
      >
        {t('access.shown', { shown: shown.length, found })}
      </TableFoot>
    </ListFrame>
  );
}
