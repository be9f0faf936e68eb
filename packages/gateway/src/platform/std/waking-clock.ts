/** A clock that stands still while this process does: what nobody had a turn to answer is no silence of theirs. */

const TICK_MS = 250;
/** A tick that comes later than this was kept back by work of our own, or by the machine. */
const MAX_TICK_MS = 2 * TICK_MS;

export interface WakingClock {
  now(): number;
  stop(): void;
}

export function startWakingClock(): WakingClock {
  let awakeMs = 0;
  let last = performance.now();
  const sinceLast = () => Math.min(performance.now() - last, MAX_TICK_MS);
  const timer = setInterval(() => {
    awakeMs += sinceLast();
    last = performance.now();
  }, TICK_MS).unref();
  return { now: () => awakeMs + sinceLast(), stop: () => clearInterval(timer) };
}
