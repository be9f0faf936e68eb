import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { startWakingClock } from './waking-clock.ts';

test('time in which nothing here had a turn does not pass', async () => {
  const clock = startWakingClock();
  const began = performance.now();
  const before = clock.now();

  // As a flood of calls or a machine without a free core does.
  while (performance.now() - began < 1_200);
  const asleep = clock.now() - before;
  await sleep(0);
  // One late tick counts for 500 ms, whatever it was late by; what is left is the time in which the test itself had turns.
  expect(asleep).toBeLessThan(1_000);
  expect(clock.now() - before).toBeLessThan(1_000);
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
