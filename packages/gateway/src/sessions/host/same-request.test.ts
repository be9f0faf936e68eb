import { expect, test } from 'vitest';
import type { Caller } from '../../platform/http/actor.ts';
import { createSameRequests } from './same-request.ts';

const caller = (username: string, signInId: string) => ({ username, signInId }) as unknown as Caller;

test('a request that is asked twice at once opens one session, and who asks second is asked whether they may', async () => {
  const asked: string[] = [];
  const same = createSameRequests<string>(async (opened, { signInId }) => {
    asked.push(`${opened} by ${signInId}`);
    if (signInId === 'narrow') throw new Error('this token may not connect anywhere');
  });
  let started = 0;
  const start = async () => {
    started += 1;
    return 'session';
  };
  const first = same(caller('ann', 'browser'), 'r', start);
  const second = same(caller('ann', 'narrow'), 'r', start);
  const third = same(caller('ann', 'other'), 'r', start);

  expect(await first).toBe('session');
  await expect(second).rejects.toThrow('may not connect');
  expect(await third).toBe('session');
  expect(started).toBe(1);
  expect(asked).toEqual(['session by narrow', 'session by other']);
  // Somebody else's, and a later one, are others.
  await same(caller('bob', 'browser'), 'r', start);
  await same(caller('ann', 'browser'), 'r', start);
  expect(started).toBe(3);
});
