/**
 * Counts only what fails, and still holds for many calls at once: each takes from its client and its network first, and what works gives
 * it back.
 */

import { clientKey, clientNetwork } from '../std/client-key.ts';
import { createRateLimit, NETWORK, type Rate, STRICT, tooMany } from './rate-limit.ts';

/** In line, for outcomes that may make room. Each holds the body it came with. */
const MAX_WAITING = 50;
const MAX_WAITING_NETWORK = 500;

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
  const clients = createLayer(now, { ...STRICT, keyOf: clientKey, waiting: MAX_WAITING });
  const networks = createLayer(now, { ...NETWORK, keyOf: clientNetwork, waiting: MAX_WAITING_NETWORK });
  return {
    check(address) {
      clients.check(address);
      networks.check(address);
    },
    run: (address, work, failed) => clients.run(address, () => networks.run(address, work, failed), failed),
  };
}

function createLayer(
  now: () => number,
  { waiting, keyOf, ...rate }: Required<Rate> & { waiting: number },
): FailureLimit {
  const limit = createRateLimit(now, { ...rate, keyOf });
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
        if (open.running === 0 || open.line.length >= waiting) throw error;
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
      // While outcomes are open nobody knows what is left, and some more may wait for them.
      const open = addresses.get(keyOf(address));
      if (!open) limit.check(address);
      else if (open.line.length >= waiting) throw tooMany();
    },
    async run(address, work, failed) {
      const key = keyOf(address);
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
