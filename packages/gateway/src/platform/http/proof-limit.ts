/** Counts what comes without a proof. The proof is looked at first: whoever has one is heard, whatever strangers sent from the same address. */

import { AppError } from '../std/app-error.ts';
import { createRateLimit } from './rate-limit.ts';

export interface ProofLimit {
  /** Runs one call, which refuses cheaply; one more refusal than an address may have is told as too many. */
  run<T>(address: string, work: () => Promise<T>): Promise<T>;
}

export function createProofLimit(now: () => number): ProofLimit {
  const limit = createRateLimit(now);
  return {
    async run(address, work) {
      try {
        return await work();
      } catch (error) {
        // What failed by a fault of ours is to be sent again, and must look like that.
        if (error instanceof AppError) limit.take(address);
        throw error;
      }
    },
  };
}
