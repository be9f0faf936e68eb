/** A token bucket per address: average 10 calls a minute, burst 20. */

import { AppError } from '../std/app-error.ts';
import { BoundedMap } from '../std/bounded-map.ts';
import { clientKey } from '../std/client-key.ts';

const BURST = 20;
const PER_MS = 10 / 60_000;
/** Beyond this many addresses the oldest is forgotten, so that an attacker cannot grow the table without end. */
const MAX_ADDRESSES = 10_000;

export interface RateLimit {
  take(address: string): void;
}

export function createRateLimit(now: () => number): RateLimit {
  const buckets = new BoundedMap<string, { tokens: number; at: number }>(MAX_ADDRESSES);
  return {
    take(address) {
      const time = now();
      const key = clientKey(address);
      const bucket = buckets.get(key) ?? { tokens: BURST, at: time };
      const tokens = Math.min(BURST, bucket.tokens + (time - bucket.at) * PER_MS);
      buckets.delete(key);
      buckets.set(key, { tokens: Math.max(0, tokens - 1), at: time });
      if (tokens < 1)
        throw new AppError('too_many', 'too many requests from your address: wait a minute and try again');
    },
  };
}
