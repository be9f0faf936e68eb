/** Lends arrays of flags for the length of one question. Made anew each time, they would wake the collector several times a second. */
export type Flags = Uint8Array<ArrayBuffer>;

/** More than this a question seldom needs; what one with hundreds of parts needed is let go. */
const KEPT = 16;
const ROUNDED_TO = 16_384;

export class FlagArena {
  readonly #arrays: Flags[] = [];
  #lent = 0;

  /** All 0; good until the next `reset`. */
  take(length: number): Flags {
    const known = this.#arrays[this.#lent];
    const array = known && known.length >= length ? known : new Uint8Array(Math.ceil(length / ROUNDED_TO) * ROUNDED_TO);
    this.#arrays[this.#lent] = array;
    this.#lent += 1;
    return array.subarray(0, length).fill(0);
  }

  reset(): void {
    this.#lent = 0;
    this.#arrays.length = Math.min(this.#arrays.length, KEPT);
  }
}
