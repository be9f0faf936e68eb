/** Times that are looked at: presets that end now, ranges somebody chose, and how a chart divides them. */

export interface Span {
  /** Milliseconds since 1970; `to` is not part of it. */
  from: number;
  to: number;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

export const PRESETS = {
  '15m': 15 * MINUTE,
  '1h': HOUR,
  '6h': 6 * HOUR,
  '24h': DAY,
  '7d': 7 * DAY,
  '30d': 30 * DAY,
  '90d': 90 * DAY,
} as const;
export type Preset = keyof typeof PRESETS;
export const presets = Object.keys(PRESETS) as Preset[];
export const DEFAULT_PRESET: Preset = '24h';

/** Widths of a bar that people can read off. */
const STEPS = [
  ...[1, 2, 5, 10, 15, 30].map((count) => count * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * MINUTE),
  ...[1, 2, 3, 6, 12].map((count) => count * HOUR),
  ...[1, 2, 7, 14, 30, 90, 365, 1_825, 7_300].map((count) => count * DAY),
];
const MAX_STEP_MS = 7_300 * DAY;
const MAX_BARS = 98;
const MAX_TICKS = 9;

/** A preset as it is now, widened to whole bars: it stays the same until the next bar begins. */
export function presetSpan(preset: Preset, now: number): Span {
  const step = barStep(PRESETS[preset]);
  return { from: floorTo(now - PRESETS[preset], step), to: floorTo(now, step) + step };
}

/** Into how many bars a span is divided. */
export function barCount({ from, to }: Span): number {
  return Math.max(1, Math.ceil((to - from) / barStep(to - from)));
}

export interface Tick {
  /** 0 at the beginning of the span, 1 at its end. */
  place: number;
  time: number;
  /** What must be told to know it from its neighbours. */
  shows: 'day' | 'minute' | 'second';
}

/** A few round times in the reader's own zone. */
export function ticksOf({ from, to }: Span): Tick[] {
  const length = to - from;
  const step = STEPS.find((each) => length / each <= MAX_TICKS) ?? MAX_STEP_MS;
  const ticks: Tick[] = [];
  for (let time = floorTo(from, step) + step; time < to; time += step) {
    ticks.push({ time, place: (time - from) / length, shows: showsAt(time, step) });
  }
  return ticks;
}

function showsAt(time: number, step: number): Tick['shows'] {
  if (step >= DAY || isMidnight(time)) return 'day';
  return step < MINUTE ? 'second' : 'minute';
}

function isMidnight(time: number): boolean {
  const date = new Date(time);
  return date.getHours() === 0 && date.getMinutes() === 0 && date.getSeconds() === 0;
}

function barStep(length: number): number {
  return STEPS.find((step) => length / step <= MAX_BARS) ?? MAX_STEP_MS;
}

/** Down to a whole step of local time: a bar of six hours begins at midnight, wherever the reader is. */
function floorTo(time: number, step: number): number {
  const offset = -new Date(time).getTimezoneOffset() * MINUTE;
  return Math.floor((time + offset) / step) * step - offset;
}
