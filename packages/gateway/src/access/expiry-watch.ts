/** Says that a role or a lock has run out: nothing else would, and what stands on it would stay open. */

/** Well within the two seconds in which whatever is open must be over. Looked at rather than waited for: clocks are set. */
const LOOK_EVERY_MS = 500;

export interface ExpiryWatch {
  /** There are other roles or locks now. */
  renew(): void;
  close(): void;
}

interface ExpiryWatchDeps {
  /** When each of them runs out. */
  times(): Iterable<number | undefined>;
  now: () => number;
  onExpired(): void;
}

export function watchExpiries({ times, now, onExpired }: ExpiryWatchDeps): ExpiryWatch {
  /** What had run out by then is told already. */
  let looked = now();
  let next = Number.POSITIVE_INFINITY;
  const renew = () => {
    next = Number.POSITIVE_INFINITY;
    for (const time of times()) if (time !== undefined && time > looked && time < next) next = time;
  };
  const timer = setInterval(() => {
    const time = now();
    if (time < next) return;
    looked = time;
    renew();
    onExpired();
  }, LOOK_EVERY_MS).unref();
  renew();
  return { renew, close: () => clearInterval(timer) };
}
