/** The time between being told to stop and having stopped, and how it is shared out. It begins once. */

/** Of it, for writing down how things ended; of a short one a third. */
const KEPT_BACK_MS = 5_000;
/** Also a gateway that is told not to wait has to write down what it ends. */
const MIN_MS = 2_000;

export interface Drain {
  /** The first call counts. Without a time, the one that is configured. */
  begin(withinMs?: number): void;
  /** Left for people to finish what they are at. */
  peopleMs(): number;
  /** Left for all of it. */
  leftMs(): number;
}

/** How long a process with this drain time takes at most. */
export function closesWithinMs(drainSeconds: number): number {
  return Math.max(MIN_MS, drainSeconds * 1000);
}

export function createDrain(drainSeconds: number, now: () => number = () => performance.now()): Drain {
  let began: number | undefined;
  let wholeMs = closesWithinMs(drainSeconds);
  // Waiting for people is what the setting is about: with 0 nobody is waited for.
  let peopleMs = drainSeconds * 1000;
  const passedMs = () => (began === undefined ? 0 : now() - began);
  return {
    begin(withinMs = wholeMs) {
      if (began !== undefined) return;
      began = now();
      wholeMs = Math.min(wholeMs, withinMs);
      peopleMs = Math.min(peopleMs, wholeMs) - Math.min(KEPT_BACK_MS, Math.min(peopleMs, wholeMs) / 3);
    },
    peopleMs: () => Math.max(0, peopleMs - passedMs()),
    leftMs: () => Math.max(0, wholeMs - passedMs()),
  };
}
