/** Follows the engine through its steps, which it takes all at once, so that each of them is told by itself. */
import type { DesktopStep } from './engine/desktop-link.ts';

/** In the order that it takes them. */
export const ENGINE_STEPS = ['protocol', 'tls', 'certificate', 'sign_in'] as const satisfies readonly DesktopStep[];

export interface FollowedSteps {
  /** It has begun with this one. */
  begin(step: DesktopStep): void;
  finish(): void;
  fail(why: unknown): void;
  /** Why it failed. */
  failed(): unknown;
  /** Resolves when it is past the step; throws why it did not come past it. */
  past(step: DesktopStep): Promise<void>;
}

export function followSteps(): FollowedSteps {
  let at = 0;
  let isOver = false;
  let why: unknown;
  let next = Promise.withResolvers<void>();
  const wake = () => {
    next.resolve();
    next = Promise.withResolvers<void>();
  };
  return {
    begin(step) {
      at = ENGINE_STEPS.indexOf(step);
      wake();
    },
    finish() {
      isOver = true;
      wake();
    },
    fail(reason) {
      isOver = true;
      why = reason;
      wake();
    },
    failed: () => why,
    async past(step) {
      const wanted = ENGINE_STEPS.indexOf(step);
      while (at <= wanted && !isOver) await next.promise;
      if (at <= wanted && why !== undefined) throw why;
    },
  };
}
