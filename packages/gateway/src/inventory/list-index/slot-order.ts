/** Slots in one order, kept in it while some come and go. */
export class SlotOrder {
  readonly #compare: (a: number, b: number) => number;
  slots = new Int32Array(0);

  constructor(compare: (a: number, b: number) => number) {
    this.#compare = compare;
  }

  /** While their keys still are those they were placed by. */
  remove(leaving: ReadonlySet<number>): void {
    if (leaving.size > 0) this.slots = this.slots.filter((slot) => !leaving.has(slot));
  }

  insert(arriving: readonly number[]): void {
    if (arriving.length === 0) return;
    const sorted = Int32Array.from(arriving).sort(this.#compare);
    const before = this.slots;
    const after = new Int32Array(before.length + sorted.length);
    let copied = 0;
    for (const [count, slot] of sorted.entries()) {
      // What stands between two that arrive is copied as one piece, without comparing.
      const place = this.countBefore((each) => this.#compare(each, slot));
      after.set(before.subarray(copied, place), copied + count);
      after[place + count] = slot;
      copied = place;
    }
    after.set(before.subarray(copied), copied + sorted.length);
    this.slots = after;
  }

  /** How many there are before the first for which the comparison is not negative. */
  countBefore(compare: (slot: number) => number): number {
    let [low, high] = [0, this.slots.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compare(this.slots[middle]!) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
