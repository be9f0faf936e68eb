import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createResizes, type Resize } from './tell-resizes.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

const size = (cols: number): Resize => ({ cols, rows: 24, by: 'ann' });

function listen() {
  const told: number[] = [];
  return { told, resizes: createResizes(size(80), ({ cols }) => void told.push(cols)) };
}

test('tells the last of many sizes, once it has settled', () => {
  const { told, resizes } = listen();
  for (let cols = 81; cols <= 120; cols += 1) {
    resizes.resized(size(cols));
    vi.advanceTimersByTime(20);
  }
  vi.advanceTimersByTime(2_000);
  expect(told).toEqual([120]);
});

test('somebody who drags for a day fills no log, and the last size is told all the same', () => {
  const { told, resizes } = listen();
  for (let second = 0; second < 86_400; second += 1) {
    resizes.resized(size(81 + (second % 100)));
    vi.advanceTimersByTime(1_000);
  }
  expect(told.length).toBeLessThan(310);
  resizes.resized(size(200));
  expect(resizes.stop()).toMatchObject({ cols: 200 });
});

test('after a rest the next size is told as soon as the first was', () => {
  const { told, resizes } = listen();
  for (let second = 0; second < 3_600; second += 1) {
    resizes.resized(size(81 + (second % 100)));
    vi.advanceTimersByTime(1_000);
  }
  vi.advanceTimersByTime(3_600_000);
  const before = told.length;
  resizes.resized(size(200));
  vi.advanceTimersByTime(1_500);
  expect(told.length).toBe(before + 1);
});

test('what came back to what was told is no news', () => {
  const { told, resizes } = listen();
  resizes.resized(size(90));
  resizes.resized(size(80));
  vi.advanceTimersByTime(5_000);
  expect(told).toEqual([]);
  expect(resizes.stop()).toBeUndefined();
});
