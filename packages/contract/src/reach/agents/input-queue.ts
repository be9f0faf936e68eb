/** What was typed and not yet given to the shell, by its place in everything this writer typed. */

import { MAX_INPUT_BYTES } from '../../sessions/terminal-frames.ts';
import { UNTAKEN_BYTES } from './shell-frames.ts';

export interface InputQueue {
  push(bytes: Uint8Array): void;
  /** The next frames that may go out now; each is given once until `resend`. */
  next(): { offset: number; bytes: Uint8Array }[];
  /** The shell was given everything before `offset`. */
  taken(offset: number): void;
  /** After a reconnect everything that was not taken goes out again. False: what should go next is gone. */
  resend(taken: number): boolean;
  /** Begins to count from nothing, for another writer. */
  renumber(): void;
  /** What would be lost if this page ended now. */
  rest(): { offset: number; bytes: Uint8Array };
}

export function createInputQueue(
  from: { offset: number; bytes: Uint8Array } = { offset: 0, bytes: new Uint8Array(0) },
): InputQueue {
  /** Not taken yet; begins at `start`. */
  let kept = from.bytes;
  let start = from.offset;
  let sent = from.offset;

  const taken = (offset: number) => {
    if (offset <= start) return;
    const gone = Math.min(offset - start, kept.length);
    kept = kept.subarray(gone);
    start += gone;
    sent = Math.max(sent, start);
  };
  return {
    push(bytes) {
      const joined = new Uint8Array(kept.length + bytes.length);
      joined.set(kept);
      joined.set(bytes, kept.length);
      kept = joined;
    },
    next() {
      const end = Math.min(start + kept.length, start + UNTAKEN_BYTES);
      const frames: { offset: number; bytes: Uint8Array }[] = [];
      while (sent < end) {
        const bytes = kept.slice(sent - start, Math.min(end, sent + MAX_INPUT_BYTES) - start);
        frames.push({ offset: sent, bytes });
        sent += bytes.length;
      }
      return frames;
    },
    taken,
    resend(offset) {
      if (offset < start || offset > start + kept.length) return false;
      taken(offset);
      sent = start;
      return true;
    },
    renumber() {
      start = 0;
      sent = 0;
    },
    rest: () => ({ offset: start, bytes: kept }),
  };
}
