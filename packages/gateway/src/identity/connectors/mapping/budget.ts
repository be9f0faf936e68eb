/** How long a mapping may hold the only thread: expressions are written by one stranger, and what they are held against by another. */
import { ProviderError } from '../provider-error.ts';

const MAX_MS = 2_000;
/** Looking at the clock costs as much as a match. */
const LOOK_EVERY = 32;

export interface Budget {
  /** Before each match of a pattern. Throws `ProviderError` when the time is over. */
  spend(): void;
}

export function createBudget(clock: () => number = () => performance.now()): Budget {
  const end = clock() + MAX_MS;
  let count = 0;
  return {
    spend() {
      count += 1;
      if (count % LOOK_EVERY !== 0 || clock() < end) return;
      throw new ProviderError(
        'mapping',
        'the mapping takes too long for so many values: write patterns with fixed text in them, or let the provider send fewer groups',
        { failure: 'callback' },
      );
    },
  };
}
