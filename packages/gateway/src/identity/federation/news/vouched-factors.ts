/** Second factors that somebody has given here for a leaf: it is handed a word in their place, and asks its root about that as about every code. */
import { randomBytes } from 'node:crypto';
import { BoundedMap } from '../../../platform/std/bounded-map.ts';

export interface VouchedFactors {
  /** Good once, for that sign-in, when that leaf asks. */
  vouch(leafId: string, signInId: string): string;
  take(leafId: string, signInId: string, word: string): boolean;
}

/** In letters as long as codes may be, which travel in the same field; no code of an app has as many. */
const BYTES = 12;
/** From one gateway to another and back. */
const LASTS_MS = 60_000;
const MAX = 10_000;

export function createVouchedFactors(now: () => number): VouchedFactors {
  const given = new BoundedMap<string, number>(MAX);
  const keyOf = (...parts: [leafId: string, signInId: string, word: string]) => JSON.stringify(parts);
  return {
    vouch(leafId, signInId) {
      const word = randomBytes(BYTES).toString('base64url');
      given.set(keyOf(leafId, signInId, word), now() + LASTS_MS);
      return word;
    },
    take(leafId, signInId, word) {
      const key = keyOf(leafId, signInId, word);
      const until = given.get(key);
      given.delete(key);
      return until !== undefined && until > now();
    },
  };
}
