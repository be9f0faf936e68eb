/** The bars of the chart: how high each severity stands in each, and which part of the time somebody means. */
import type { EventCounts } from '@gatehouse/contract/audit/search';
import type { Span } from '../../../shared/time-range/time-span.ts';

export const SHOWN_SEVERITIES = ['info', 'warning', 'error'] as const;
export type ShownSeverity = (typeof SHOWN_SEVERITIES)[number];

export interface Bar extends Record<ShownSeverity, number> {
  from: number;
  to: number;
  total: number;
}

export interface BarPart {
  severity: ShownSeverity;
  /** From the top of the chart. */
  y: number;
  height: number;
}

/** However few, somebody must see that there are some. */
const MIN_PX = 2;

export function barsOf({ from, to, bucketMs, buckets }: EventCounts): Bar[] {
  // On the wire the last moment belongs to the range.
  const [start, end] = [Date.parse(from), Date.parse(to) + 1];
  return buckets.map(({ info, warning, error }, index) => ({
    from: start + index * bucketMs,
    to: Math.min(end, start + (index + 1) * bucketMs),
    info,
    warning,
    error,
    total: info + warning + error,
  }));
}

/** From the ground up: the many below, what matters on top. */
export function partsOf(bar: Bar, most: number, height: number): BarPart[] {
  let top = height;
  return SHOWN_SEVERITIES.filter((severity) => bar[severity] > 0).map((severity) => {
    const part = Math.max(MIN_PX, (bar[severity] / Math.max(1, most)) * (height - 2 * MIN_PX));
    top = Math.max(0, top - part);
    return { severity, y: top, height: part };
  });
}

/** Which bar is so far to the right; outside of the chart the nearest. */
export function barAt(place: number, count: number): number {
  return Math.max(0, Math.min(count - 1, Math.floor(place * count)));
}

/** The time of some bars, in whichever order they were meant. */
export function spanOfBars(bars: readonly Bar[], a: number, b: number): Span | undefined {
  const [first, last] = [bars[Math.min(a, b)], bars[Math.max(a, b)]];
  return first && last && { from: first.from, to: last.to };
}

/** The bars that lie in a span, as first and last; nothing where none does. */
export function barsIn(bars: readonly Bar[], span: Span | undefined): { first: number; last: number } | undefined {
  if (!span) return undefined;
  const first = bars.findIndex(({ to }) => to > span.from);
  const last = bars.findLastIndex(({ from }) => from < span.to);
  return first === -1 || last < first ? undefined : { first, last };
}
