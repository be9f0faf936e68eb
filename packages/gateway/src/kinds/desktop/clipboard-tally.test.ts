import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ClipboardTally } from './clipboard-tally.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('a transfer is told at once, and thousands after it as a few that add up', () => {
  const told: [string, number][] = [];
  const tally = new ClipboardTally((direction, length) => told.push([direction, length]));
  tally.add('send', 10);
  expect(told).toEqual([['send', 10]]);
  tally.add('receive', 3);
  for (let at = 0; at < 5_000; at += 1) {
    tally.add('send', 1);
    vi.advanceTimersByTime(1);
  }
  tally.close();

  const sent = told.filter(([direction]) => direction === 'send');
  expect(sent.reduce((sum, [, length]) => sum + length, 0)).toBe(5_010);
  expect(sent.length).toBeLessThan(6);
  expect(told.filter(([direction]) => direction === 'receive')).toEqual([['receive', 3]]);
});

test('what comes a moment later is told by itself again', () => {
  const told: number[] = [];
  const tally = new ClipboardTally((_, length) => told.push(length));
  tally.add('send', 1);
  vi.advanceTimersByTime(60_000);
  tally.add('send', 2);
  expect(told).toEqual([1, 2]);
});
