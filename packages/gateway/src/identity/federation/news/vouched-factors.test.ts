import { beforeEach, expect, test } from 'vitest';
import { createVouchedFactors, type VouchedFactors } from './vouched-factors.ts';

let now = 0;
let vouched: VouchedFactors;
beforeEach(() => {
  now = 1_000_000;
  vouched = createVouchedFactors(() => now);
});

test('a word is good once, for the leaf and the sign-in it was made for', () => {
  const word = vouched.vouch('east', 's-1');
  const other = vouched.vouch('east', 's-1');

  expect(word).toHaveLength(16);
  expect(vouched.take('west', 's-1', word)).toBe(false);
  expect(vouched.take('east', 's-2', word)).toBe(false);
  expect(vouched.take('east', 's-1', word.slice(1))).toBe(false);
  expect(vouched.take('east', 's-1', '')).toBe(false);
  expect(vouched.take('east', 's-1', word)).toBe(true);
  expect(vouched.take('east', 's-1', word)).toBe(false);
  expect(vouched.take('east', 's-1', other)).toBe(true);
});

test('nor does it last longer than it travels', () => {
  const word = vouched.vouch('east', 's-1');
  now += 60_000;
  expect(vouched.take('east', 's-1', word)).toBe(false);
});
