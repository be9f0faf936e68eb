import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { watchExpiries } from './expiry-watch.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('each time is told once, when it is over, also those that come later or are moved', () => {
  let times: (number | undefined)[] = [Date.now() - 1, Date.now() + 5_000, undefined];
  let told = 0;
  const onExpired = () => {
    told += 1;
  };
  const watch = watchExpiries({ times: () => times, now: Date.now, onExpired });
  vi.advanceTimersByTime(4_900);
  expect(told).toBe(0);
  vi.advanceTimersByTime(1_000);
  expect(told).toBe(1);
  times = [Date.now() + 60_000];
  watch.renew();
  times = [Date.now() + 2_000];
  watch.renew();
  vi.advanceTimersByTime(10_000);
  expect(told).toBe(2);
  watch.close();
});
