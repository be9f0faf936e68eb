/** How long a statement may take. Whoever knows that theirs takes longer says so; everybody else has the usual time. */
import { AsyncLocalStorage } from 'node:async_hooks';

/** Nothing that a person waits for takes as long; whoever waits longer waits for a connection that is not there any more. */
export const USUAL_DEADLINE_MS = 20_000;
/** For reads in threads of their own: searches, checks and counts over the whole log. */
export const LONG_READ_DEADLINE_MS = 120_000;
/** For steps that rewrite a large table, and for waiting until another gateway has done them. */
export const MIGRATION_DEADLINE_MS = 6 * 3_600_000;

const deadlines = new AsyncLocalStorage<number>();

/** Every statement the work makes has this long; also less than the usual time, where it is better to ask again soon. */
export function withDeadline<T>(ms: number, work: () => Promise<T>): Promise<T> {
  return deadlines.run(ms, work);
}

export function deadlineOr(usualMs: number): number {
  return deadlines.getStore() ?? usualMs;
}
