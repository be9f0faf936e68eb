/** Signs the user out after a time without keyboard or pointer, in whichever tab it was used last. */
import { STORAGE_KEYS } from '@gatehouse/contract/local-storage';

export const CHECK_EVERY_MS = 30_000;
export const RECORD_EVERY_MS = 15_000;
/** Signing out a little early keeps the gateway from being first. */
export const MARGIN_MS = 30_000;

const SIGNS = ['keydown', 'pointermove', 'pointerdown'] as const;

interface ActivityDeps {
  storage: Pick<Storage, 'getItem' | 'setItem'>;
  events: Pick<EventTarget, 'addEventListener' | 'removeEventListener'>;
  now: () => number;
  onInactive: () => void;
}

/** Returns what ends the watch. A timeout of 0 watches nothing. */
export function watchActivity(timeoutMs: number, { storage, events, now, onInactive }: ActivityDeps): () => void {
  if (timeoutMs === 0) return () => {};
  let recorded = Number.NEGATIVE_INFINITY;

  const record = () => {
    if (now() - recorded < RECORD_EVERY_MS) return;
    recorded = now();
    storage.setItem(STORAGE_KEYS.lastActive, String(recorded));
  };
  const check = () => {
    const lastActive = Number(storage.getItem(STORAGE_KEYS.lastActive));
    if (!isInactive(lastActive, timeoutMs, now())) return;
    console.warn('inactive session');
    stop();
    onInactive();
  };
  const stop = () => {
    clearInterval(timer);
    for (const sign of SIGNS) events.removeEventListener(sign, record);
  };

  for (const sign of SIGNS) events.addEventListener(sign, record, { passive: true });
  const timer = setInterval(check, CHECK_EVERY_MS);
  // Nobody was seen yet in this sign-in: it begins now.
  if (storage.getItem(STORAGE_KEYS.lastActive) === null) record();
  check();
  return stop;
}

function isInactive(lastActive: number, timeoutMs: number, now: number): boolean {
  return lastActive < now - (timeoutMs - MARGIN_MS);
}
