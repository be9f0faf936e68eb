import type { SignInReply } from '@gatehouse/contract/auth/sign-in';
import { STORAGE_KEYS } from '@gatehouse/contract/local-storage';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createSignIn, ENDING_KEY, type Leaving, REASON_AWAITED_MS, type SignInDeps } from './sign-in.ts';
import { readToken, storeToken } from './token.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;

const reply = (token: string): SignInReply => ({
  type: 'Bearer',
  token,
  expires_in: 600,
  sessionExpires: '',
  sessionInactiveTimeout: 0,
});

class Refused extends Error {}
class NoAnswer extends Error {}

function start(options: { lifeMs?: number; inactiveMs?: number } = {}, deps: Partial<SignInDeps> = {}) {
  const { lifeMs = 10 * MINUTE, inactiveMs = 0 } = options;
  storeToken(localStorage, {
    accessToken: 'first',
    expiresIn: lifeMs / 1000,
    created: Date.now(),
    sessionExpires: '',
    sessionInactiveTimeout: inactiveMs,
  });
  const left: Leaving[] = [];
  const spies = {
    renew: vi.fn(async () => reply('second')),
    poll: vi.fn(async (): Promise<unknown> => undefined),
    endOnGateway: vi.fn(async (): Promise<unknown> => undefined),
  };
  const signIn = createSignIn({
    storage: localStorage,
    now: Date.now,
    window,
    isPassing: (error) => error instanceof NoAnswer,
    isRefusal: (error) => error instanceof Refused,
    leave: (why) => void left.push(why),
    ...spies,
    ...deps,
  });
  running.push(signIn);
  return { signIn, left, ...spies };
}

const running: { stop: () => void }[] = [];
const storageEvent = (key: string | null, newValue: string | null) =>
  window.dispatchEvent(new StorageEvent('storage', { key, newValue }));

beforeEach(() => {
  vi.useFakeTimers({ now: new Date('2026-11-15T12:00:00Z') });
  vi.spyOn(console, 'warn').mockImplementation(() => {});
});
afterEach(() => {
  for (const signIn of running.splice(0)) signIn.stop();
  localStorage.clear();
  vi.restoreAllMocks();
  vi.useRealTimers();
});

test('a browser without a valid token is warned about, cleared and sent to the login', async () => {
  const { signIn, left, endOnGateway } = start({ lifeMs: 0 });
  localStorage.setItem('other', 'x');

  expect(await signIn.ensure()).toBe(false);

  expect(console.warn).toHaveBeenCalled();
  expect(left).toEqual(['expired']);
  expect(endOnGateway).not.toHaveBeenCalled();
  expect(localStorage.length).toBe(0);
});

test('a browser that never signed in is not told that a session ended', async () => {
  const { signIn, left } = start();
  localStorage.clear();

  expect(await signIn.ensure()).toBe(false);
  expect(left).toEqual(['not-signed-in']);
});

test('a valid token is let in without a renewal', async () => {
  const { signIn, renew } = start();

  expect(await signIn.ensure()).toBe(true);
  expect(renew).not.toHaveBeenCalled();
});

test('a token with less than three minutes left is renewed on entry', async () => {
  const { signIn, renew } = start({ lifeMs: 3 * MINUTE - 1 });

  expect(await signIn.ensure()).toBe(true);

  expect(renew).toHaveBeenCalledTimes(1);
  expect(readToken(localStorage)).toMatchObject({ accessToken: 'second', created: Date.now() });
});

test('exactly three minutes left are enough', async () => {
  const { signIn, renew } = start({ lifeMs: 3 * MINUTE });

  await signIn.ensure();

  expect(renew).not.toHaveBeenCalled();
});

test('the token is looked at every 15 seconds and renewed once when under three minutes are left', async () => {
  const { signIn, renew } = start({ lifeMs: 3 * MINUTE + 20 * SECOND });
  await signIn.ensure();

  await vi.advanceTimersByTimeAsync(15 * SECOND);
  expect(renew).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(15 * SECOND);

  expect(renew).toHaveBeenCalledTimes(1);
});

test('no second renewal starts while one is running', async () => {
  const renew = vi.fn(() => new Promise<SignInReply>(() => {}));
  const { signIn } = start({ lifeMs: 2 * MINUTE }, { renew });
  void signIn.ensure();

  await vi.advanceTimersByTimeAsync(45 * SECOND);

  expect(renew).toHaveBeenCalledTimes(1);
});

test('a renewal in another tab holds ours back until that tab is done', async () => {
  const { signIn, renew } = start({ lifeMs: 3 * MINUTE + SECOND });
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
  const { signIn, renew } = start({ lifeMs: 3 * MINUTE + SECOND });
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
  const { signIn } = start({ lifeMs: 2 * MINUTE }, { storage });

  await signIn.ensure();

  expect(told).toEqual(['true', 'false']);
  expect(localStorage.getItem(STORAGE_KEYS.tokenRenewal)).toBe(null);
});

test('a refused renewal signs out', async () => {
  const { signIn, left, endOnGateway } = start({ lifeMs: 2 * MINUTE }, { renew: () => Promise.reject(new Refused()) });

  expect(await signIn.ensure()).toBe(false);

  expect(left).toEqual(['expired']);
  expect(endOnGateway).toHaveBeenCalled();
});

test('a gateway that restarts during a renewal is asked again while time is left', async () => {
  const renew = vi.fn().mockRejectedValueOnce(new NoAnswer()).mockResolvedValue(reply('second'));
  const { signIn, left } = start({ lifeMs: 2 * MINUTE }, { renew });

  expect(await signIn.ensure()).toBe(true);
  await vi.advanceTimersByTimeAsync(15 * SECOND);

  expect(renew).toHaveBeenCalledTimes(2);
  expect(left).toEqual([]);
});

test('a token that runs out signs out', async () => {
  const { signIn, left } = start({ lifeMs: 2 * MINUTE }, { renew: () => Promise.reject(new NoAnswer()) });
  await signIn.ensure();

  await vi.advanceTimersByTimeAsync(2 * MINUTE);

  expect(left).toEqual(['expired']);
});

test('the status is polled every 15 seconds, and a refusal signs out', async () => {
  const poll = vi.fn().mockResolvedValueOnce(undefined).mockRejectedValueOnce(new Refused());
  const { signIn, left } = start({}, { poll });
  await signIn.ensure();

  await vi.advanceTimersByTimeAsync(15 * SECOND);
  expect(left).toEqual([]);
  await vi.advanceTimersByTimeAsync(15 * SECOND);

  expect(poll).toHaveBeenCalledTimes(2);
  expect(left).toEqual(['expired']);
});

test('a poll that fails for another reason changes nothing', async () => {
  const { signIn, left } = start({}, { poll: () => Promise.reject(new Error('500')) });
  await signIn.ensure();

  await vi.advanceTimersByTimeAsync(MINUTE);

  expect(left).toEqual([]);
});

test('the status is not polled with 30 seconds left or less', async () => {
  const { signIn, poll } = start({ lifeMs: 45 * SECOND }, { renew: () => Promise.reject(new NoAnswer()) });
  await signIn.ensure();

  await vi.advanceTimersByTimeAsync(15 * SECOND);

  expect(poll).not.toHaveBeenCalled();
});

test('the status is not polled during a renewal', async () => {
  const { signIn, poll } = start({ lifeMs: 2 * MINUTE }, { renew: () => new Promise<SignInReply>(() => {}) });
  void signIn.ensure();

  await vi.advanceTimersByTimeAsync(30 * SECOND);

  expect(poll).not.toHaveBeenCalled();
});

test.each([
  ['the token', STORAGE_KEYS.token],
  ['everything', null],
])('another tab that removes %s signs this one out', async (_, key) => {
  const { signIn, left } = start();
  await signIn.ensure();
  localStorage.removeItem(STORAGE_KEYS.token);

  storageEvent(key, null);
  await vi.advanceTimersByTimeAsync(0);

  expect(left).toEqual(['signed_out']);
});

test('a token that another tab renewed signs nobody out', async () => {
  const { signIn, left } = start();
  await signIn.ensure();

  storageEvent(STORAGE_KEYS.token, localStorage.getItem(STORAGE_KEYS.token));
  await vi.advanceTimersByTimeAsync(0);

  expect(left).toEqual([]);
});

test('signing out ends the sign-in on the gateway, then leaves, and keeps only preferences', async () => {
  const order: string[] = [];
  const { signIn } = start(
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

test('another tab says why it signed out, and this one gives the same reason without asking the gateway again', async () => {
  const { signIn, left, endOnGateway } = start();
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
  const { signIn } = start({}, { storage });
  await signIn.ensure();

  await signIn.signOut('inactive');

  expect(order[0]).toBe(`${ENDING_KEY}=inactive`);
  expect(order).toContain(`-${STORAGE_KEYS.token}`);
  expect(order).toContain(`-${ENDING_KEY}`);
});

test('a sign-in that the gateway has ended is left once, with the reason', async () => {
  const { signIn, left, endOnGateway } = start();
  await signIn.ensure();

  signIn.ended('ended_by_administrator');
  signIn.ended('signed_out');

  expect(left).toEqual(['ended_by_administrator']);
  expect(endOnGateway).not.toHaveBeenCalled();
  expect(readToken(localStorage)).toBe(undefined);
});

test('a refused call leaves as expired when nobody says why', async () => {
  const { signIn, left } = start();
  await signIn.ensure();

  signIn.refused();
  signIn.refused();
  expect(left).toEqual([]);
  await vi.advanceTimersByTimeAsync(REASON_AWAITED_MS);

  expect(left).toEqual(['expired']);
});

test('a refused call gives way to the reason that follows it', async () => {
  const { signIn, left } = start();
  await signIn.ensure();

  signIn.refused();
  signIn.ended('ended_by_administrator');
  await vi.advanceTimersByTimeAsync(REASON_AWAITED_MS);

  expect(left).toEqual(['ended_by_administrator']);
});

test('signing out leaves even when the gateway does not answer', async () => {
  const { signIn, left } = start({}, { endOnGateway: () => Promise.reject(new NoAnswer()) });
  await signIn.ensure();

  await signIn.signOut();

  expect(left).toEqual(['asked']);
});

test('a renewal that returns after signing out stores no token', async () => {
  let finish = (_: SignInReply) => {};
  const renew = () => new Promise<SignInReply>((resolve) => (finish = resolve));
  const { signIn } = start({ lifeMs: 2 * MINUTE }, { renew });
  void signIn.ensure();
  await signIn.signOut();

  finish(reply('late'));
  await vi.advanceTimersByTimeAsync(0);

  expect(readToken(localStorage)).toBeUndefined();
});

test('inactivity is said in the log and signs out', async () => {
  const { signIn, left } = start({ lifeMs: 60 * MINUTE, inactiveMs: 5 * MINUTE });
  await signIn.ensure();

  await vi.advanceTimersByTimeAsync(5 * MINUTE);

  expect(console.warn).toHaveBeenCalledWith('inactive session');
  expect(left).toEqual(['inactive']);
});

test('a browser that was left alone for too long is not let in', async () => {
  const { signIn, left } = start({ lifeMs: 60 * MINUTE, inactiveMs: 5 * MINUTE });
  localStorage.setItem(STORAGE_KEYS.lastActive, String(Date.now() - 4 * MINUTE - 31 * SECOND));

  expect(await signIn.ensure()).toBe(false);
  await vi.advanceTimersByTimeAsync(0);

  expect(left).toEqual(['inactive']);
});
