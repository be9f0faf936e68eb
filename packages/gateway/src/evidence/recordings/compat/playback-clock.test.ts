import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { PlaybackClock } from './playback-clock.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** When it got there. */
function reaching(clock: PlaybackClock, ms: number) {
  const waiting = { at: undefined as number | undefined, went: undefined as boolean | undefined };
  void clock.reach(ms).then((went) => {
    waiting.at = performance.now();
    waiting.went = went;
  });
  return waiting;
}

test('time goes as fast as it is told, from the moment it is told', async () => {
  const clock = new PlaybackClock();
  const begun = performance.now();
  const first = reaching(clock, 1_000);
  await vi.advanceTimersByTimeAsync(500);
  expect(first.at).toBeUndefined();
  clock.speed = 4;
  await vi.advanceTimersByTimeAsync(200);
  expect(first).toEqual({ at: begun + 625, went: true });
});

test('it stands while it is paused, and a stop lets go of whoever waits', async () => {
  const clock = new PlaybackClock();
  const begun = performance.now();
  const first = reaching(clock, 1_000);
  await vi.advanceTimersByTimeAsync(400);
  clock.toggle();
  await vi.advanceTimersByTimeAsync(60_000);
  expect([clock.isPaused, first.at]).toEqual([true, undefined]);
  clock.toggle();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(first.at).toBe(begun + 61_000);

  const second = reaching(clock, 1_000_000);
  clock.stop();
  await vi.advanceTimersByTimeAsync(0);
  expect(second.went).toBe(false);
  expect(await clock.reach(0)).toBe(false);
});

test('who was far behind goes on at the speed that was chosen, and little is caught up with', async () => {
  const clock = new PlaybackClock();
  await clock.reach(0);
  await vi.advanceTimersByTimeAsync(600);
  const begun = performance.now();
  const late = reaching(clock, 100);
  const next = reaching(clock, 700);
  await vi.advanceTimersByTimeAsync(200);
  expect([late.at, next.at]).toEqual([begun, begun + 100]);
  await vi.advanceTimersByTimeAsync(10_000);
  await clock.reach(900);
  const again = performance.now();
  const after = reaching(clock, 1_900);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(after.at).toBe(again + 1_000);
});
