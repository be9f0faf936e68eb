/** Tells those who follow the log that it grew, on whichever gateway: one small read serves all of them. */
import type { Log } from '../../platform/std/log.ts';
import type { Db } from '../../platform/storage/tables.ts';
import { chainEnds, type Reached } from './search/follow-events.ts';

const LOOK_EVERY_MS = 300;

interface Waiter {
  after: Reached;
  wake(): void;
}

export interface LogNews {
  /** Resolves when the log holds more than `after`, when the time is over, or when the gateway closes. */
  wait(after: Reached, maxMs: number): Promise<void>;
  readonly closed: boolean;
  close(): void;
}

export function createLogNews(db: Db, log: Log): LogNews {
  const waiters = new Set<Waiter>();
  let timer: NodeJS.Timeout | undefined;
  let closed = false;

  async function look(): Promise<void> {
    try {
      const ends = await chainEnds(db);
      for (const waiter of waiters) if (isBehind(waiter.after, ends)) waiter.wake();
    } catch (error) {
      log.debug({ error }, 'the end of the log cannot be read');
    }
    timer = waiters.size > 0 && !closed ? setTimeout(() => void look(), LOOK_EVERY_MS).unref() : undefined;
  }

  return {
    get closed() {
      return closed;
    },
    async wait(after, maxMs) {
      if (closed) return;
      await new Promise<void>((resolve) => {
        const wake = () => {
          clearTimeout(late);
          waiters.delete(waiter);
          resolve();
        };
        const late = setTimeout(wake, maxMs);
        const waiter: Waiter = { after, wake };
        waiters.add(waiter);
        timer ??= setTimeout(() => void look(), LOOK_EVERY_MS).unref();
      });
    },
    close() {
      closed = true;
      clearTimeout(timer);
      for (const waiter of waiters) waiter.wake();
    },
  };
}

function isBehind(after: Reached, ends: Reached): boolean {
  return Object.entries(ends).some(([chain, end]) => end > (after[chain] ?? 0));
}
