/** Signs the user out after a time without keyboard or pointer, in whichever tab it was used last. */
import { STORAGE_KEYS } from '@gatehouse/contract/console/local-storage';

export const CHECK_EVERY_MS = 30_000;
export const RECORD_EVERY_MS = 15_000;
/** Signing out a little early keeps the gateway from being first. */
export const MARGIN_MS = 30_000;

const SIGNS = ['keydown', 'pointermove', 'pointerdown'] as const;
/** On the way down: a terminal keeps every key it takes from going further up. */
const ON_THE_WAY_DOWN = { passive: true, capture: true } as const;

interface ActivityDeps {
  storage: Pick<Storage, 'getItem' | 'setItem'>;
  events: Pick<EventTarget, 'addEventListener' | 'removeEventListener'>;
  now: () => number;
  /** How long the gateway has not seen the sign-in used, in applications for instance; undefined when it does not say. */
  restedMs: () => Promise<number | undefined>;
  onInactive: () => void;
}

export interface ActivityWatch {
  /** Once it is known whether whoever comes in had been away for too long. */
  entered: Promise<void>;
  stop: () => void;
}

/** A timeout of 0 watches nothing. */
export function watchActivity(timeoutMs: number, deps: ActivityDeps): ActivityWatch {
  if (timeoutMs === 0) return { entered: Promise.resolve(), stop: () => {} };
  const { storage, events, now, onInactive } = deps;
  let recorded = Number.NEGATIVE_INFINITY;
  let isAsking = false;
  let isStopped = false;

  const isInactive = () => Number(storage.getItem(STORAGE_KEYS.lastActive)) < now() - (timeoutMs - MARGIN_MS);
  const record = () => {
    if (now() - recorded < RECORD_EVERY_MS) return;
    recorded = now();
    storage.setItem(STORAGE_KEYS.lastActive, String(recorded));
  };
  /** The gateway also knows of the tabs beside this one that are no consoles. Without its word nobody is taken to be there. */
  const askGateway = async () => {
    const rested = await deps.restedMs().catch(() => undefined);
    if (rested === undefined || isStopped) return;
    const seen = now() - rested;
    if (seen > Number(storage.getItem(STORAGE_KEYS.lastActive))) storage.setItem(STORAGE_KEYS.lastActive, String(seen));
  };
  const check = async () => {
    if (isAsking || !isInactive()) return;
    isAsking = true;
    await askGateway();
    isAsking = false;
    if (isStopped || !isInactive()) return;
    console.warn('inactive session');
    stop();
    onInactive();
  };
  const stop = () => {
    isStopped = true;
    clearInterval(timer);
    for (const sign of SIGNS) events.removeEventListener(sign, record, ON_THE_WAY_DOWN);
  };

  for (const sign of SIGNS) events.addEventListener(sign, record, ON_THE_WAY_DOWN);
  const timer = setInterval(() => void check(), CHECK_EVERY_MS);
  // Nobody was seen yet in this sign-in: it begins now.
  if (storage.getItem(STORAGE_KEYS.lastActive) === null) record();
  return { entered: check(), stop };
}
