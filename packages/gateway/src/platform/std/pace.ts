/** How fast something goes on: so much at once, and from then on so much a second. Whoever comes too early waits, and nothing is refused. */
import { setTimeout as sleep } from 'node:timers/promises';

export interface Rate {
  burst: number;
  perSecond: number;
}

export interface Pace {
  /** Resolves once there is room for that many; at once after `over`. */
  wait(count: number, over: AbortSignal): Promise<void>;
  /** Whether one would pass at once. */
  hasRoom(): boolean;
}

export function createPace({ burst, perSecond }: Rate, now: () => number = () => performance.now()): Pace {
  /** Below nothing by what was let through and is not earned yet. */
  let left = burst;
  let at = now();
  const earn = () => {
    const time = now();
    left = Math.min(burst, left + ((time - at) / 1000) * perSecond);
    at = time;
  };
  return {
    hasRoom() {
      earn();
      return left >= 1;
    },
    async wait(count, over) {
      earn();
      left -= count;
      // What is let through is paid for by whoever comes next: more than a burst in one go passes as well.
      const missing = Math.max(0, -left);
      if (missing > 0 && !over.aborted)
        await sleep((missing / perSecond) * 1000, undefined, { signal: over, ref: false }).catch(() => {});
    },
  };
}
