/** Times and counts of the chart in words. */
import { formatDateTime } from '@gatehouse/contract/std/dates';
import type { Translate } from '../../../platform/i18n/words.ts';
import { spanWords } from '../../../shared/time-range/span-words.ts';
import type { Tick } from '../../../shared/time-range/time-span.ts';
import type { Bar } from './bars.ts';

export function tickWords({ time, shows }: Tick): string {
  const text = formatDateTime(time);
  return { day: text.slice(5, 10), minute: text.slice(11, 16), second: text.slice(11) }[shows];
}

export function barWords(t: Translate, bar: Bar, now: number): string {
  const { total, warning, error } = bar;
  return t('audit.bar', { time: spanWords(t, bar, now), total, warning, error });
}
