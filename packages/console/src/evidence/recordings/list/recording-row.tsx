/** One recording in the list: its last screen, who was where and when, and how to play it or why that cannot be. */

import type { Recording } from '@gatehouse/contract/recordings/recordings';
import { formatDateTime } from '@gatehouse/contract/std/dates';
import { Avatar } from '@gatehouse/design/avatar';
import { Badge } from '@gatehouse/design/badge';
import { buttonClass } from '@gatehouse/design/button';
import { Icon } from '@gatehouse/design/icon';
import { IconButton } from '@gatehouse/design/icon-button';
import { StatusDot } from '@gatehouse/design/status-dot';
import ListFilter from 'lucide-react/icons/list-filter';
import Play from 'lucide-react/icons/play';
import Radio from 'lucide-react/icons/radio';
import { memo } from 'react';
import { useBrowser } from '../../../platform/browser/browser-services.tsx';
import { formatBytes, formatDuration, formatRelative } from '../../../platform/i18n/formats.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { PathLink } from '../../../platform/routing/routing.tsx';
import { playerPath } from '../player-path.ts';
import {
  clockText,
  kindWords,
  mayPlay,
  nameOf,
  partOf,
  STATE_ICONS,
  useKindIcon,
  whyWords,
} from '../recording-facts.ts';
import type { RecordingRow } from '../recording-queries.ts';
import type { RecordingFilter } from '../recordings-search-params.ts';
import { isPicture } from '../renderers.ts';
import { Hits } from './hits.tsx';
import styles from './recording-row.module.css';
import { Thumbnail } from './thumbnail.tsx';

interface RecordingRowProps {
  clusterId: string;
  row: RecordingRow;
  /** The words that were looked for on screens. */
  words: string;
  onNarrow: (change: RecordingFilter) => void;
}

export const RecordingItem = memo(function RecordingItem({ clusterId, row, words, onNarrow }: RecordingRowProps) {
  const t = useTranslate();
  const kindIcon = useKindIcon();
  const name = nameOf(t, row);
  const isPlayed = mayPlay(row);
  return (
    <li className={styles.item}>
      <article className={styles.row} aria-label={name} data-playable={isPlayed || undefined}>
        <div className={styles.picture}>
          <Thumbnail
            clusterId={clusterId}
            sid={row.sid}
            icon={isPlayed ? kindIcon(row.kind) : STATE_ICONS[row.state]}
            hasPicture={isPlayed}
            isDrawn={isPicture(row.kind)}
            isLive={row.state === 'live'}
          />
          {isPlayed && row.state !== 'live' && <span className={styles.length}>{clockText(row.durationMs)}</span>}
        </div>
        <div className={styles.what}>
          <h2 className={styles.name}>
            <Icon of={kindIcon(row.kind)} size={14} label={kindWords(t, row.kind)} />
            <span className={styles.title} title={name}>
              {name}
            </span>
            {partOf(row) && <span className={styles.part}>{partOf(row)}</span>}
            {row.state === 'live' && (
              <StatusDot state="busy">
                <span className={styles.live}>{t('recordings.state-live')}</span>
              </StatusDot>
            )}
            <IconButton
              icon={ListFilter}
              size="small"
              className={styles.only}
              label={t('recordings.only-resource', { resource: row.resource.name })}
              onClick={() => onNarrow({ resource: row.resource.name })}
            />
          </h2>
          <People users={row.users} onNarrow={onNarrow} />
        </div>
        <Times row={row} />
        <div className={styles.action}>
          <RowAction clusterId={clusterId} row={row} name={name} />
        </div>
      </article>
      {row.hits && row.hits.length > 0 && <Hits clusterId={clusterId} row={row} hits={row.hits} words={words} />}
    </li>
  );
});

function People({ users, onNarrow }: { users: readonly string[]; onNarrow: (change: RecordingFilter) => void }) {
  const t = useTranslate();
  return (
    <ul className={styles.people}>
      {users.map((user) => (
        <li key={user}>
          <button
            type="button"
            className={styles.person}
            title={t('recordings.only-user', { user })}
            onClick={() => onNarrow({ user })}
          >
            <Avatar name={user} />
            {user}
          </button>
        </li>
      ))}
    </ul>
  );
}

function Times({ row }: { row: RecordingRow }) {
  const t = useTranslate();
  const { now } = useBrowser();
  const length = formatDuration(row.durationMs);
  return (
    <div className={styles.times}>
      <time dateTime={row.started} title={formatRelative(Date.parse(row.started), now())}>
        {formatDateTime(row.started)}
      </time>
      <span className={styles.measures}>
        <span>{row.state === 'live' ? t('recordings.running', { duration: length }) : length}</span>
        {row.bytes > 0 && <span>{formatBytes(row.bytes)}</span>}
      </span>
    </div>
  );
}

function RowAction({ clusterId, row, name }: { clusterId: string; row: RecordingRow; name: string }) {
  const t = useTranslate();
  if (!mayPlay(row)) {
    return (
      <span className={styles.why}>
        <Badge icon={STATE_ICONS[row.state]} tone={row.state === 'disabled' ? 'neutral' : toneOf(row)}>
          {t(`recordings.state-${row.state}`)}
        </Badge>
        <span className={styles.reason}>{whyWords(t, row)}</span>
      </span>
    );
  }
  const verb = verbOf(row);
  return (
    <>
      {(row.state === 'truncated' || row.state === 'corrupted') && (
        <span className={styles.why} title={whyWords(t, row)}>
          <Badge icon={STATE_ICONS[row.state]} tone={toneOf(row)}>
            {t(`recordings.state-${row.state}`)}
          </Badge>
        </span>
      )}
      <PathLink
        path={playerPath(clusterId, row)}
        className={`${buttonClass({ tone: 'secondary' })} ${styles.play}`}
        aria-label={t(`recordings.${verb}-name`, { name })}
      >
        <Icon of={verb === 'watch' ? Radio : Play} size={14} />
        {t(`recordings.${verb}`)}
      </PathLink>
    </>
  );
}

function verbOf({ state }: Recording): 'watch' | 'look' | 'play' {
  if (state === 'live') return 'watch';
  return state === 'corrupted' ? 'look' : 'play';
}

function toneOf({ state }: Recording): 'neutral' | 'warn' | 'bad' {
  if (state === 'corrupted' || state === 'missing' || state === 'failed') return 'bad';
  return state === 'truncated' ? 'warn' : 'neutral';
}
