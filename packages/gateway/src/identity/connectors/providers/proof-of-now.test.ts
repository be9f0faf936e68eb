import { expect, test } from 'vitest';
import { checkedProof, keptWish } from './proof-of-now.ts';

const NOW = Date.UTC(2026, 5, 1, 12);
const proof = (said: number | undefined, kept: Record<string, string> = {}) =>
  checkedProof(said, { field: 'auth_time', kept, now: NOW });
const FRESH = keptWish(true, NOW - 60_000);

test('where no proof of now is asked for, what the provider says is taken, and nothing is made of nothing', () => {
  expect(proof(undefined)).toBeUndefined();
  expect(proof(NOW - 86_400_000)).toBe(NOW - 86_400_000);
  expect(keptWish(false, NOW)).toEqual({});
});

test('where one is asked for, it is as old as the way there at most, with half a minute for the clocks', () => {
  expect(proof(NOW - 90_000, FRESH)).toBe(NOW - 90_000);
  expect(() => proof(NOW - 90_001, FRESH)).toThrow('tells of a sign-in at 2026-06-01T11:58:29.999Z (auth_time)');
  expect(() => proof(undefined, FRESH)).toThrow('does not say when they signed in (auth_time)');
});

test('a sign-in within the second in which they were sent there is none from before, at a clock half a minute behind too', () => {
  const sentAt = NOW - 60_000 + 999;
  const kept = keptWish(true, sentAt);
  for (const behind of [0, 30_000]) {
    const said = Math.floor((sentAt - behind) / 1000) * 1000;
    expect(proof(said, kept)).toBe(said);
  }
  expect(() => proof(NOW - 91_000, kept)).toThrow('tells of a sign-in');
});

test('what is to come is refused, and within half a minute counts as now', () => {
  expect(proof(NOW + 30_000)).toBe(NOW);
  expect(proof(NOW + 30_000, FRESH)).toBe(NOW);
  for (const said of [NOW + 30_001, Number.POSITIVE_INFINITY, Number.NaN])
    for (const kept of [{}, FRESH]) expect(() => proof(said, kept)).toThrow('which is to come');
});

test('a wish that cannot be read is fulfilled by nothing', () => {
  expect(() => proof(NOW, { freshSince: 'soon' })).toThrow('tells of a sign-in');
});
