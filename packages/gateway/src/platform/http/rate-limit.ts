/** A token bucket per address: by default an average of 10 calls a minute, burst 20. */

import { AppError } from '../std/app-error.ts';
import { BoundedMap } from '../std/bounded-map.ts';
import { clientKey } from '../std/client-key.ts';

export const STRICT = { burst: 20, perMinute: 10 };
/** Of a whole network, for what is counted by client as well. */
export const NETWORK = { burst: 400, perMinute: 200 };
/** What a whole office does through one address. */
export const OFTEN = { burst: 200, perMinute: 60 };
/** Beyond this many addresses the oldest is forgotten, so that an attacker cannot grow the table without end. */
const MAX_ADDRESSES = 10_000;

export interface RateLimit {
  /** Throws when there were too many. A refused call costs nothing: whoever asks again and again is let in as often as whoever waits. */
  take(address: string): void;
  /** For a call that was taken and does not count after all. */
  giveBack(address: string): void;
  /** Throws likewise, and counts nothing. */
  check(address: string): void;
}

export interface Rate {
  burst: number;
  perMinute: number;
  /** Who is counted together. */
  keyOf?(address: string): string;
}

export function createRateLimit(now: () => number, { burst, perMinute, keyOf = clientKey }: Rate = STRICT): RateLimit {
  const buckets = new BoundedMap<string, { tokens: number; at: number }>(MAX_ADDRESSES);
  const left = (key: string, time: number) => {
    const bucket = buckets.get(key) ?? { tokens: burst, at: time };
    return Math.min(burst, bucket.tokens + ((time - bucket.at) * perMinute) / 60_000);
  };
  const keep = (key: string, tokens: number, at: number) => {
    buckets.delete(key);
    buckets.set(key, { tokens: Math.min(burst, tokens), at });
  };
  const refuseEmpty = (tokens: number) => {
    if (tokens < 1) throw tooMany();
  };
  return {
    take(address) {
      const time = now();
      const key = keyOf(address);
      const tokens = left(key, time);
      refuseEmpty(tokens);
      keep(key, tokens - 1, time);
    },
    giveBack(address) {
      const time = now();
      const key = keyOf(address);
      keep(key, left(key, time) + 1, time);
    },
    check: (address) => refuseEmpty(left(keyOf(address), now())),
  };
}

export function tooMany(): AppError {
  return new AppError('too_many', 'too many requests from your address: wait a minute and try again');
}
