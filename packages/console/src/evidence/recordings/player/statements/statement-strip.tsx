/** The whole session as a strip: a bar for each statement, as high as it took long, red where it failed. */
import { useTranslate } from '../../../../platform/i18n/words.ts';
import { clockText } from '../../recording-facts.ts';
import { hasFailed, type RunStatement } from './run-statements.ts';
import styles from './statement-player.module.css';

interface StatementStripProps {
  runs: readonly RunStatement[];
  durationMs: number;
  current: RunStatement | undefined;
  onSeek: (ms: number) => void;
}

const WIDTH = 1_000;
const HEIGHT = 44;
const MIN_HEIGHT = 5;

export function StatementStrip({ runs, durationMs, current, onSeek }: StatementStripProps) {
  const t = useTranslate();
  const whole = Math.max(1, durationMs);
  const at = current?.asked.ms ?? 0;
  return (
    <div className={styles.strip}>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        aria-hidden="true"
        onClick={({ currentTarget, clientX }) => {
          const { left, width } = currentTarget.getBoundingClientRect();
          onSeek(((clientX - left) / Math.max(1, width)) * whole);
        }}
      >
        {barsOf(runs, whole).map(({ place, height, isBad }) => (
          <rect
            key={place}
            className={isBad ? styles.barBad : styles.bar}
            x={place}
            y={HEIGHT - height}
            width={2}
            height={height}
          />
        ))}
        {current && <rect className={styles.barAt} x={(at / whole) * WIDTH - 1} y={0} width={2} height={HEIGHT} />}
      </svg>
      <p className={styles.clock}>
        <b>{clockText(at)}</b> {t('player.of', { duration: clockText(durationMs) })}
      </p>
    </div>
  );
}

interface Bar {
  place: number;
  height: number;
  isBad: boolean;
}

/** No more of them than there is room for: of those at one place the longest, and a failed one before others. */
function barsOf(runs: readonly RunStatement[], whole: number): Bar[] {
  const bars = new Map<number, Bar>();
  for (const run of runs) {
    const place = Math.floor((Math.min(run.asked.ms, whole) / whole) * (WIDTH / 2 - 1)) * 2;
    const height = Math.min(HEIGHT, MIN_HEIGHT + 9 * Math.log10(1 + (run.answered?.took ?? 0)));
    const known = bars.get(place);
    const isBad = hasFailed(run) || (known?.isBad ?? false);
    bars.set(place, { place, height: Math.max(height, known?.height ?? 0), isBad });
  }
  return [...bars.values()];
}
