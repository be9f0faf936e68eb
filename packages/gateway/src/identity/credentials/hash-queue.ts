/** Lets a few slow jobs run at once, lets a bounded number wait, and refuses the rest. */
import { AppError } from '../../platform/std/app-error.ts';

export interface HashQueue {
  run<T>(job: () => Promise<T>): Promise<T>;
}

export function createHashQueue({ atOnce, waitingMax }: { atOnce: number; waitingMax: number }): HashQueue {
  const waiting: (() => void)[] = [];
  let running = 0;

  return {
    async run(job) {
      if (running >= atOnce) {
        if (waiting.length >= waitingMax) {
          throw new AppError('unavailable', 'too many people are signing in right now: try again in a moment');
        }
        // The place is handed over, not freed and taken again: a newcomer in between would make it one too many.
        await new Promise<void>((resolve) => waiting.push(resolve));
      } else {
        running++;
      }
      try {
        return await job();
      } finally {
        const next = waiting.shift();
        if (next) next();
        else running--;
      }
    },
  };
}
