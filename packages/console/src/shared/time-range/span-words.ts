/** A time from and to in words. */
import { formatDateTime } from '@gatehouse/contract/std/dates';
import type { Translate } from '../../platform/i18n/words.ts';
import type { Span } from './time-span.ts';

/** As short as it can be told: the day once, and none where it is the day of the reader. */
export function spanWords(t: Translate, { from, to }: Span, now: number): string {
  const [start, end, today] = [formatDateTime(from), formatDateTime(to), formatDateTime(now)];
  const dayOf = (text: string) => text.slice(0, 10);
  const isShort = to - from < 60_000 || start.slice(17) !== '00' || end.slice(17) !== '00';
  const clock = (text: string) => (isShort ? text.slice(11) : text.slice(11, 16));
  const isWhole = start.endsWith('00:00:00') && end.endsWith('00:00:00');
  if (isWhole) return t('time-range.span', { from: dayOf(start), to: dayOf(end) });
  const first = dayOf(start) === dayOf(today) ? clock(start) : `${dayOf(start)} ${clock(start)}`;
  const last = dayOf(start) === dayOf(end) ? clock(end) : `${dayOf(end)} ${clock(end)}`;
  return t('time-range.span', { from: first, to: last });
}
