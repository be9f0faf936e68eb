/** How long a lost agent waits before it dials again. */

export interface BackOff {
  /** The first wait is drawn from zero to this. */
  baseMs: number;
  /** Every later one from zero to twice as much, up to this: a thousand agents come back spread over as long. */
  capMs: number;
}

export const BACK_OFF: BackOff = { baseMs: 500, capMs: 20_000 };

/** A connection that held this long was no failure: the next loss starts from the first wait again. */
export const STABLE_MS = 60_000;

/** Full jitter: a random part of the whole wait, so that agents that lost the same gateway do not return in step. */
export function nextWaitMs({ baseMs, capMs }: BackOff, failures: number, random: () => number): number {
  return random() * Math.min(capMs, baseMs * 2 ** Math.min(failures, 30));
}
