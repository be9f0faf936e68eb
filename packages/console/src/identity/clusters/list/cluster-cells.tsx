/** What a row of the list of clusters tells: state, when it was last seen, and how many servers one finds there. */
import { formatDateTime } from '@gatehouse/contract/std/dates';
import { Button } from '@gatehouse/design/button';
import { Skeleton } from '@gatehouse/design/skeleton';
import { type DotState, StatusDot } from '@gatehouse/design/status-dot';
import { VisuallyHidden } from '@gatehouse/design/visually-hidden';
import { useRef } from 'react';
import { useTime } from '../../../platform/browser/use-time.ts';
import { asSentence, formatNumber, formatRelative } from '../../../platform/i18n/formats.ts';
import { useTranslate, type WordId } from '../../../platform/i18n/words.ts';
import type { ClusterRow } from './cluster-rows.ts';
import styles from './clusters.module.css';
import { useInSight, useVisit } from './use-visit.ts';

interface State {
  dot: DotState;
  word: WordId;
  /** More about it, on hover. */
  why?: WordId;
}

function stateOf(row: ClusterRow, isUnmapped: boolean): State {
  if (row.isOwn) return { dot: 'ok', word: row.isRoot ? 'clusters.state-root' : 'clusters.state-alone' };
  if (!row.isOnline) return { dot: 'bad', word: 'clusters.state-away' };
  if (!row.isShown) return { dot: 'off', word: 'clusters.state-hidden', why: 'clusters.state-hidden-why' };
  if (isUnmapped) return { dot: 'off', word: 'clusters.state-unmapped', why: 'clusters.state-unmapped-why' };
  if (row.isOlder) return { dot: 'warn', word: 'clusters.state-older', why: 'clusters.state-older-why' };
  return { dot: 'ok', word: 'clusters.state-connected' };
}

export function ClusterState({ row }: { row: ClusterRow }) {
  const t = useTranslate();
  const { isUnmapped } = useVisit(row, false);
  const { dot, word, why } = stateOf(row, isUnmapped);
  const { name: cluster, version, trouble } = row;
  const more = why ? t(why, { cluster, version }) : trouble && asSentence(trouble);
  return (
    <span title={more} className={styles.state}>
      <StatusDot state={dot}>{t(word)}</StatusDot>
    </span>
  );
}

const TICK_MS = 5_000;

export function LastSeen({ row }: { row: ClusterRow }) {
  const t = useTranslate();
  const time = useTime(TICK_MS);
  if (row.isOwn || row.isOnline) return t('clusters.seen-now');
  if (row.lastSeen === undefined) return <span className={styles.faint}>{t('clusters.seen-never')}</span>;
  const at = Date.parse(row.lastSeen);
  return <span title={formatDateTime(row.lastSeen)}>{formatRelative(at, Math.max(time, at))}</span>;
}

/** Not for one that would only say no. */
export function SwitchButton({ row, onSwitch }: { row: ClusterRow; onSwitch: (name: string) => void }) {
  const t = useTranslate();
  const { isUnmapped } = useVisit(row, false);
  const { name, isOnline, isShown } = row;
  if (!isOnline || !isShown || isUnmapped) return null;
  return (
    <Button size="small" aria-label={t('clusters.switch-name', { cluster: name })} onClick={() => onSwitch(name)}>
      {t('clusters.switch')}
    </Button>
  );
}

/** Nothing is asked of a cluster whose row nobody sees. */
export function ServerCount({ row }: { row: ClusterRow }) {
  const t = useTranslate();
  const place = useRef<HTMLSpanElement>(null);
  const { servers, isPending } = useVisit(row, useInSight(place));
  return (
    <span ref={place} className={styles.servers}>
      {servers !== undefined ? (
        formatNumber(servers)
      ) : isPending ? (
        <>
          <Skeleton width={28} />
          <VisuallyHidden>{t('clusters.asking')}</VisuallyHidden>
        </>
      ) : (
        <span className={styles.faint} aria-label={t('clusters.not-known')} role="img">
          –
        </span>
      )}
    </span>
  );
}
