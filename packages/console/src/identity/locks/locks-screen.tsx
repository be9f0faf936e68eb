/** Locks: who and what may not be used now, why and until when; made and lifted here. */

import type { LockItem, LockTarget } from '@gatehouse/contract/access/locks/locks';
import type { KindLockTarget } from '@gatehouse/contract/kinds/kinds';
import { formatDateTime } from '@gatehouse/contract/std/dates';
import { Button } from '@gatehouse/design/button';
import { EmptyState } from '@gatehouse/design/empty-state';
import { Icon, type IconComponent } from '@gatehouse/design/icon';
import { Table } from '@gatehouse/design/table';
import { TableFoot } from '@gatehouse/design/table-foot';
import { useKey } from '@gatehouse/design/use-key';
import Bot from 'lucide-react/icons/bot';
import LockIcon from 'lucide-react/icons/lock';
import SearchX from 'lucide-react/icons/search-x';
import ShieldCheck from 'lucide-react/icons/shield-check';
import SquareUser from 'lucide-react/icons/square-user';
import UserRound from 'lucide-react/icons/user-round';
import { useState } from 'react';
import { usePreference } from '../../platform/browser/preferences.ts';
import { actorWords } from '../../platform/i18n/actor-words.ts';
import { t as anyWords, useTranslate } from '../../platform/i18n/words.ts';
import { type SearchTexts, useSearch } from '../../platform/routing/routing.tsx';
import { useUser } from '../../platform/sign-in/user.ts';
import { useLocks } from '../../shared/access-questions/access-queries.ts';
import { kindRows, useKinds } from '../../shared/kinds/kinds-context.tsx';
import { LiftDialog } from '../../shared/locking/lift-dialog.tsx';
import { LockDialog } from '../../shared/locking/lock-dialog.tsx';
import { type Target, targetOf } from '../../shared/locking/lock-words.ts';
import { ListFrame } from '../../shared/resource-list/list-frame.tsx';
import { LIST_KEYS } from '../../shared/resource-list/list-keys.ts';
import { useListAddress } from '../../shared/resource-list/list-search-params.ts';
import { SearchField } from '../../shared/resource-list/search-field.tsx';
import { type RowRules, useShownRows } from '../../shared/resource-list/use-shown-rows.ts';
import styles from './locks.module.css';

const ICONS: Record<Exclude<LockTarget, KindLockTarget>, IconComponent> = {
  user: UserRound,
  role: ShieldCheck,
  login: SquareUser,
  agent: Bot,
};

const OTHER_ICONS: ReadonlyMap<string, IconComponent> = new Map(Object.entries(ICONS));

function useTargetIcon(): (target: LockTarget) => IconComponent {
  const rows = kindRows(useKinds());
  return (target) =>
    rows.find(({ facts }) => facts.lockTarget === target)?.row.icon ?? OTHER_ICONS.get(target) ?? LockIcon;
}

const RULES: RowRules<LockItem> = {
  texts: (lock) => [targetOf(lock).name, targetOf(lock).kind, lock.message, actorWords(anyWords, lock.createdBy)],
  sortValues: {
    target: (lock) => targetOf(lock).name,
    made: ({ createdAt }) => Date.parse(createdAt),
    until: ({ expires }) => (expires === '' ? undefined : Date.parse(expires)),
  },
};

export function LocksScreen() {
  const t = useTranslate();
  const { userAcl } = useUser();
  const [address, { searchFor, sortBy, start }] = useListAddress(['target', 'made', 'until']);
  const [somebody, set] = useSearch(parseSomebody);
  const locks = useLocks();
  const { shown, found } = useShownRows(locks.data ?? NONE, address.search, address.sort, RULES);
  const [lifting, setLifting] = useState<LockItem>();
  const [shortcuts] = usePreference('shortcuts');
  const iconOf = useTargetIcon();
  const mayLock = userAcl.locks.create;
  const mayLift = userAcl.locks.remove;
  useKey(['n'], () => start('new'), mayLock && shortcuts !== 'off');
  if (locks.isError && !locks.data) throw locks.error;

  const newButton = mayLock && (
    <Button tone="primary" icon={LockIcon} onClick={() => start('new')}>
      {t('locks.new')}
    </Button>
  );
  return (
    <ListFrame
      title={t('pages.locks')}
      meta={locks.data && t('locks.count', { count: locks.data.length })}
      actions={(locks.data?.length ?? 0) > 0 && newButton}
      tools={<SearchField label={t('locks.search')} value={address.search} onSearch={searchFor} />}
    >
      <Table
        label={t('pages.locks')}
        rows={shown}
        rowKey={({ name }) => name}
        sort={address.sort}
        onSortChange={sortBy}
        loading={locks.isPending}
        refreshing={locks.isFetching}
        empty={
          address.search === '' ? (
            <EmptyState icon={LockIcon} title={t('locks.empty')} actions={newButton}>
              {t('locks.empty-text')}
            </EmptyState>
          ) : (
            <EmptyState
              icon={SearchX}
              title={t('locks.no-match', { search: address.search })}
              actions={<Button onClick={() => searchFor('')}>{t('access.clear-search')}</Button>}
            />
          )
        }
        columns={[
          {
            id: 'target',
            title: t('locks.target'),
            sortKey: 'target',
            width: '26%',
            cell: (lock) => {
              const { kind, name } = targetOf(lock);
              return (
                <span className={styles.target}>
                  <Icon of={iconOf(kind)} size={14} label={t(`locks.kind-${kind}`)} />
                  {name}
                </span>
              );
            },
          },
          { id: 'reason', title: t('locks.reason'), cell: ({ message }) => <span title={message}>{message}</span> },
          {
            id: 'made',
            title: t('locks.made'),
            sortKey: 'made',
            width: '24%',
            cell: ({ createdAt, createdBy }) =>
              t('locks.made-cell', { time: formatDateTime(createdAt), by: actorWords(t, createdBy) }),
          },
          {
            id: 'until',
            title: t('locks.ends'),
            sortKey: 'until',
            width: '18%',
            cell: ({ expires }) =>
              expires === '' ? <span className={styles.faint}>{t('locks.when-lifted')}</span> : formatDateTime(expires),
          },
          {
            id: 'lift',
            title: t('locks.lift'),
            titleHidden: true,
            align: 'end',
            width: '100px',
            card: 'action',
            overflow: 'visible',
            cell: (lock) =>
              mayLift && (
                <Button
                  size="small"
                  aria-label={t('locks.lift-name', { name: targetOf(lock).name })}
                  onClick={() => setLifting(lock)}
                >
                  {t('locks.lift')}
                </Button>
              ),
          },
        ]}
      />
      <TableFoot
        keys={[
          ...(mayLock ? [{ keys: LIST_KEYS.create, word: t('locks.key-new') }] : []),
          { keys: LIST_KEYS.all, word: t('access.key-all') },
        ]}
      >
        {t('access.shown', { shown: shown.length, found })}
      </TableFoot>
      {address.doing === 'new' && mayLock && (
        <LockDialog
          {...(somebody ? { target: somebody } : {})}
          onClose={() => set({ do: undefined, user: undefined })}
        />
      )}
      {lifting && <LiftDialog lock={lifting} onClose={() => setLifting(undefined)} />}
    </ListFrame>
  );
}

/** Whom a link wants to be locked, such as one from the palette. */
function parseSomebody({ user }: SearchTexts): Target | undefined {
  return user ? { kind: 'user', name: user } : undefined;
}

const NONE: readonly LockItem[] = [];
