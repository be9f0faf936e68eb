import { expect, test } from 'vitest';
import { createPace } from './pace.ts';

const never = new AbortController().signal;

test('a burst passes at once, and what comes after it waits for its time', async () => {
  const pace = createPace({ burst: 3, perSecond: 20 });
  const start = performance.now();
  for (let count = 0; count < 3; count++) await pace.wait(1, never);
  const burst = performance.now() - start;
  for (let count = 0; count < 4; count++) await pace.wait(1, never);

  expect(burst).toBeLessThan(50);
  expect(performance.now() - start).toBeGreaterThan(180);
});

test('what was not used is there later, and never more than a burst', async () => {
  let now = 0;
  const pace = createPace({ burst: 2, perSecond: 1 }, () => now);
  await pace.wait(2, never);
  now += 60_000;
  await pace.wait(2, never);
  let passed = false;
  void pace.wait(1, never).then(() => {
    passed = true;
  });
  await Promise.resolve();

  expect(passed).toBe(false);
});

test('nobody waits for what is over', async () => {
  const over = new AbortController();
  const pace = createPace({ burst: 1, perSecond: 0.001 });
  await pace.wait(1, over.signal);
  const waits = pace.wait(1, over.signal);
  over.abort();

  await waits;
  await pace.wait(1, over.signal);
});
