/** Chance that can be had again: the same seed throws the same bytes. */

export interface Random {
  readonly seed: number;
  /** From 0 up to, without, 1. */
  next(): number;
  /** A whole number from 0 up to, without, the limit. */
  below(limit: number): number;
  chance(share: number): boolean;
  pick<T>(from: readonly T[]): T;
  bytes(length: number): Buffer;
  /** A few bytes changed, cut out, doubled or put in. */
  mutate(bytes: Buffer): Buffer;
  /** A generator of its own, so that what runs side by side does not mix. */
  fork(): Random;
}

/** Numbers at which readers break. */
export const ODD_NUMBERS: readonly number[] = [
  0,
  1,
  2,
  9,
  125,
  126,
  127,
  128,
  255,
  256,
  65_535,
  65_536,
  2 ** 24,
  2 ** 31 - 1,
  2 ** 31,
  2 ** 32 - 1,
  2 ** 47,
  2 ** 53 - 1,
];

export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  // mulberry32: small, and good enough to choose bytes with.
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  const random: Random = {
    seed,
    next,
    below,
    chance: (share) => next() < share,
    pick: (from) => from[below(from.length)]!,
    bytes(length) {
      const bytes = Buffer.alloc(length);
      for (let at = 0; at < length; at++) bytes[at] = below(256);
      return bytes;
    },
    mutate(bytes) {
      let mutated = Buffer.from(bytes);
      for (let times = 1 + below(4); times > 0 && mutated.length > 0; times--) {
        const at = below(mutated.length);
        const how = below(5);
        if (how === 0) mutated[at] = below(256);
        else if (how === 1) mutated[at] = mutated[at]! ^ (1 << below(8));
        else if (how === 2) mutated = Buffer.concat([mutated.subarray(0, at), mutated.subarray(at + 1 + below(8))]);
        else if (how === 3)
          mutated = Buffer.concat([mutated.subarray(0, at), random.bytes(below(8)), mutated.subarray(at)]);
        else mutated = Buffer.concat([mutated.subarray(0, at), mutated.subarray(at, at + 64), mutated.subarray(at)]);
      }
      return mutated;
    },
    fork: () => createRandom(below(2 ** 32)),
  };
  return random;
}
