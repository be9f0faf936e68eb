/** The range as bars, by severity. Drag over them to look at a part of it; by keyboard, arrows and Enter do the same. */
import type { EventCounts } from '@gatehouse/contract/audit/search';
import { classNames } from '@gatehouse/design/class-names';
import { useMemo } from 'react';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { type Span, ticksOf } from '../../../shared/time-range/time-span.ts';
import { tickWords } from './bar-words.ts';
import { type Bar, barsIn, barsOf, partsOf } from './bars.ts';
import styles from './histogram.module.css';
import { useBrush } from './use-brush.ts';

interface HistogramProps {
  counts: EventCounts | undefined;
  /** The whole of the time that is shown, while the counts are on their way. */
  span: Span;
  zoom: Span | undefined;
  onZoom: (zoom: Span | undefined) => void;
  /** The bar under the pointer or the keys. */
  onPoint: (bar: Bar | undefined) => void;
  /** Says what a bar holds. */
  tell: (bar: Bar) => string;
}

const HEIGHT = 64;
/** The gap between bars, as a part of their width. */
const GAP = 0.14;

const NO_BARS: readonly Bar[] = [];

export function Histogram({ counts, span, zoom, onZoom, onPoint, tell }: HistogramProps) {
  const t = useTranslate();
  const bars = useMemo(() => (counts ? barsOf(counts) : NO_BARS), [counts]);
  const selected = barsIn(bars, zoom);
  const { box, drawn, cursor, handlers } = useBrush({ bars, selected, onZoom, onPoint });
  const at = bars[cursor];
  return (
    <div className={styles.chart}>
      <div
        ref={box}
        role="slider"
        tabIndex={0}
        aria-label={t('audit.chart')}
        aria-describedby="audit-chart-hint"
        aria-orientation="horizontal"
        aria-valuemin={0}
        aria-valuemax={Math.max(0, bars.length - 1)}
        aria-valuenow={cursor}
        aria-valuetext={at ? tell(at) : ''}
        className={styles.bars}
        {...handlers}
      >
        <svg width="100%" height={HEIGHT} className={styles.svg} aria-hidden="true">
          {drawn && <Brush {...drawn} count={bars.length} />}
          <Bars bars={bars} shown={drawn} />
          <rect data-cursor="" x={percent(cursor, bars.length)} y="0" width={percent(1, bars.length)} height={HEIGHT} />
        </svg>
      </div>
      <svg width="100%" height="18" className={styles.axis} aria-hidden="true">
        {ticksOf(span).map((tick) => (
          <g key={tick.time}>
            <line x1={`${tick.place * 100}%`} x2={`${tick.place * 100}%`} y1="0" y2="4" />
            {/* At an edge half of it would be cut off. */}
            {tick.place > 0.02 && tick.place < 0.98 && (
              <text x={`${tick.place * 100}%`} y="15" textAnchor="middle" data-shows={tick.shows}>
                {tickWords(tick)}
              </text>
            )}
          </g>
        ))}
      </svg>
      <p id="audit-chart-hint" hidden>
        {t('audit.chart-hint')}
      </p>
    </div>
  );
}

function Bars({ bars, shown }: { bars: readonly Bar[]; shown: { first: number; last: number } | undefined }) {
  const most = useMemo(() => Math.max(1, ...bars.map(({ total }) => total)), [bars]);
  return bars.map((bar, index) => {
    const isOut = shown && (index < shown.first || index > shown.last);
    return partsOf(bar, most, HEIGHT).map(({ severity, y, height }) => (
      <rect
        key={`${bar.from} ${severity}`}
        className={classNames(styles[severity], shown && (isOut ? styles.out : styles.in))}
        x={percent(index + GAP / 2, bars.length)}
        width={percent(1 - GAP, bars.length)}
        y={y}
        height={height}
      />
    ));
  });
}

function Brush({ first, last, count }: { first: number; last: number; count: number }) {
  return (
    <g className={styles.brush}>
      <rect x={percent(first, count)} width={percent(last - first + 1, count)} y="0" height={HEIGHT} />
      <line x1={percent(first, count)} x2={percent(first, count)} y1="0" y2={HEIGHT} />
      <line x1={percent(last + 1, count)} x2={percent(last + 1, count)} y1="0" y2={HEIGHT} />
    </g>
  );
}

function percent(part: number, whole: number): string {
  return `${whole === 0 ? 0 : (part / whole) * 100}%`;
}
