/** How often what comes of a token is written down: whoever holds one can fetch its script as often as they like. */
import { createOncePer, createThrottle } from '../../../platform/std/throttle.ts';
import type { Attempt } from './join-attempt-store.ts';

/** The same machine with the same words again within this says nothing new. */
const REPEAT_MS = 5_000;
/** By all machines with one token, which is far more than the page shows. */
const MAX_NOTES = { times: 300, ms: 60_000 };

export interface AttemptNotes {
  mayNote(token: { id: string }, attempt: Attempt): boolean;
}

export function createAttemptNotes(now: () => number): AttemptNotes {
  const firstTime = createOncePer(REPEAT_MS, now);
  const mayWrite = createThrottle(MAX_NOTES.times, MAX_NOTES.ms, now);
  return {
    mayNote: ({ id }, { outcome, address, name = '', reason = '' }) =>
      firstTime([id, outcome, address, name, reason].join(' ')) && mayWrite(id),
  };
}
