/** The session as a strip: a bar for each statement, as wide as it ran and as high as it took long, red where it failed. */
import type { RecordingDetails } from '@gatehouse/contract/recordings/recordings';
import { classNames } from '@gatehouse/design/class-names';
import { Icon } from '@gatehouse/design/icon';
import FlagIcon from 'lucide-react/icons/flag';
import { useMemo } from 'react';
import { useTranslate } from '../../../../platform/i18n/words.ts';
import type { Playback } from '../../engine/playback.ts';
import { clockText } from '../../recording-facts.ts';
import timeline from '../timeline/timeline.module.css';
import { Timeline } from '../timeline/timeline.tsx';
import { hasFailed, lineOf, type RunStatement, runAt } from './run-statements.ts';
import type { Flag } from './statement-flags.ts';
import { quietStretches } from './statement-lines.ts';
import styles from './statement-player.module.css';

export interface FlaggedRun {
  run: RunStatement;
  flags: readonly Flag[];
}

interface StatementTimelineProps {
  playback: Playback;
  details: RecordingDetails;
  runs: readonly RunStatement[];
  hits: readonly RunStatement[];
  flagged: readonly FlaggedRun[];
  onSeek: (ms: number) => void;
}

const WIDE = 1_000;
const HIGH = 44;
const MIN_WIDTH = 3;
const MIN_HEIGHT = 5;
/** Of a strip of statements everything is a stretch without any: only the long ones are worth drawing. */
const LONG_SHARE = 0.14;
const APART_SHARE = 0.012;

export function StatementTimeline({ playback, details, runs, hits, flagged, onSeek }: StatementTimelineProps) {
  const { durationMs } = details;
  const bars = useMemo(() => barsOf(runs, durationMs), [runs, durationMs]);
  const stretches = useMemo(
    () => quietStretches(runs, durationMs).filter(({ fromMs, toMs }) => toMs - fromMs > durationMs * LONG_SHARE),
    [runs, durationMs],
  );
  return (
    <Timeline
      playback={playback}
      details={details}
      stretches={stretches}
      above={(shareOf) => <Signs hits={hits} flagged={flagged} shareOf={shareOf} />}
      textAt={(ms, nearMs) => {
        const run = runAt(runs, ms + nearMs);
        return run && Math.abs(run.asked.ms - ms) <= Math.max(nearMs, run.answered?.took ?? 0)
          ? lineOf(run)
          : undefined;
      }}
      onSeek={onSeek}
      strip={(layer, endMs) => (
        <svg
          className={classNames(timeline.strip, timeline[layer])}
          viewBox={`0 0 ${(WIDE * Math.max(1, endMs)) / Math.max(1, durationMs)} ${HIGH}`}
          preserveAspectRatio="none"
          aria-hidden="true"
        >
          <path d={bars.well} />
          <path d={bars.failed} className={styles.barBad} />
        </svg>
      )}
    />
  );
}

interface SignsProps {
  hits: readonly RunStatement[];
  flagged: readonly FlaggedRun[];
  shareOf: (ms: number) => number;
}

function Signs({ hits, flagged, shareOf }: SignsProps) {
  const t = useTranslate();
  const ticks = [...new Set(hits.map(({ asked }) => Math.round(shareOf(asked.ms) * WIDE)))];
  return (
    <div className={timeline.markers} aria-hidden="true">
      <svg className={timeline.ticks} viewBox={`0 0 ${WIDE} 1`} preserveAspectRatio="none" aria-hidden="true">
        <path d={ticks.map((at) => `M${at} 0v1`).join('')} className={timeline.hit} />
      </svg>
      {apart(flagged, shareOf).map(({ run: { asked }, flags }) => (
        <span
          key={asked.n}
          className={timeline.sign}
          data-type="command"
          style={{ left: `${shareOf(asked.ms) * 100}%` }}
          title={t('player.marker-at', {
            time: clockText(asked.ms),
            text: flags.map((flag) => t(`statements.flag-${flag}`)).join(', '),
          })}
        >
          <Icon of={FlagIcon} size={12} />
        </span>
      ))}
    </div>
  );
}

/** Signs that would lie on each other are left out: the list tells them all. */
function apart(flagged: readonly FlaggedRun[], shareOf: (ms: number) => number): FlaggedRun[] {
  const shown: FlaggedRun[] = [];
  for (const each of flagged) {
    const before = shown.at(-1);
    if (!before || shareOf(each.run.asked.ms) - shareOf(before.run.asked.ms) > APART_SHARE) shown.push(each);
  }
  return shown;
}

/** No more of them than there is room for: of those at one place the longest, and a failed one before others. */
function barsOf(runs: readonly RunStatement[], durationMs: number): { well: string; failed: string } {
  const whole = Math.max(1, durationMs);
  const bars = new Map<number, { width: number; height: number; isBad: boolean }>();
  for (const run of runs) {
    const took = run.answered?.took ?? 0;
    const place = Math.floor((Math.min(run.asked.ms, whole) / whole) * (WIDE / 2 - 1)) * 2;
    const known = bars.get(place);
    bars.set(place, {
      width: Math.max(MIN_WIDTH, (took / whole) * WIDE, known?.width ?? 0),
      height: Math.max(Math.min(HIGH, MIN_HEIGHT + 9 * Math.log10(1 + took)), known?.height ?? 0),
      isBad: hasFailed(run) || (known?.isBad ?? false),
    });
  }
  const path = (isBad: boolean) =>
    [...bars]
      .filter(([, bar]) => bar.isBad === isBad)
      .map(([place, { width, height }]) => {
        const right = Math.min(width, WIDE - place);
        return `M${place} ${HIGH}v${-height.toFixed(1)}h${right.toFixed(1)}v${height.toFixed(1)}z`;
      })
      .join('');
  return { well: path(false), failed: path(true) };
}
