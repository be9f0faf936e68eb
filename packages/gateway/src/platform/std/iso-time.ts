/** Times as the wire has them, for lists of thousands: only the minute is ever worked out, and once. */

const MINUTE_MS = 60_000;
/** There is no later day, and none as long before 1970. */
const LAST_MS = 8.64e15;
const MAX_MINUTES = 10_000;
const minutes = new Map<number, string>();
const TWO = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, '0'));
const THREE = Array.from({ length: 1_000 }, (_, number) => String(number).padStart(3, '0'));

/** The same as `new Date(ms).toISOString()`. */
export function isoTime(ms: number): string {
  const minute = Math.floor(ms / MINUTE_MS);
  const rest = ms - minute * MINUTE_MS;
  // Parts of a millisecond, and what is no time at all, are told by the one that knows them.
  if (!Number.isInteger(rest) || Math.abs(ms) > LAST_MS) return new Date(ms).toISOString();
  return `${upToMinute(minute)}${TWO[Math.floor(rest / 1_000)]}.${THREE[rest % 1_000]}Z`;
}

function upToMinute(minute: number): string {
  const known = minutes.get(minute);
  if (known !== undefined) return known;
  const text = new Date(minute * MINUTE_MS).toISOString().slice(0, -'00.000Z'.length);
  if (minutes.size >= MAX_MINUTES) minutes.clear();
  minutes.set(minute, text);
  return text;
}
