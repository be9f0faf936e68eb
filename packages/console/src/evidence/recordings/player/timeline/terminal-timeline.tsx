/** The timeline of a terminal: how much was printed when, commands, people and hits. */
import type { RecordingDetails } from '@gatehouse/contract/recordings/recordings';
import { classNames } from '@gatehouse/design/class-names';
import { useMemo } from 'react';
import { DrawnPicture } from '../../drawn-picture.tsx';
import type { Playback } from '../../engine/playback.ts';
import type { Hit } from '../../recording-queries.ts';
import { isPicture } from '../../renderers.ts';
import { Markers } from './markers.tsx';
import { barsPath, idleStretches } from './stretches.ts';
import styles from './timeline.module.css';
import { Timeline } from './timeline.tsx';

interface TerminalTimelineProps {
  playback: Playback;
  details: RecordingDetails;
  hits: readonly Hit[];
  clusterId: string;
}

/** So many pictures at most are asked for, wherever one points. */
const PICTURES = 60;

export function TerminalTimeline({ playback, details, hits, clusterId }: TerminalTimelineProps) {
  const { activity, durationMs, markers } = details;
  const bars = useMemo(() => barsPath(activity), [activity]);
  const stretches = useMemo(() => idleStretches(activity, durationMs), [activity, durationMs]);
  return (
    <Timeline
      playback={playback}
      details={details}
      stretches={stretches}
      above={(shareOf) => <Markers markers={markers} hits={hits} shareOf={shareOf} />}
      textAt={(ms, nearMs) => {
        const near = markers.filter((marker) => Math.abs(marker.ms - ms) <= nearMs);
        return near.toSorted((a, b) => Math.abs(a.ms - ms) - Math.abs(b.ms - ms))[0]?.text;
      }}
      pictureAt={
        isPicture(details.kind)
          ? (ms, endMs) => {
              const step = Math.max(1_000, Math.ceil(endMs / PICTURES));
              const atMs = Math.floor(ms / step) * step;
              return (
                <DrawnPicture clusterId={clusterId} sid={details.sid} atMs={atMs} className={styles.pointedPicture}>
                  {null}
                </DrawnPicture>
              );
            }
          : undefined
      }
      onSeek={playback.seek}
      strip={(layer) => (
        <svg
          className={classNames(styles.strip, styles[layer])}
          viewBox={`0 0 ${Math.max(1, activity.length)} 1`}
          preserveAspectRatio="none"
          aria-hidden="true"
        >
          <path d={bars} />
        </svg>
      )}
    />
  );
}
