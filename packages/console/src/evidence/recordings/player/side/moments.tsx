/** Everything that happened, in order: commands, people, sizes, lost output. Each leads to its second. */

import type { RecordingDetails } from '@gatehouse/contract/recordings/recordings';
import { classNames, ONE_LINE } from '@gatehouse/design/class-names';
import { Icon, type IconComponent } from '@gatehouse/design/icon';
import ChevronRight from 'lucide-react/icons/chevron-right';
import Flag from 'lucide-react/icons/flag';
import Info from 'lucide-react/icons/info';
import LogIn from 'lucide-react/icons/log-in';
import LogOut from 'lucide-react/icons/log-out';
import Scaling from 'lucide-react/icons/scaling';
import Square from 'lucide-react/icons/square';
import TriangleAlert from 'lucide-react/icons/triangle-alert';
import { memo, useDeferredValue, useEffect, useRef, useState } from 'react';
import { type Translate, useTranslate } from '../../../../platform/i18n/words.ts';
import type { Playback } from '../../engine/playback.ts';
import { clockText } from '../../recording-facts.ts';
import { isPicture } from '../../renderers.ts';
import { riskOf } from '../risky-commands.ts';
import styles from './side-panel.module.css';

type Moment = RecordingDetails['markers'][number];

const ICONS: Record<Moment['type'], IconComponent> = {
  command: ChevronRight,
  join: LogIn,
  leave: LogOut,
  resize: Scaling,
  gap: TriangleAlert,
  note: Info,
  end: Square,
};

const NONE: readonly Moment[] = [];

interface MomentsProps {
  playback: Playback;
  details: RecordingDetails;
}

export function Moments({ playback, details }: MomentsProps) {
  const t = useTranslate();
  const { markersComplete } = details;
  // A long recording has thousands: the first picture does not wait for the list of them.
  const markers = useDeferredValue(details.markers, NONE);
  const current = useCurrent(playback, markers);
  const list = useRef<HTMLOListElement>(null);
  useEffect(() => {
    list.current?.children[current]?.scrollIntoView?.({ block: 'nearest' });
  }, [current]);
  // Of a picture nobody reads commands.
  const isRead = !isPicture(details.kind) && (
    <p className={styles.none}>
      {t('player.moments-shown')} {t('player.moments-flags')}
    </p>
  );
  if (details.markers.length === 0)
    return (
      <>
        <p className={styles.none}>{t('player.moments-none')}</p>
        {isRead}
      </>
    );
  return (
    <>
      <ol ref={list} className={styles.moments}>
        {markers.map((marker, index) => (
          <MomentItem
            key={`${marker.ms} ${marker.type} ${marker.text}`}
            marker={marker}
            isCurrent={index === current}
            onSeek={playback.seek}
          />
        ))}
      </ol>
      {!markersComplete && <p className={styles.none}>{t('player.moments-cut')}</p>}
      {isRead}
    </>
  );
}

interface MomentItemProps {
  marker: Moment;
  isCurrent: boolean;
  onSeek: (ms: number) => void;
}

const MomentItem = memo(function MomentItem({ marker, isCurrent, onSeek }: MomentItemProps) {
  const t = useTranslate();
  const risk = marker.type === 'command' ? riskOf(marker.text) : undefined;
  return (
    <li className={styles.momentPlace}>
      <button
        type="button"
        className={styles.moment}
        data-type={marker.type}
        aria-current={isCurrent || undefined}
        onClick={() => onSeek(marker.ms)}
      >
        <time>{clockText(marker.ms)}</time>
        <Icon of={ICONS[marker.type]} size={14} label={t(`player.marker-${marker.type}`)} />
        <bdi className={classNames(ONE_LINE, styles.momentText)} title={marker.text} data-terminal="">
          {momentWords(t, marker)}
        </bdi>
        {risk && (
          <span className={styles.flag} title={t(`player.risk-${risk}`)}>
            <Icon of={Flag} size={14} label={t(`player.risk-${risk}`)} />
          </span>
        )}
      </button>
    </li>
  );
});

/** Coming and leaving are told by words too: an arrow alone is read by nobody. */
function momentWords(t: Translate, { type, text }: Moment): string {
  if (text === '') return t(`player.marker-${type}`);
  return type === 'join' || type === 'leave' ? t(`player.moment-${type}`, { who: text }) : text;
}

/** Drawn again only when another moment is the last one. */
function useCurrent(playback: Playback, markers: readonly Moment[]): number {
  const [current, setCurrent] = useState(-1);
  useEffect(() => {
    const look = () => setCurrent(markers.findLastIndex(({ ms }) => ms <= playback.position.get()));
    look();
    return playback.position.subscribe(look);
  }, [playback, markers]);
  return current;
}
