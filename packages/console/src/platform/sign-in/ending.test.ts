import { STORAGE_KEYS } from '@gatehouse/contract/console/local-storage';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { endSignIns, startSignIn, stopClock, storageEvent } from '../../../testing/test-sign-in.ts';
import { ENDING_KEY, REASON_AWAITED_MS } from './sign-in.ts';
import { readToken } from './token.ts';

beforeEach(stopClock);
afterEach(endSignIns);

test('another tab says why it signed out, and this one gives the same reason without asking the gateway again', async () => {
  const { signIn, left, endOnGateway } = startSignIn();
  await signIn.ensure();

  storageEvent(ENDING_KEY, 'inactive');
  localStorage.clear();
  storageEvent(STORAGE_KEYS.token, null);
  await vi.advanceTimersByTimeAsync(0);

  expect(left).toEqual(['inactive']);
  expect(endOnGateway).not.toHaveBeenCalled();
});

test('the reason is told to other tabs before the token goes', async () => {
  const order: string[] = [];
  const storage: Storage = {
    get length() {
      return localStorage.length;
    },
    key: (index) => localStorage.key(index),
    clear: () => localStorage.clear(),
    getItem: (key) => localStorage.getItem(key),
    setItem(key, value) {
      order.push(`${key}=${value}`);
      localStorage.setItem(key, value);
    },
    removeItem(key) {
      order.push(`-${key}`);
      localStorage.removeItem(key);
    },
  };
  const { signIn } = startSignIn({}, { storage });
  await signIn.ensure();

  await signIn.signOut('inactive');

  expect(order[0]).toBe(`${ENDING_KEY}=inactive`);
  expect(order).toContain(`-${STORAGE_KEYS.token}`);
  expect(order).toContain(`-${ENDING_KEY}`);
});

test('a sign-in that the gateway has ended is left once, with the reason', async () => {
  const { signIn, left, endOnGateway } = startSignIn();
  await signIn.ensure();

  signIn.ended('ended_by_administrator');
  signIn.ended('signed_out');

  expect(left).toEqual(['ended_by_administrator']);
  expect(endOnGateway).not.toHaveBeenCalled();
  expect(readToken(localStorage)).toBe(undefined);
});

test('a refused call leaves as expired when nobody says why', async () => {
  const { signIn, left } = startSignIn();
  await signIn.ensure();

  signIn.refused();
  signIn.refused();
  expect(left).toEqual([]);
  await vi.advanceTimersByTimeAsync(REASON_AWAITED_MS);

  expect(left).toEqual(['expired']);
});

test('a refused call gives way to the reason that follows it', async () => {
  const { signIn, left } = startSignIn();
  await signIn.ensure();

  signIn.refused();
  signIn.ended('ended_by_administrator');
  await vi.advanceTimersByTimeAsync(REASON_AWAITED_MS);

  expect(left).toEqual(['ended_by_administrator']);
});
