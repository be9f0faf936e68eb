import { expect, test } from 'vitest';
import { isoTime } from './iso-time.ts';

test('a time is written as the language writes it', () => {
  const times = [0, -1, 1, 999, 59_999, 60_000, 1_791_000_000_123, 1_791_000_000_123.75, -62_198_755_200_001, 8.64e15];
  for (const ms of [...times, ...times]) expect(isoTime(ms)).toBe(new Date(ms).toISOString());
  for (const ms of [Number.NaN, Number.POSITIVE_INFINITY, 8.64e15 + 1]) expect(() => isoTime(ms)).toThrow(RangeError);
});
