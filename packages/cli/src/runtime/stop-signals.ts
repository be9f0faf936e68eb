/** Listens for SIGINT and SIGTERM: the first asks to stop in order, the second to stop at once. */
import type { EventEmitter } from 'node:events';

export type StopSignal = 'SIGINT' | 'SIGTERM';

/** npm and the terminal may both deliver one Ctrl-C: two signals this close together are one wish. */
const SAME_WISH_MS = 500;

export interface StopSignals {
  first: Promise<StopSignal>;
  second: Promise<StopSignal>;
  release(): void;
}

export function stopSignals(source: EventEmitter, now: () => number = Date.now): StopSignals {
  const first = Promise.withResolvers<StopSignal>();
  const second = Promise.withResolvers<StopSignal>();
  let askedAt: number | undefined;
  const on = (signal: StopSignal) => {
    if (askedAt === undefined) {
      askedAt = now();
      first.resolve(signal);
    } else if (now() - askedAt >= SAME_WISH_MS) second.resolve(signal);
  };
  source.on('SIGINT', on);
  source.on('SIGTERM', on);
  return {
    first: first.promise,
    second: second.promise,
    release() {
      source.off('SIGINT', on);
      source.off('SIGTERM', on);
    },
  };
}
