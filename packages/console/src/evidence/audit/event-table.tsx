/** The events found, as many as there are, and what stands in their place when there are none. */
import { Button } from '@gatehouse/design/button';
import { EmptyState } from '@gatehouse/design/empty-state';
import { Notice } from '@gatehouse/design/notice';
import { TableFoot } from '@gatehouse/design/table-foot';
import { VirtualTable } from '@gatehouse/design/virtual-table';
import ScrollText from 'lucide-react/icons/scroll-text';
import SearchX from 'lucide-react/icons/search-x';
import { useCallback } from 'react';
import { failureWords } from '../../platform/failures/failure-words.ts';
import { useTranslate } from '../../platform/i18n/words.ts';
import { LIST_KEYS } from '../../shared/resource-list/list-keys.ts';
import styles from './audit.module.css';
import type { AuditActions, AuditAddress } from './audit-search-params.ts';
import { useEventColumns } from './event-columns.tsx';
import type { EventRow } from './event-row.ts';
import type { useAuditLog } from './use-audit-log.ts';

interface EventTableProps {
  log: ReturnType<typeof useAuditLog>;
  address: AuditAddress;
  actions: AuditActions;
  onOpen: (row: EventRow) => void;
}

const rowKey = ({ key }: EventRow) => key;

export function EventTable({ log, address, actions, onOpen }: EventTableProps) {
  const t = useTranslate();
  const { source, rows, hasMore, error, onRange } = log.events;
  const isNarrow = address.open !== undefined;
  const openRow = useCallback((row: EventRow) => onOpen(row), [onOpen]);
  const columns = useEventColumns({ isNarrow, onOpen: openRow });
  const { fresh } = log.tail;
  const isNew = useCallback(({ raw }: EventRow) => fresh.has(raw), [fresh]);
  // Without anything to show, what failed is the whole screen: the shell shows it and offers another try.
  if (error && source.list === '' && Object.keys(address.filter).length === 0) throw error;
  return (
    <div className={styles.list}>
      {error && (
        <Notice
          tone="bad"
          className={styles.failure}
          actions={
            <Button
              size="small"
              onClick={() => void (rows.length > 0 && hasMore ? log.events.retryMore() : log.refresh())}
            >
              {t('common.try-again')}
            </Button>
          }
        >
          {failureWords(t, error)}
        </Notice>
      )}
      <VirtualTable
        label={t('pages.audit')}
        columns={columns}
        source={source}
        rowKey={rowKey}
        onRange={onRange}
        sort={{ key: 'time', direction: address.order }}
        onSortChange={actions.sortBy}
        onOpenRow={onOpen}
        isCurrent={({ key }) => key === address.open?.id}
        isNew={isNew}
        loading={log.events.isPending}
        refreshing={log.events.isFetching}
        className={styles.table}
        empty={!error && <NoEvents address={address} actions={actions} />}
      />
      <TableFoot
        keys={[
          { keys: LIST_KEYS.move, word: t('audit.key-move') },
          { keys: LIST_KEYS.act, word: t('audit.key-details') },
          { keys: LIST_KEYS.search, word: t('audit.key-search') },
          { keys: LIST_KEYS.all, word: t('audit.key-all') },
        ]}
      >
        {log.tail.isCut
          ? t('audit.cut', { count: rows.length })
          : t('audit.loaded', { count: rows.length, more: hasMore ? 'yes' : 'no' })}
      </TableFoot>
    </div>
  );
}

function NoEvents({ address, actions }: Pick<EventTableProps, 'address' | 'actions'>) {
  const t = useTranslate();
  const { search = '' } = address.filter;
  if (Object.keys(address.filter).length > 0 || address.zoom) {
    return (
      <EmptyState
        icon={SearchX}
        title={t('audit.no-match')}
        actions={
          <>
            {isOpenable(search) && (
              <Button onClick={() => actions.narrow({ search: `${search}*` }, 'push')}>
                {t('audit.search-beginning', { word: search.split(/\s+/).at(-1) ?? '' })}
              </Button>
            )}
            <Button onClick={actions.clear}>{t('audit.clear')}</Button>
          </>
        }
      >
        {t('audit.no-match-text')}
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon={ScrollText}
      title={t('audit.empty')}
      actions={<Button onClick={() => actions.pickRange('90d')}>{t('time-range.last-90d')}</Button>}
    >
      {t('audit.empty-text')}
    </EmptyState>
  );
}

/** The gateway looks for whole words unless one ends in a star, and for beginnings of three letters at least. */
function isOpenable(search: string): boolean {
  return /[^\s*]{3}$/.test(search);
}
