import { STORAGE_KEYS } from '@gatehouse/contract/console/local-storage';
import type { SignInReply } from '@gatehouse/contract/identity/sign-in';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import {
  endSignIns,
  MINUTE,
  NoAnswer,
  Refused,
  reply,
  SECOND,
  startSignIn,
  stopClock,
  storageEvent,
} from '../../../testing/test-sign-in.ts';
import { readToken } from './token.ts';

beforeEach(stopClock);
afterEach(endSignIns);

test('a browser without a valid token is warned about, cleared and sent to the login', async () => {
  const { signIn, left, endOnGateway } = startSignIn({ lifeMs: 0 });
  localStorage.setItem('other', 'x');

  expect(await signIn.ensure()).toBe(false);

  expect(console.warn).toHaveBeenCalled();
  expect(left).toEqual(['expired']);
  expect(endOnGateway).not.toHaveBeenCalled();
  expect(localStorage.length).toBe(0);
});

test('a browser that never signed in is not told that a session ended', async () => {
  const { signIn, left } = startSignIn();
  localStorage.clear();

  expect(await signIn.ensure()).toBe(false);
  expect(left).toEqual(['not-signed-in']);
});

test('a valid token is let in without a renewal', async () => {
  const { signIn, renew } = startSignIn();

  expect(await signIn.ensure()).toBe(true);
  expect(renew).not.toHaveBeenCalled();
});

test('a token with less than three minutes left is renewed on entry', async () => {
  const { signIn, renew } = startSignIn({ lifeMs: 3 * MINUTE - 1 });

  expect(await signIn.ensure()).toBe(true);

  expect(renew).toHaveBeenCalledTimes(1);
  expect(readToken(localStorage)).toMatchObject({ accessToken: 'second', created: Date.now() });
});

test('exactly three minutes left are enough', async () => {
  const { signIn, renew } = startSignIn({ lifeMs: 3 * MINUTE });

  await signIn.ensure();

  expect(renew).not.toHaveBeenCalled();
});

test('the token is looked at every 15 seconds and renewed once when under three minutes are left', async () => {
  const { signIn, renew } = startSignIn({ lifeMs: 3 * MINUTE + 20 * SECOND });
  await signIn.ensure();

  await vi.advanceTimersByTimeAsync(15 * SECOND);
  expect(renew).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(15 * SECOND);

  expect(renew).toHaveBeenCalledTimes(1);
});

test('no second renewal starts while one is running', async () => {
  const renew = vi.fn(() => new Promise<SignInReply>(() => {}));
  const { signIn } = startSignIn({ lifeMs: 2 * MINUTE }, { renew });
  void signIn.ensure();

  await vi.advanceTimersByTimeAsync(45 * SECOND);

  expect(renew).toHaveBeenCalledTimes(1);
});

test('a renewal in another tab holds ours back until that tab is done', async () => {
  const { signIn, renew } = startSignIn({ lifeMs: 3 * MINUTE + SECOND });
  await signIn.ensure();
  storageEvent(STORAGE_KEYS.tokenRenewal, 'true');
  storageEvent(STORAGE_KEYS.tokenRenewal, null);

  await vi.advanceTimersByTimeAsync(30 * SECOND);
  expect(renew).not.toHaveBeenCalled();
  storageEvent(STORAGE_KEYS.tokenRenewal, 'false');
  await vi.advanceTimersByTimeAsync(15 * SECOND);

  expect(renew).toHaveBeenCalledTimes(1);
});

test('a tab that was closed while renewing does not hold the others back for ever', async () => {
  const { signIn, renew } = startSignIn({ lifeMs: 3 * MINUTE + SECOND });
  await signIn.ensure();
  storageEvent(STORAGE_KEYS.tokenRenewal, 'true');

  await vi.advanceTimersByTimeAsync(75 * SECOND);

  expect(renew).toHaveBeenCalledTimes(1);
});

test('other tabs are told of a renewal by a flag that is set and removed', async () => {
  const told: string[] = [];
  const storage: Storage = {
    length: 0,
    key: () => null,
    clear: () => localStorage.clear(),
    getItem: (key) => localStorage.getItem(key),
    removeItem: (key) => localStorage.removeItem(key),
    setItem: (key, value) => {
      if (key === STORAGE_KEYS.tokenRenewal) told.push(value);
      localStorage.setItem(key, value);
    },
  };
  const { signIn } = startSignIn({ lifeMs: 2 * MINUTE }, { storage });

  await signIn.ensure();

  expect(told).toEqual(['true', 'false']);
  expect(localStorage.getItem(STORAGE_KEYS.tokenRenewal)).toBe(null);
});

test('a refused renewal signs out', async () => {
  const { signIn, left, endOnGateway } = startSignIn(
    { lifeMs: 2 * MINUTE },
    { renew: () => Promise.reject(new Refused()) },
  );

  expect(await signIn.ensure()).toBe(false);

  expect(left).toEqual(['expired']);
  expect(endOnGateway).toHaveBeenCalled();
});

test('a gateway that restarts during a renewal is asked again while time is left', async () => {
  const renew = vi.fn().mockRejectedValueOnce(new NoAnswer()).mockResolvedValue(reply('second'));
  const { signIn, left } = startSignIn({ lifeMs: 2 * MINUTE }, { renew });

  expect(await signIn.ensure()).toBe(true);
  await vi.advanceTimersByTimeAsync(15 * SECOND);

  expect(renew).toHaveBeenCalledTimes(2);
  expect(left).toEqual([]);
});

test('a token that runs out signs out', async () => {
  const { signIn, left } = startSignIn({ lifeMs: 2 * MINUTE }, { renew: () => Promise.reject(new NoAnswer()) });
  await signIn.ensure();

  await vi.advanceTimersByTimeAsync(2 * MINUTE);

  expect(left).toEqual(['expired']);
});

test('the status is polled every 15 seconds, and a refusal signs out', async () => {
  const poll = vi.fn().mockResolvedValueOnce(undefined).mockRejectedValueOnce(new Refused());
  const { signIn, left } = startSignIn({}, { poll });
  await signIn.ensure();

  await vi.advanceTimersByTimeAsync(15 * SECOND);
  expect(left).toEqual([]);
  await vi.advanceTimersByTimeAsync(15 * SECOND);

  expect(poll).toHaveBeenCalledTimes(2);
  expect(left).toEqual(['expired']);
});

test('a poll that fails for another reason changes nothing', async () => {
  const { signIn, left } = startSignIn({}, { poll: () => Promise.reject(new Error('500')) });
  await signIn.ensure();

  await vi.advanceTimersByTimeAsync(MINUTE);

  expect(left).toEqual([]);
});

test('the status is not polled with 30 seconds left or less', async () => {
  const { signIn, poll } = startSignIn({ lifeMs: 45 * SECOND }, { renew: () => Promise.reject(new NoAnswer()) });
  await signIn.ensure();

  await vi.advanceTimersByTimeAsync(15 * SECOND);

  expect(poll).not.toHaveBeenCalled();
});

test('the status is not polled during a renewal', async () => {
  const { signIn, poll } = startSignIn({ lifeMs: 2 * MINUTE }, { renew: () => new Promise<SignInReply>(() => {}) });
  void signIn.ensure();

  await vi.advanceTimersByTimeAsync(30 * SECOND);

  expect(poll).not.toHaveBeenCalled();
});

test.each([
  ['the token', STORAGE_KEYS.token],
  ['everything', null],
])('another tab that removes %s signs this one out', async (_, key) => {
  const { signIn, left } = startSignIn();
  await signIn.ensure();
  localStorage.removeItem(STORAGE_KEYS.token);

  storageEvent(key, null);
  await vi.advanceTimersByTimeAsync(0);

  expect(left).toEqual(['signed_out']);
});

test('a token that another tab renewed signs nobody out', async () => {
  const { signIn, left } = startSignIn();
  await signIn.ensure();

  storageEvent(STORAGE_KEYS.token, localStorage.getItem(STORAGE_KEYS.token));
  await vi.advanceTimersByTimeAsync(0);

  expect(left).toEqual([]);
});

test('signing out ends the sign-in on the gateway, then leaves, and keeps only preferences', async () => {
  const order: string[] = [];
  const { signIn } = startSignIn(
    {},
    {
      endOnGateway: async () => void order.push('gateway'),
      leave: () => void order.push('leave'),
    },
  );
  localStorage.setItem('theme', 'light');
  localStorage.setItem(STORAGE_KEYS.disabledAlerts, '{}');
  await signIn.ensure();

  await signIn.signOut();
  await signIn.signOut();

  expect(order).toEqual(['gateway', 'leave']);
  expect(Object.keys(localStorage)).toEqual(['theme']);
});

test('signing out leaves even when the gateway does not answer', async () => {
  const { signIn, left } = startSignIn({}, { endOnGateway: () => Promise.reject(new NoAnswer()) });
  await signIn.ensure();

  await signIn.signOut();

  expect(left).toEqual(['asked']);
});

test('a renewal that returns after signing out stores no token', async () => {
  let finish = (_: SignInReply) => {};
  const renew = () => new Promise<SignInReply>((resolve) => (finish = resolve));
  const { signIn } = startSignIn({ lifeMs: 2 * MINUTE }, { renew });
  void signIn.ensure();
  await signIn.signOut();

  finish(reply('late'));
  await vi.advanceTimersByTimeAsync(0);

  expect(readToken(localStorage)).toBeUndefined();
});

test('inactivity is said in the log and signs out', async () => {
  const { signIn, left } = startSignIn({ lifeMs: 60 * MINUTE, inactiveMs: 5 * MINUTE });
  await signIn.ensure();

  await vi.advanceTimersByTimeAsync(5 * MINUTE);

  expect(console.warn).toHaveBeenCalledWith('inactive session');
  expect(left).toEqual(['inactive']);
});

test('a browser that was left alone for too long is not let in', async () => {
  const { signIn, left } = startSignIn({ lifeMs: 60 * MINUTE, inactiveMs: 5 * MINUTE });
  localStorage.setItem(STORAGE_KEYS.lastActive, String(Date.now() - 4 * MINUTE - 31 * SECOND));

  expect(await signIn.ensure()).toBe(false);
  await vi.advanceTimersByTimeAsync(0);

  expect(left).toEqual(['inactive']);
});
