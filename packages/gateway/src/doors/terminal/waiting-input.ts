/**
 * What somebody does before their shell can take it: keys and sizes wait here, in order and bounded. People type while a server
 * is dialled, and what a client sends in its first breath must not be lost.
 */
import { InputError } from '@gatehouse/tunnel/shells/writers';

/** More than a page of commands. Nobody types it; who pastes more hears that it was too much instead of losing the middle. */
export const MAX_WAITING_BYTES = 256 * 1024;
/** Each of a single key weighs far more than its byte. */
export const MAX_WAITING = 4_096;

export type Waiting = { size: { cols: number; rows: number } } | { bytes: Buffer; offset?: number };

export class WaitingInput {
  #waiting: Waiting[] = [];
  #bytes = 0;

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  /** Throws an `InputError` when it is too much. */
  push(one: Waiting): void {
    const last = this.#waiting.at(-1);
    // Whoever drags the edge of a window changes it with every pixel; only where it ends counts.
    if ('size' in one && last && 'size' in last) {
      last.size = one.size;
      return;
    }
    this.#bytes += 'bytes' in one ? one.bytes.length : 0;
    if (this.#bytes > MAX_WAITING_BYTES || this.#waiting.length >= MAX_WAITING) {
      this.clear();
      throw new InputError('too much was typed before the shell could take it');
    }
    // Copied: a piece of what the socket received would keep all of that.
    this.#waiting.push('bytes' in one ? { ...one, bytes: Buffer.from(one.bytes) } : one);
  }

  /**
   * Hands on in order, until `take` leaves something: for bytes it says how many of them it was given, for a size nothing.
   * What `take` throws it is thrown for; the rest is gone then.
   */
  flush(take: (one: Waiting) => number): void {
    try {
      for (let next = this.#waiting[0]; next; next = this.#waiting[0]) {
        const taken = take(next);
        if ('bytes' in next) {
          this.#bytes -= taken;
          if (taken < next.bytes.length) {
            next.bytes = next.bytes.subarray(taken);
            if (next.offset !== undefined) next.offset += taken;
            return;
          }
        }
        this.#waiting.shift();
      }
    } catch (error) {
      this.clear();
      throw error;
    }
  }

  clear(): void {
    this.#waiting = [];
    this.#bytes = 0;
  }
}
