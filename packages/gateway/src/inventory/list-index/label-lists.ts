/** Which pairs each slot has, one list after the other in one array: a question about labels then reads through memory once. */
export class LabelLists {
  #pool = new Int32Array(1024);
  #used = 0;
  #wasted = 0;
  #starts = new Int32Array(256);
  #counts = new Int32Array(256);

  set(slot: number, pairs: readonly number[]): void {
    this.#reserveSlot(slot);
    const before = this.#counts[slot]!;
    if (pairs.length > before) {
      this.#wasted += before;
      this.#reserve(pairs.length);
      this.#starts[slot] = this.#used;
      this.#used += pairs.length;
    } else this.#wasted += before - pairs.length;
    this.#pool.set(pairs, this.#starts[slot]!);
    this.#counts[slot] = pairs.length;
  }

  get(slot: number): Int32Array {
    const start = this.#starts[slot]!;
    return this.#pool.subarray(start, start + this.#counts[slot]!);
  }

  /** Sets the flag of every slot that has one of the flagged pairs. */
  flagAny(pairs: Uint8Array, flags: Uint8Array): void {
    const [pool, starts, counts] = [this.#pool, this.#starts, this.#counts];
    for (let slot = 0; slot < flags.length; slot += 1) {
      const start = starts[slot]!;
      const end = start + counts[slot]!;
      // No early end: guessing when it comes costs the processor more than looking at the rest.
      let any = 0;
      for (let at = start; at < end; at += 1) any |= pairs[pool[at]!]!;
      flags[slot]! |= any;
    }
  }

  #reserveSlot(slot: number): void {
    if (slot < this.#starts.length) return;
    this.#starts = grown(this.#starts, slot + 1);
    this.#counts = grown(this.#counts, slot + 1);
  }

  #reserve(more: number): void {
    if (this.#wasted > this.#used / 2 && this.#used > 1024) this.#compact();
    if (this.#used + more > this.#pool.length) this.#pool = grown(this.#pool, this.#used + more);
  }

  /** Lists that grew have left their old places behind. */
  #compact(): void {
    const pool = new Int32Array(this.#pool.length);
    let used = 0;
    for (let slot = 0; slot < this.#starts.length; slot += 1) {
      const list = this.get(slot);
      pool.set(list, used);
      this.#starts[slot] = used;
      used += list.length;
    }
    this.#pool = pool;
    this.#used = used;
    this.#wasted = 0;
  }
}

export function grown(array: Int32Array, least: number): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(Math.max(array.length * 2, least));
  larger.set(array);
  return larger;
}
