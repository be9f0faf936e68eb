/** Times and counts of the chart in words. */
import { formatDateTime } from '@gatehouse/contract/dates';
import type { Translate } from '../../words/words.ts';
import type { Span, Tick } from '../audit-range.ts';
import type { Bar } from './bars.ts';

export function tickWords({ time, shows }: Tick): string {
  const text = formatDateTime(time);
  return { day: text.slice(5, 10), minute: text.slice(11, 16), second: text.slice(11) }[shows];
}

/** As short as it can be told: the day once, and none where it is the day of the reader. */
export function spanWords(t: Translate, { from, to }: Span, now: number): string {
  const [start, end, today] = [formatDateTime(from), formatDateTime(to), formatDateTime(now)];
  const dayOf = (text: string) => text.slice(0, 10);
  const isShort = to - from < 60_000 || start.slice(17) !== '00' || end.slice(17) !== '00';
  const clock = (text: string) => (isShort ? text.slice(11) : text.slice(11, 16));
  const isWhole = start.endsWith('00:00:00') && end.endsWith('00:00:00');
  if (isWhole) return t('audit.span', { from: dayOf(start), to: dayOf(end) });
  const first = dayOf(start) === dayOf(today) ? clock(start) : `${dayOf(start)} ${clock(start)}`;
  const last = dayOf(start) === dayOf(end) ? clock(end) : `${dayOf(end)} ${clock(end)}`;
  return t('audit.span', { from: first, to: last });
}

export function barWords(t: Translate, bar: Bar, now: number): string {
  const { total, warning, error } = bar;
  return t('audit.bar', { time: spanWords(t, bar, now), total, warning, error });
}
