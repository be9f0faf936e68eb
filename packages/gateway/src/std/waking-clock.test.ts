import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { startWakingClock } from './waking-clock.ts';

test('time in which nothing here had a turn does not pass', async () => {
  const clock = startWakingClock();
  const began = performance.now();
  const before = clock.now();

  // As a flood of calls or a machine without a free core does.
  while (performance.now() - began < 1_200);
  expect(clock.now() - before).toBeLessThanOrEqual(501);
  await sleep(0);
  expect(clock.now() - before).toBeLessThanOrEqual(502);
  clock.stop();
});

test('time in which others did not answer does', async () => {
  const clock = startWakingClock();
  const before = clock.now();

  await sleep(700);

  // Ticks may be late on a busy machine, and count for no more than they are allowed to.
  expect(clock.now() - before).toBeGreaterThan(200);
  clock.stop();
});
