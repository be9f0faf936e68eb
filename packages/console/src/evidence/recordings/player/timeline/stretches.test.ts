import { expect, test } from 'vitest';
import { barsPath, idleStretches, savedMs, ticksOf } from './stretches.ts';

test('stretches without output are those that are long enough to be skipped', () => {
  const stretches = idleStretches([1, 0, 0, 0.5, 0, 1, 0, 0, 0], 9_000);

  expect(stretches).toEqual([
    { fromMs: 1_000, toMs: 3_000 },
    { fromMs: 6_000, toMs: 9_000 },
  ]);
  expect(savedMs(stretches)).toBe(2_000 + 3_000 - 2 * 800);
  expect(idleStretches([], 9_000)).toEqual([]);
  expect(idleStretches([1, 1], 0)).toEqual([]);
});

test.each([
  [0, []],
  [5_000, [0, 1_000, 2_000, 3_000, 4_000]],
  [1_117_000, [0, 300_000, 600_000, 900_000]],
  [8 * 3_600_000, [0, 7_200_000, 14_400_000, 21_600_000]],
])('%i ms have few and round ticks', (durationMs, ticks) => expect(ticksOf(durationMs)).toEqual(ticks));

test('a bar for each part that has output', () => {
  expect(barsPath([0, 1, 0.5]).match(/M/g)).toHaveLength(2);
});
