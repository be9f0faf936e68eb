/** Everything a session has printed, from its recording and from what is held, in the order and at the size it was printed. */
import type { OutputBuffer } from '@gatehouse/tunnel/shells/output-buffer';
import type { Timeline } from '@gatehouse/tunnel/shells/timeline';
import type { PastOutput } from '../past-output.ts';
import type { Size } from './session-screen.ts';

export interface PrintedPart extends Size {
  offset: number;
  bytes: Uint8Array;
}

export interface ScreenSource {
  readonly sid: string;
  /** The first byte that can still be had, and one beyond the last. */
  readonly start: number;
  readonly end: number;
  readonly size: Size;
  /** Up to what has been printed when it is asked for; what cannot be had any more is left out. */
  read(from: number): AsyncGenerator<PrintedPart>;
}

export interface ScreenSourceDeps {
  sid: string;
  held(): OutputBuffer;
  timeline(): Timeline;
  /** What has stored it. */
  past(): { past(from: number): AsyncIterable<PastOutput> } | undefined;
}

export function screenSource({ sid, held, timeline, past }: ScreenSourceDeps): ScreenSource {
  const size = (): Size => {
    const { cols, rows } = timeline().now;
    return { cols, rows };
  };
  return {
    sid,
    get start() {
      return past() ? 0 : held().start;
    },
    get end() {
      return held().end;
    },
    get size() {
      return size();
    },
    async *read(from) {
      const { end } = held();
      let at = from;
      const stored = at < held().start ? past() : undefined;
      if (stored) {
        let before = size();
        try {
          for await (const { offset, bytes, size: then } of stored.past(at)) {
            before = then ?? before;
            const fresh = bytes.subarray(Math.max(0, at - offset));
            if (fresh.length > 0) yield { offset: Math.max(at, offset), ...before, bytes: fresh };
            at = Math.max(at, offset + bytes.length);
            if (at >= held().start) break;
          }
        } catch {
          // Gone or unreadable: as if it had never been recorded.
        }
      }
      at = Math.max(at, held().start);
      while (at < end) {
        const { cols, rows } = timeline().at(at);
        const bytes = held().read(at, Math.min(end, timeline().nextAfter(at)) - at);
        if (bytes.length === 0) return;
        yield { offset: at, cols, rows, bytes };
        at += bytes.length;
      }
    },
  };
}
