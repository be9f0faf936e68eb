/** The folder one is in: its files as rows, or why there are none. */
import type { FileEntry } from '@gatehouse/contract/kinds/node/files/files';
import { shownName } from '@gatehouse/contract/kinds/node/files/paths';
import { Button } from '@gatehouse/design/button';
import { EmptyState } from '@gatehouse/design/empty-state';
import { Notice } from '@gatehouse/design/notice';
import type { Sort } from '@gatehouse/design/table-head';
import { TextButton } from '@gatehouse/design/text-link';
import { type RowSource, VirtualTable } from '@gatehouse/design/virtual-table';
import CloudOff from 'lucide-react/icons/cloud-off';
import FolderOpen from 'lucide-react/icons/folder-open';
import Lock from 'lucide-react/icons/lock';
import { useMemo, useState } from 'react';
import { failureWords, refusalOf } from '../../../platform/failures/failure-words.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { type FileActions, useFileColumns } from './file-columns.tsx';
import styles from './files.module.css';
import { type FilesView, shownEntries } from './files-location.ts';

interface FilesListProps {
  view: FilesView;
  hidden: boolean;
  isNarrow: boolean;
  renaming: string | undefined;
  actions: FileActions;
  onOpen: (entry: FileEntry) => void;
  onSelectAll: (names: ReadonlySet<string>) => void;
  onAgain: () => void;
  onHome: () => void;
  onShowHidden: () => void;
}

const nameOf = ({ name }: FileEntry) => name;
const noRange = () => undefined;

export function FilesList(props: FilesListProps) {
  const { view, hidden, isNarrow, renaming, actions, onOpen, onAgain, onHome } = props;
  const t = useTranslate();
  const [sort, setSort] = useState<Sort>({ key: 'name', direction: 'asc' });
  const { listing, selected, error, path = '/' } = view;
  const entries = useMemo(() => shownEntries(listing?.entries ?? [], { sort, hidden }), [listing, sort, hidden]);
  const source = useMemo(() => sourceOf(listing?.path ?? '', entries), [listing, entries]);
  const columns = useFileColumns({ actions, isNarrow, selected, renaming });

  if (error !== undefined) {
    const isDenied = refusalOf(error)?.code === 'denied';
    return (
      <div className={styles.message}>
        <EmptyState
          icon={isDenied ? Lock : CloudOff}
          title={t(isDenied ? 'files.denied' : 'files.failed')}
          actions={
            <>
              <Button onClick={onAgain}>{t('files.try-again')}</Button>
              {view.opened && path !== view.opened.home && <Button onClick={onHome}>{t('files.home')}</Button>}
            </>
          }
        >
          {failureWords(t, error)}
        </EmptyState>
      </div>
    );
  }

  const left = (listing?.entries.length ?? 0) - entries.length;
  const areAll = entries.length > 0 && entries.every(({ name }) => selected.has(name));
  return (
    <>
      {listing && !listing.complete && (
        <Notice tone="warn" className={styles.notice}>
          {t('files.not-all', { count: listing.entries.length })}
        </Notice>
      )}
      <VirtualTable
        label={t('files.list', { folder: shownName(path) })}
        className={styles.table}
        columns={columns}
        source={source}
        rowKey={nameOf}
        onRange={noRange}
        sort={sort}
        onSortChange={setSort}
        onOpenRow={onOpen}
        isCurrent={({ name }) => selected.has(name)}
        loading={listing === undefined}
        refreshing={view.isLoading}
        empty={
          <EmptyState
            icon={FolderOpen}
            title={t(left > 0 ? 'files.empty-hidden' : 'files.empty')}
            actions={left > 0 && <Button onClick={props.onShowHidden}>{t('files.show-them')}</Button>}
          >
            {left === 0 && t('files.empty-text')}
          </EmptyState>
        }
      />
      {listing && (
        <footer className={styles.foot}>
          <span role="status">{t('files.count', { count: entries.length })}</span>
          {left > 0 && (
            <TextButton title={t('files.hidden')} onClick={props.onShowHidden}>
              {t('files.count-hidden', { count: left })}
            </TextButton>
          )}
          <span className={styles.grow} />
          {entries.length > 0 && (
            <TextButton onClick={() => props.onSelectAll(new Set(areAll ? [] : entries.map(nameOf)))}>
              {t(areAll ? 'files.clear-selection' : 'files.select-all')}
            </TextButton>
          )}
        </footer>
      )}
    </>
  );
}

function sourceOf(list: string, entries: readonly FileEntry[]): RowSource<FileEntry> {
  const places = new Map(entries.map(({ name }, index) => [name, index]));
  return { list, count: entries.length, rowAt: (index) => entries[index], indexOf: (key) => places.get(key) };
}
