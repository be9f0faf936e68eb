/** The time that is looked at, as the address and the calls write it. */
import type { SearchTexts } from '../../platform/routing/routing.tsx';
import { PRESETS, type Preset, presetSpan, type Span } from './time-span.ts';

export type Range = Preset | Span;

export type RangeTexts = Record<'range' | 'from' | 'to', string | undefined>;

/** Whatever anybody wrote into the address, what comes out can be asked for. */
export function rangeOf({ from, to, range }: SearchTexts, standard: Preset): Range {
  return spanOf(from, to) ?? (isPreset(range) ? range : standard);
}

export function rangeTexts(range: Range, standard: Preset): RangeTexts {
  if (!isPreset(range)) return { range: undefined, from: isoOf(range.from), to: isoOf(range.to) };
  return { range: range === standard ? undefined : range, from: undefined, to: undefined };
}

export function isPreset(range: unknown): range is Preset {
  return typeof range === 'string' && Object.hasOwn(PRESETS, range);
}

export function spanAt(range: Range, now: number): Span {
  return isPreset(range) ? presetSpan(range, now) : range;
}

/** On the wire both ends belong to a range. */
export function rangeQuery({ from, to }: Span) {
  return { from: isoOf(from), to: isoOf(to - 1) };
}

export function isoOf(time: number): string {
  return new Date(time).toISOString();
}

export function spanOf(from: string | undefined, to: string | undefined): Span | undefined {
  const span = { from: timeOf(from), to: timeOf(to) };
  return span.from < span.to ? span : undefined;
}

/** Years that every clock and store can hold. */
function timeOf(text: string | undefined): number {
  return /^20\d\d-\d\d-\d\dT/.test(text ?? '') ? Date.parse(text ?? '') : Number.NaN;
}
