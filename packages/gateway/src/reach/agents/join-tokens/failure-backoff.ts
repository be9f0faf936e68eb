/** Slows down whoever shows secrets that are none. Only failures count: a thousand machines behind one address may all come at once. */

import { AppError } from '../../../platform/std/app-error.ts';
import { BoundedMap } from '../../../platform/std/bounded-map.ts';
import { clientKey } from '../../../platform/std/client-key.ts';
import { createMutex, type Mutex } from '../../../platform/std/mutex.ts';

const FREE_FAILURES = 20;
const MAX_WAIT_MS = 60_000;
const FORGET_MS = 30 * 60_000;
const MAX_ADDRESSES = 10_000;
const MAX_WAITING = 5_000;

export interface FailureBackoff {
  /** Looks one secret up; throws `too_many` without looking where the address has to wait. */
  look<T>(address: string, find: () => Promise<T | undefined>): Promise<T | undefined>;
  /** A failure that showed only later. */
  failed(address: string): void;
}

interface Past {
  failures: number;
  last: number;
  waiting: number;
  inTurn: Mutex;
}

export function createFailureBackoff(now: () => number): FailureBackoff {
  const addresses = new BoundedMap<string, Past>(MAX_ADDRESSES);

  const pastOf = (key: string): Past => {
    const held = addresses.get(key);
    if (held) return held;
    const made: Past = { failures: 0, last: 0, waiting: 0, inTurn: createMutex() };
    addresses.set(key, made);
    return made;
  };
  const fail = (past: Past) => {
    past.failures = (now() - past.last > FORGET_MS ? 0 : past.failures) + 1;
    past.last = now();
  };

  return {
    async look(address, find) {
      const key = clientKey(address);
      const past = pastOf(key);
      if (past.waiting >= MAX_WAITING) throw tooMany();
      past.waiting += 1;
      try {
        // One after the other: of a thousand guesses at once, the last must know how the first ones went.
        return await past.inTurn(async () => {
          if (now() < past.last + waitMs(past.failures)) throw tooMany();
          const found = await find();
          if (found === undefined) fail(past);
          return found;
        });
      } finally {
        past.waiting -= 1;
        if (past.waiting === 0 && past.failures === 0 && addresses.get(key) === past) addresses.delete(key);
      }
    },
    failed: (address) => fail(pastOf(clientKey(address))),
  };
}

/** From the twentieth failure on: a second, two, four, and so on to a minute. */
function waitMs(failures: number): number {
  return failures < FREE_FAILURES ? 0 : Math.min(1000 * 2 ** (failures - FREE_FAILURES), MAX_WAIT_MS);
}

function tooMany(): AppError {
  return new AppError('too_many', 'too many wrong join tokens from your address: wait a minute and try again');
}
