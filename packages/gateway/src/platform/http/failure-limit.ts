/** Counts only what fails, and still holds for many calls at once: each takes from its address first, and what works gives it back. */

import { clientKey } from '../std/client-key.ts';
import { createRateLimit } from './rate-limit.ts';

/** In line at one address. A provider that ends a thousand sign-ins says so a thousand times at once, and every one of them counts. */
const MAX_WAITING = 5_000;

export interface FailureLimit {
  /** Throws for an address that has failed too often; counts nothing. */
  check(address: string): void;
  /** Runs one call; it costs what `failed` says of its result, or that it threw. */
  run<T>(address: string, work: () => Promise<T>, failed: (result: T) => boolean): Promise<T>;
}

/** Of one address, while it has calls whose outcome is open. */
interface Open {
  /** Running, in line, or on the way from one to the other. */
  here: number;
  running: number;
  line: (() => void)[];
}

export function createFailureLimit(now: () => number): FailureLimit {
  const limit = createRateLimit(now);
  const addresses = new Map<string, Open>();

  const openAt = (key: string): Open => {
    const held = addresses.get(key);
    if (held) return held;
    const made: Open = { here: 0, running: 0, line: [] };
    addresses.set(key, made);
    return made;
  };

  /** Whoever finds nothing left waits for those under way: they may give back. With none under way it is refused. */
  async function enter(address: string, open: Open): Promise<void> {
    for (;;) {
      try {
        limit.take(address);
        open.running += 1;
        return;
      } catch (error) {
        if (open.running === 0 || open.line.length >= MAX_WAITING) throw error;
        await new Promise<void>((resolve) => open.line.push(resolve));
      }
    }
  }

  /** One result makes room for at most one; after the last nobody is left to wait for. */
  function leave(open: Open): void {
    open.running -= 1;
    for (const go of open.line.splice(0, open.running === 0 ? open.line.length : 1)) go();
  }

  async function runOne<T>(address: string, open: Open, work: () => Promise<T>, failed: (result: T) => boolean) {
    await enter(address, open);
    try {
      const result = await work();
      if (!failed(result)) limit.giveBack(address);
      return result;
    } finally {
      leave(open);
    }
  }

  return {
    check(address) {
      if (!addresses.has(clientKey(address))) limit.check(address);
    },
    async run(address, work, failed) {
      const key = clientKey(address);
      const open = openAt(key);
      open.here += 1;
      try {
        return await runOne(address, open, work, failed);
      } finally {
        open.here -= 1;
        if (open.here === 0) addresses.delete(key);
      }
    },
  };
}
