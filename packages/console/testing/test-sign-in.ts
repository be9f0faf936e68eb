/** A sign-in for tests, with a stopped clock and a gateway that does as it is told. */
import type { SignInReply } from '@gatehouse/contract/identity/sign-in';
import { vi } from 'vitest';
import { ownStorage } from '../src/platform/sign-in/own-storage.ts';
import { createSignIn, type Leaving, type SignInDeps } from '../src/platform/sign-in/sign-in.ts';
import { storeToken } from '../src/platform/sign-in/token.ts';

export const SECOND = 1000;
export const MINUTE = 60 * SECOND;

export const reply = (token: string): SignInReply => ({
  type: 'Bearer',
  token,
  expires_in: 600,
  sessionExpires: '',
  sessionInactiveTimeout: 0,
});

export class Refused extends Error {}
export class NoAnswer extends Error {}

export function startSignIn(options: { lifeMs?: number; inactiveMs?: number } = {}, deps: Partial<SignInDeps> = {}) {
  const { lifeMs = 10 * MINUTE, inactiveMs = 0 } = options;
  storeToken(localStorage, {
    accessToken: 'first',
    user: 'ann',
    expiresIn: lifeMs / 1000,
    created: Date.now(),
    sessionExpires: '',
    sessionInactiveTimeout: inactiveMs,
  });
  const { storage, isTakenOver } = ownStorage(localStorage);
  const left: Leaving[] = [];
  const spies = {
    renew: vi.fn(async () => reply('second')),
    poll: vi.fn(async (): Promise<{ idleMs?: number } | undefined> => undefined),
    endOnGateway: vi.fn(async (): Promise<unknown> => undefined),
  };
  const signIn = createSignIn({
    storage,
    isTakenOver,
    now: Date.now,
    window,
    isPassing: (error) => error instanceof NoAnswer,
    isRefusal: (error) => error instanceof Refused,
    leave: (why) => void left.push(why),
    ...spies,
    ...deps,
  });
  running.push(signIn);
  return { signIn, left, storage, ...spies };
}

const running: { stop: () => void }[] = [];
export const storageEvent = (key: string | null, newValue: string | null) =>
  window.dispatchEvent(new StorageEvent('storage', { key, newValue }));

export function stopClock(): void {
  vi.useFakeTimers({ now: new Date('2026-11-15T12:00:00Z') });
  vi.spyOn(console, 'warn').mockImplementation(() => {});
}

export function endSignIns(): void {
  for (const signIn of running.splice(0)) signIn.stop();
  localStorage.clear();
  vi.restoreAllMocks();
  vi.useRealTimers();
}
