/** Numbers, durations and names of time zones as the shown language writes them. Dates are in @gatehouse/contract/dates. */
import { intlLocale } from './words.ts';

export function formatNumber(value: number): string {
  return new Intl.NumberFormat(intlLocale()).format(value);
}

/** "2 minutes ago", "in 3 days": the largest unit that is at least one. */
export function formatRelative(time: number, now: number): string {
  const format = new Intl.RelativeTimeFormat(intlLocale(), { numeric: 'auto' });
  const seconds = Math.round((time - now) / 1000);
  for (const [unit, size] of UNITS) {
    if (Math.abs(seconds) >= size) return format.format(Math.trunc(seconds / size), unit);
  }
  return format.format(0, 'second');
}

/** "212 kB", in the steps that file managers count in. */
export function formatBytes(bytes: number): string {
  const at = bytes < 1_000 ? 0 : Math.min(BYTES.length - 1, Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1_000 ** at;
  const maximumFractionDigits = at > 0 && value < 100 ? 1 : 0;
  const unit = BYTES[at] ?? 'byte';
  // The short word for a byte has no plural in some languages: "351 byte".
  const unitDisplay = at === 0 ? 'long' : 'short';
  return new Intl.NumberFormat(intlLocale(), { style: 'unit', unit, unitDisplay, maximumFractionDigits }).format(value);
}

/** "18 min 37 sec": the two largest units that say something. */
export function formatDuration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000));
  const first = UNITS.findIndex(([, size]) => seconds >= size);
  const shown = UNITS.slice(first === -1 ? UNITS.length - 1 : first).slice(0, 2);
  const parts = shown.map(([unit, size], index) => {
    const value = Math.floor((index === 0 ? seconds : seconds % (shown[0]?.[1] ?? 1)) / size);
    return index > 0 && value === 0 ? '' : new Intl.NumberFormat(intlLocale(), { style: 'unit', unit }).format(value);
  });
  return parts.filter(Boolean).join(' ');
}

/** The time of day, without the date. */
export function formatTimeOfDay(time: number): string {
  return new Intl.DateTimeFormat(intlLocale(), { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }).format(time);
}

/** In a narrow place: the time of day for today, else the day, with its year where it is another. */
export function formatDay(time: number, now: number): string {
  const [then, today] = [new Date(time), new Date(now)];
  if (then.toDateString() === today.toDateString()) return formatTimeOfDay(time);
  const year = then.getFullYear() === today.getFullYear() ? {} : ({ year: 'numeric' } as const);
  return new Intl.DateTimeFormat(intlLocale(), { month: 'short', day: 'numeric', ...year }).format(time);
}

/** A message of the gateway's log style as a sentence among others: "wrong password" becomes "Wrong password." */
export function asSentence(message: string): string {
  const ended = withStop(message);
  if (NAME.test(ended)) return ended;
  return ended.charAt(0).toLocaleUpperCase(intlLocale()) + ended.slice(1);
}

/** An address, a file or a field at the beginning is written as it is: with a capital it would be another. */
const NAME = /^[\w-]+[.:/_@][\w/]/;

/** For what begins with a name. */
export function withStop(message: string): string {
  const text = message.trim();
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}

export function timeZone(): string {
  return new Intl.DateTimeFormat(intlLocale()).resolvedOptions().timeZone;
}

const UNITS = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
] as const satisfies readonly (readonly [Intl.RelativeTimeFormatUnit, number])[];

const BYTES = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const;
