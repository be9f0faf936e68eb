/** The recordings found, as many as there are, and what stands in their place when there are none. */
import { Button } from '@gatehouse/design/button';
import { EmptyState } from '@gatehouse/design/empty-state';
import { Notice } from '@gatehouse/design/notice';
import { Skeleton } from '@gatehouse/design/skeleton';
import { TableFoot } from '@gatehouse/design/table-foot';
import { useKey } from '@gatehouse/design/use-key';
import { VisuallyHidden } from '@gatehouse/design/visually-hidden';
import CirclePlay from 'lucide-react/icons/circle-play';
import SearchX from 'lucide-react/icons/search-x';
import TextSearch from 'lucide-react/icons/text-search';
import { useEffect, useRef } from 'react';
import { usePreference } from '../../../platform/browser/preferences.ts';
import { failureWords } from '../../../platform/failures/failure-words.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { LIST_KEYS } from '../../../shared/resource-list/list-keys.ts';
import type { RecordingsActions, RecordingsAddress } from '../recordings-search-params.ts';
import styles from './recording-list.module.css';
import { RecordingItem } from './recording-row.tsx';
import type { useRecordings } from './use-recordings.ts';

interface RecordingListProps {
  clusterId: string;
  recordings: ReturnType<typeof useRecordings>;
  address: RecordingsAddress;
  actions: RecordingsActions;
}

const SKELETONS = ['a', 'b', 'c', 'd', 'e', 'f'];

export function RecordingList({ clusterId, recordings, address, actions }: RecordingListProps) {
  const t = useTranslate();
  const { rows, error, hasMore } = recordings;
  const list = useRef<HTMLOListElement>(null);
  useListKeys(list);
  const isFiltered = address.search !== '' || Object.keys(address.filter).length > 0;
  // Without anything to show, what failed is the whole screen: the shell shows it and offers another try.
  if (error && rows.length === 0 && !isFiltered) throw error;
  const words = address.place === 'screen' ? address.search.trim() : '';
  const values = { count: rows.length, more: hasMore ? 'yes' : 'no' };
  const told = t(words === '' ? 'recordings.loaded' : 'recordings.found', values);
  return (
    <>
      <div className={styles.scroll}>
        {error && (
          <Notice
            tone="bad"
            className={styles.notice}
            actions={
              <Button size="small" onClick={recordings.refresh}>
                {t('common.try-again')}
              </Button>
            }
          >
            {failureWords(t, error)}
          </Notice>
        )}
        {recordings.waiting > 0 && words !== '' && (
          <Notice tone="info" className={styles.notice}>
            {t('recordings.waiting', { count: recordings.waiting })}
          </Notice>
        )}
        {recordings.isPending && <Waiting />}
        <ol
          ref={list}
          className={styles.list}
          aria-label={t('recordings.list')}
          data-old={recordings.isOld || undefined}
        >
          {rows.map((row) => (
            <RecordingItem key={row.sid} clusterId={clusterId} row={row} words={words} onNarrow={actions.narrow} />
          ))}
        </ol>
        {hasMore && <MoreButton isLoading={recordings.isLoadingMore} onMore={recordings.loadMore} />}
        {!recordings.isPending && !error && !hasMore && rows.length === 0 && (
          <Nothing recordings={recordings} isFiltered={isFiltered} actions={actions} />
        )}
      </div>
      <TableFoot
        keys={[
          { keys: LIST_KEYS.move, word: t('recordings.key-move') },
          { keys: LIST_KEYS.act, word: t('recordings.key-play') },
          { keys: LIST_KEYS.search, word: t('recordings.key-search') },
          { keys: LIST_KEYS.all, word: t('recordings.key-all') },
        ]}
      >
        {!recordings.isPending && recordings.isAsked && told}
      </TableFoot>
      <span role="status">
        <VisuallyHidden>{!recordings.isPending && recordings.isAsked && told}</VisuallyHidden>
      </span>
    </>
  );
}

/** j and k go from one recording to the next; those that cannot be played are passed over by the links they do not have. */
function useListKeys(list: React.RefObject<HTMLElement | null>): void {
  const [shortcuts] = usePreference('shortcuts');
  const move = (key: string) => {
    const links = [...(list.current?.querySelectorAll<HTMLElement>('a[href]') ?? [])];
    const at = document.activeElement instanceof HTMLElement ? links.indexOf(document.activeElement) : -1;
    const next = links[Math.max(0, Math.min(links.length - 1, at + (key === 'j' ? 1 : -1)))];
    next?.focus();
    next?.closest('li')?.scrollIntoView({ block: 'nearest' });
  };
  useKey(['j', 'k'], move, shortcuts !== 'off');
}

/** Presses itself when it comes into sight. */
function MoreButton({ isLoading, onMore }: { isLoading: boolean; onMore: () => void }) {
  const t = useTranslate();
  const place = useRef<HTMLDivElement>(null);
  const latest = useRef(onMore);
  useEffect(() => {
    latest.current = onMore;
  });
  useEffect(() => {
    if (!place.current || isLoading) return;
    const observer = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) latest.current();
    });
    observer.observe(place.current);
    return () => observer.disconnect();
  }, [isLoading]);
  return (
    <div ref={place} className={styles.more}>
      <Button loading={isLoading} onClick={onMore}>
        {t('recordings.load-more')}
      </Button>
    </div>
  );
}

function Waiting() {
  const t = useTranslate();
  return (
    <div aria-busy="true">
      <VisuallyHidden>{t('common.loading')}</VisuallyHidden>
      {SKELETONS.map((key) => (
        <div key={key} className={styles.skeleton}>
          <Skeleton width={144} height={81} radius={6} />
          <div className={styles.skeletonWords}>
            <Skeleton width="38%" />
            <Skeleton width="22%" />
          </div>
        </div>
      ))}
    </div>
  );
}

interface NothingProps extends Pick<RecordingListProps, 'recordings' | 'actions'> {
  isFiltered: boolean;
}

function Nothing({ recordings, isFiltered, actions }: NothingProps) {
  const t = useTranslate();
  if (!recordings.isAsked) {
    return (
      <EmptyState icon={TextSearch} title={t('recordings.type-words')}>
        {t('recordings.type-words-text')}
      </EmptyState>
    );
  }
  const longer = <Button onClick={() => actions.pickRange('90d')}>{t('time-range.last-90d')}</Button>;
  if (isFiltered) {
    return (
      <EmptyState
        icon={SearchX}
        title={t('recordings.no-match')}
        actions={
          <>
            <Button onClick={actions.clear}>{t('recordings.clear')}</Button>
            {longer}
          </>
        }
      >
        {t('recordings.no-match-text')}
      </EmptyState>
    );
  }
  return (
    <EmptyState icon={CirclePlay} title={t('recordings.empty')} actions={longer}>
      {t('recordings.empty-text')}
    </EmptyState>
  );
}
