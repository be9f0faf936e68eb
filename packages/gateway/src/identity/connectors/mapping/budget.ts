/** How long a mapping may run, and how long at once: expressions are written by one stranger, and what they are held against by another. */
import { ProviderError } from '../providers/provider-error.ts';

const MAX_MS = 2_000;
/** Then everybody else on the same thread has their turn. */
const SLICE_MS = 10;
/** Looking at the clock costs as much as a match. */
const LOOK_EVERY = 32;

export interface Budget {
  /** Before each match of a pattern. True when others should have their turn first. Throws `ProviderError` when the time is over. */
  spend(): boolean;
  /** They have had it. */
  goOn(): void;
}

/** By the time this thread has run: a busy machine must not make a mapping fail that is quick on an idle one. */
export function createBudget(clock: () => number = ownMs): Budget {
  let began = clock();
  let spent = 0;
  let count = 0;
  return {
    spend() {
      count += 1;
      if (count % LOOK_EVERY !== 0) return false;
      const ran = clock() - began;
      if (spent + ran >= MAX_MS)
        throw new ProviderError(
          'mapping',
          'the mapping takes too long for so many values: write patterns with fixed text in them, or let the provider send fewer groups',
          { failure: 'callback' },
        );
      if (ran < SLICE_MS) return false;
      spent += ran;
      return true;
    },
    goOn() {
      began = clock();
    },
  };
}

function ownMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
