import { expect, test } from 'vitest';
import { formatDate, formatDateTime, ZERO_TIME } from './dates.ts';

test('dates read yyyy-MM-dd and date-times yyyy-MM-dd HH:mm:ss in local time', () => {
  const date = new Date(2026, 0, 5, 7, 8, 9);

  expect(formatDate(date)).toBe('2026-01-05');
  expect(formatDateTime(date)).toBe('2026-01-05 07:08:09');
  expect(formatDateTime(date.toISOString())).toBe('2026-01-05 07:08:09');
  expect(formatDate(date.getTime())).toBe('2026-01-05');
});

test.each([undefined, null, '', 'yesterday', Number.NaN, {}, ZERO_TIME])('%j shows as undefined', (value) => {
  expect(formatDate(value)).toBe('undefined');
  expect(formatDateTime(value)).toBe('undefined');
});
