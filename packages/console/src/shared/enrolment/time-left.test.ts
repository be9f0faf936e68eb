import { expect, test } from 'vitest';
import { countdown } from './time-left.tsx';

test.each([
  [14_399_999, '3:59:59'],
  [3_600_000, '1:00:00'],
  [3_599_999, '59:59'],
  [1_456_000, '24:16'],
  [9_000, '00:09'],
  [-1, '00:00'],
])('%i ms that are left are written %s', (ms, written) => {
  expect(countdown(ms)).toBe(written);
});
