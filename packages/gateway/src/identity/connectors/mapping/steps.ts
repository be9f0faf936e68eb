/** Work that stops wherever others should have their turn. */
import { setImmediate } from 'node:timers/promises';

export type Steps<T> = Generator<undefined, T>;

/** While whoever waits for anything else of this thread goes on. */
export async function inTurns<T>(steps: Steps<T>): Promise<T> {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    await setImmediate();
  }
}

/** For what is known to be short. */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}
