import { SOON_MS } from '@gatehouse/testkit/soon';
import { beforeEach, expect, test, vi } from 'vitest';
import { createLeafPace, type LeafPace } from './leaf-pace.ts';

const failed = vi.fn();
const rates = { wants: { burst: 100, perSecond: 100 } };
let pace: LeafPace;
let heard: string[];
let fails: number;
beforeEach(() => {
  failed.mockClear();
  [heard, fails] = [[], 0];
  pace = createLeafPace({ failed, tooMany: () => {}, rates, againMs: 20 });
});

const hearing = (traits: string) => async () => {
  if (fails > 0) {
    fails -= 1;
    throw new Error('the store is away');
  }
  heard.push(traits);
};
const line = () => new AbortController();

test('what a leaf wants is written again where it could not be, and the line is not kept by that', async () => {
  fails = 2;
  await pace.wants(hearing('logins'), line().signal);

  expect(heard).toEqual([]);
  await vi.waitFor(() => expect(heard).toEqual(['logins']), { timeout: SOON_MS });
  expect(failed).toHaveBeenCalledTimes(2);
});

test('what it told since is not overwritten by that', async () => {
  fails = 1;
  const { signal } = line();
  await pace.wants(hearing('logins'), signal);
  await pace.wants(hearing('groups'), signal);
  await new Promise((resolve) => setTimeout(resolve, 100));

  expect(heard).toEqual(['groups']);
});

test('nor is it tried for ever: a line that is over tells it anew when it comes back', async () => {
  fails = Number.POSITIVE_INFINITY;
  const over = line();
  await pace.wants(hearing('logins'), over.signal);
  over.abort();
  const tries = failed.mock.calls.length;
  await new Promise((resolve) => setTimeout(resolve, 100));

  expect(failed.mock.calls.length).toBeLessThanOrEqual(tries + 1);
});
