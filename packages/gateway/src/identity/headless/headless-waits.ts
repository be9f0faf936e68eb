/** Calls that are held until a request of a machine without a browser changes, at whichever gateway. */
import { whenAborted } from '@gatehouse/contract/std/when-aborted';
import type { ChangeFeed } from '../../platform/change-feed/change-feed.ts';
import { AppError } from '../../platform/std/app-error.ts';
import { HEADLESS_TOPIC } from './headless-store.ts';

export interface HeadlessWaits {
  /**
   * What `look` finds, as soon as it finds something; undefined once the time is over or the caller is gone. `who` is counted: one
   * caller holds no more than a few. Throws when the gateway stops.
   */
  until<T>(
    wait: { id: string; who: string; ms: number; gone: AbortSignal },
    look: () => Promise<T | undefined>,
  ): Promise<T | undefined>;
  close(): void;
}

/** Of one caller, and of all. */
const MAX_HELD = 8;
const MAX_ALL = 2_000;

export function createHeadlessWaits(feed: ChangeFeed): HeadlessWaits {
  const waiting = new Map<string, Set<() => void>>();
  const held = new Map<string, number>();
  const stopped = new AbortController();
  const wakeAll = () => {
    for (const listeners of waiting.values()) for (const wake of listeners) wake();
  };
  const subscription = feed.subscribe([HEADLESS_TOPIC], {
    change: ({ id }) => {
      for (const wake of waiting.get(id) ?? []) wake();
    },
    gap: wakeAll,
  });

  function listen(id: string, wake: () => void): () => void {
    const listeners = waiting.get(id) ?? new Set();
    waiting.set(id, listeners.add(wake));
    return () => {
      listeners.delete(wake);
      if (listeners.size === 0) waiting.delete(id);
    };
  }

  async function hold<T>(who: string, work: () => Promise<T>): Promise<T> {
    const before = held.get(who) ?? 0;
    const all = [...held.values()].reduce((sum, each) => sum + each, 0);
    if (before >= MAX_HELD || all >= MAX_ALL)
      throw new AppError('too_many', 'too many calls of yours wait already: let them end first');
    held.set(who, before + 1);
    try {
      return await work();
    } finally {
      const left = (held.get(who) ?? 1) - 1;
      if (left > 0) held.set(who, left);
      else held.delete(who);
    }
  }

  return {
    until: ({ id, who, ms, gone }, look) =>
      hold(who, async () => {
        const over = AbortSignal.any([gone, stopped.signal, AbortSignal.timeout(ms)]);
        let next = Promise.withResolvers<void>();
        const wake = () => next.resolve();
        const forget = listen(id, wake);
        const unheard = whenAborted(over, wake);
        try {
          for (;;) {
            // Before it is looked: what changes while it is looked is looked at again.
            next = Promise.withResolvers();
            const found = await look();
            if (found !== undefined) return found;
            if (stopped.signal.aborted) throw new AppError('unavailable', 'the gateway stops: try again');
            if (over.aborted) return undefined;
            await next.promise;
          }
        } finally {
          forget();
          unheard();
        }
      }),
    close() {
      subscription.close();
      stopped.abort();
      wakeAll();
    },
  };
}
