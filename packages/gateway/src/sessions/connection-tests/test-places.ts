/** Bounds how many tests run at once: each holds connections of its own for a while. */
import { AppError } from '../../platform/std/app-error.ts';

const MOST = 50;
const MAX_PER_USER = 5;

export interface TestPlaces {
  /** Throws `too_many` when there is no place. */
  take<T>(user: string, work: () => Promise<T>): Promise<T>;
}

export function createPlaces(): TestPlaces {
  const running = new Map<string, number>();
  let all = 0;
  return {
    async take(user, work) {
      const own = running.get(user) ?? 0;
      if (own >= MAX_PER_USER || all >= MOST)
        throw new AppError('too_many', 'too many connections are being tested: try again in a moment');
      running.set(user, own + 1);
      all += 1;
      try {
        return await work();
      } finally {
        all -= 1;
        const left = (running.get(user) ?? 1) - 1;
        if (left === 0) running.delete(user);
        else running.set(user, left);
      }
    },
  };
}
