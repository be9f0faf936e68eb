/** Keeps a browser's sign-in alive and ends it: renewal, the status poll, other tabs, inactivity, sign-out. */

import { STORAGE_KEYS } from '@gatehouse/contract/console/local-storage';
import type { SignInReply } from '@gatehouse/contract/identity/sign-in';
import type { EndReason } from '@gatehouse/contract/identity/sign-ins';
import { PREFERENCES } from '../browser/preferences.ts';
import { watchActivity } from './activity.ts';
import { asEndReason } from './login-address.ts';
import { type BearerToken, readToken, storeToken, timeLeftMs, tokenFrom } from './token.ts';

export const CHECK_TOKEN_EVERY_MS = 15_000;
export const RENEW_BELOW_MS = 180_000;
export const POLL_ABOVE_MS = 30_000;
/** A tab that was closed in the middle of renewing must not keep the others from it. */
export const RENEWAL_SHOWN_MS = 60_000;
export const REASON_AWAITED_MS = 1000;

export interface SignInDeps {
  storage: Storage;
  /** Somebody else has signed in in another tab: what is stored is theirs, and so is the cookie. */
  isTakenOver: () => boolean;
  now: () => number;
  /** Activity and storage events. */
  window: Pick<Window, 'addEventListener' | 'removeEventListener'>;
  renew: () => Promise<SignInReply>;
  /** Also says how long the gateway has not seen the sign-in used. */
  poll: () => Promise<{ idleMs?: number | undefined } | undefined>;
  endOnGateway: () => Promise<unknown>;
  /** True for a failure that says nothing about the sign-in: no answer at all, or a gateway that restarts. */
  isPassing: (error: unknown) => boolean;
  /** True for the answer that says the sign-in is over. */
  isRefusal: (error: unknown) => boolean;
  /** Leaves for the login page. */
  leave: (why: Leaving, atProvider?: string) => void;
}

/** Who asked to be signed out need not come back to this place; who was not signed in has no session that ended. */
export type Leaving = EndReason | 'asked' | 'not-signed-in' | 'taken-over';

/** Written just before everything is cleared: other tabs read in the event why. */
export const ENDING_KEY = 'sign-in-ending';

export interface SignIn {
  /** True once private things may be shown; false when the browser is on its way to the login page. */
  ensure: () => Promise<boolean>;
  /** `atProvider`: where this tab goes instead of the login page, to sign out over there too. */
  signOut: (why?: Leaving, atProvider?: string) => Promise<void>;
  /** A call was refused because nobody is signed in. Whoever ended the sign-in often says why in the same moment. */
  refused: () => void;
  /** The gateway has ended it already: nothing is left but to leave. */
  ended: (why: EndReason) => void;
  stop: () => void;
}

export function createSignIn(deps: SignInDeps): SignIn {
  const { storage, now, window, leave } = deps;
  let ended = false;
  let renewing = false;
  let renewingElsewhere: number | undefined;
  let endingElsewhere: EndReason | undefined;
  let checker: ReturnType<typeof setInterval> | undefined;
  let refusal: ReturnType<typeof setTimeout> | undefined;
  let stopWatching = () => {};

  const token = (): BearerToken | undefined => readToken(storage);
  const left = () => timeLeftMs(token(), now());
  const isRenewing = () =>
    renewing || (renewingElsewhere !== undefined && now() - renewingElsewhere < RENEWAL_SHOWN_MS);

  async function ensure(): Promise<boolean> {
    stop();
    if (isOthers()) return false;
    if (left() <= 0) {
      console.warn('invalid session: signing in again');
      ended = true;
      const why = token() ? 'expired' : 'not-signed-in';
      clear(storage);
      leave(why);
      return false;
    }
    ended = false;
    window.addEventListener('storage', onStorage);
    checker = setInterval(check, CHECK_TOKEN_EVERY_MS);
    const watch = watchActivity(token()?.sessionInactiveTimeout ?? 0, {
      storage,
      now,
      events: window,
      restedMs: async () => (await deps.poll())?.idleMs,
      onInactive: () => void signOut('inactive'),
    });
    stopWatching = watch.stop;
    await watch.entered;
    if (!ended) await renewIfDue();
    return !ended;
  }

  async function check(): Promise<void> {
    if (isOthers()) return;
    if (left() <= 0) return signOut('expired');
    await Promise.all([renewIfDue(), pollIfSensible()]);
  }

  async function renewIfDue(): Promise<void> {
    if (left() >= RENEW_BELOW_MS || isRenewing()) return;
    renewing = true;
    broadcast('true');
    try {
      const reply = await deps.renew();
      // Signed out meanwhile: a token stored now would be one that nobody asked for.
      if (!ended) storeToken(storage, tokenFrom(reply, now()));
    } catch (error) {
      // While time is left, a gateway that restarts is no reason to throw anybody out; the next turn asks again.
      if (!deps.isPassing(error)) await signOut('expired');
    } finally {
      renewing = false;
      broadcast('false');
    }
  }

  async function pollIfSensible(): Promise<void> {
    if (left() <= POLL_ABOVE_MS || isRenewing()) return;
    try {
      await deps.poll();
    } catch (error) {
      if (deps.isRefusal(error)) await signOut('expired');
    }
  }

  async function signOut(why: Leaving = 'asked', atProvider?: string): Promise<void> {
    if (ended || isOthers()) return;
    ended = true;
    stop();
    // Sent first: it needs the token that is about to be forgotten.
    const onGateway = deps.endOnGateway().catch(() => undefined);
    storage.setItem(ENDING_KEY, why);
    clear(storage);
    await onGateway;
    leave(why, atProvider);
  }

  function refused(): void {
    if (!ended) refusal ??= setTimeout(() => void signOut('expired'), REASON_AWAITED_MS);
  }

  function endedAlready(why: EndReason): void {
    if (ended || isOthers()) return;
    ended = true;
    stop();
    storage.setItem(ENDING_KEY, why);
    clear(storage);
    leave(why);
  }

  /** Leaves where it is so: nothing here is theirs to see, and to tell the gateway or to clear anything would end the sign-in of the other. */
  function isOthers(): boolean {
    if (!deps.isTakenOver()) return false;
    if (ended) return true;
    ended = true;
    stop();
    leave('taken-over');
    return true;
  }

  function onStorage(event: StorageEvent): void {
    if (event.key === STORAGE_KEYS.token && isOthers()) return;
    if (event.key === STORAGE_KEYS.tokenRenewal && event.newValue !== null) {
      renewingElsewhere = event.newValue === 'true' ? now() : undefined;
    }
    if (event.key === ENDING_KEY && event.newValue !== null) endingElsewhere = asEndReason(event.newValue);
    // A whole storage that was cleared is told with no key at all.
    const gone = event.key === null || (event.key === STORAGE_KEYS.token && event.newValue === null);
    // Whoever removed it has told the gateway.
    if (gone && !token()) endedAlready(endingElsewhere ?? 'signed_out');
  }

  /** Set and removed at once: only the event matters, and a flag left behind would stop every later renewal. */
  function broadcast(state: 'true' | 'false'): void {
    if (ended) return;
    storage.setItem(STORAGE_KEYS.tokenRenewal, state);
    storage.removeItem(STORAGE_KEYS.tokenRenewal);
  }

  function stop(): void {
    clearInterval(checker);
    clearTimeout(refusal);
    refusal = undefined;
    stopWatching();
    window.removeEventListener('storage', onStorage);
  }

  return { ensure, signOut, refused, ended: endedAlready, stop };
}

/** Preferences of this browser outlive a sign-in; everything else goes with it. */
function clear(storage: Storage): void {
  const kept: readonly string[] = Object.values(PREFERENCES);
  const keys = Array.from({ length: storage.length }, (_, index) => storage.key(index) ?? '');
  for (const key of keys.filter((each) => !kept.includes(each))) storage.removeItem(key);
}
