import { expect, test } from 'vitest';
import { createServedThreads } from './served-threads.ts';

test('a number leads to the thread for its owner alone, until the session is over', () => {
  const threads = createServedThreads();
  const own = threads.next();
  const over = threads.add(own, { owner: 'ann', thread: 7 });

  expect(own).toBeGreaterThanOrEqual(0x4000_0000);
  expect(own).toBeLessThanOrEqual(0x7fff_ffff);
  expect([threads.threadOf(own, 'ann'), threads.threadOf(own, 'bob'), threads.threadOf(7, 'ann')]).toEqual([
    ...[7, undefined, undefined],
  ]);
  over();
  expect(threads.threadOf(own, 'ann')).toBe(undefined);
});
