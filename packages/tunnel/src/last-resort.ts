/** What a process does about an error that nobody caught: closes the connection it came of, or else ends in order (docs/decisions/0016). */
import type { EventEmitter } from 'node:events';
import { blameCurrent } from './contain.ts';

export interface LastResort {
  /** Resolves with the first error that came of no connection: nobody can say what it left undone, so the process is to end. */
  readonly failed: Promise<Error>;
  release(): void;
}

/** `source` is the process. `onFault` hears of every error that came of no connection; the others are told as contained. */
export function lastResort(source: EventEmitter, onFault: (error: Error) => void): LastResort {
  const { promise, resolve } = Promise.withResolvers<Error>();
  // A promise that is rejected while nobody waits for it arrives here as well.
  const take = (thrown: unknown) => {
    if (blameCurrent(thrown)) return;
    const error = thrown instanceof Error ? thrown : new Error(String(thrown));
    onFault(error);
    resolve(error);
  };
  source.on('uncaughtException', take);
  return { failed: promise, release: () => void source.off('uncaughtException', take) };
}
