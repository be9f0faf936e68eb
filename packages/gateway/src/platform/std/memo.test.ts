import { expect, test } from 'vitest';
import { createMemo } from './memo.ts';

test('each function makes what it makes of an object once', () => {
  const memo = createMemo();
  const one = { value: 1 };
  let made = 0;
  const double = (given: { value: number }) => {
    made += 1;
    return given.value * 2;
  };
  const nothing = () => undefined;

  expect([memo(one, double), memo(one, double), memo({ value: 2 }, double)]).toEqual([2, 2, 4]);
  expect(made).toBe(2);
  expect(memo(one, nothing)).toBeUndefined();
});
