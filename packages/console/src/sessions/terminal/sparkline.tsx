/** The last round trips as a line: whether it is slow now or always was. */
import styles from './console.module.css';

const WIDTH = 80;
const HEIGHT = 14;
/** Below this nobody feels a difference, so it is drawn flat. */
const MIN_SCALE_MS = 40;

export function Sparkline({ values }: { values: readonly number[] }) {
  const top = Math.max(MIN_SCALE_MS, ...values);
  const step = WIDTH / Math.max(1, values.length - 1);
  const points = values.map(
    (value, index) => `${(index * step).toFixed(1)},${(HEIGHT - 1 - (value / top) * (HEIGHT - 3)).toFixed(1)}`,
  );
  if (points.length < 2) points.push(`${WIDTH},${points[0]?.split(',')[1] ?? HEIGHT}`);
  return (
    <svg className={styles.spark} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
      <polyline points={points.join(' ')} vectorEffect="non-scaling-stroke" />
    </svg>
  );
}
