/** Keeps the beginning of an answer while its bytes pass, for the sample of it: never more than there is room for, whatever length a server states. */

/** Of an answer, in bytes: a sample has no more than that. */
export const SAMPLED_ANSWER_BYTES = 64 * 1024;
const FIRST_ROOM_BYTES = 4_096;
const NOTHING = Buffer.alloc(0);

export class KeptBeginning {
  #bytes: Buffer = NOTHING;
  #size = 0;

  /** A copy: the piece is gone before the answer is over. Room is made for what has come. */
  add(part: Buffer): void {
    const taken = part.subarray(0, SAMPLED_ANSWER_BYTES - this.#size);
    if (taken.length === 0) return;
    const size = this.#size + taken.length;
    if (size > this.#bytes.length) {
      // Twice as much each time: a server that sends single bytes would have each of them copied thousands of times.
      const room = Math.min(SAMPLED_ANSWER_BYTES, Math.max(size, 2 * this.#bytes.length, FIRST_ROOM_BYTES));
      const larger = Buffer.allocUnsafeSlow(room);
      this.#bytes.copy(larger, 0, 0, this.#size);
      this.#bytes = larger;
    }
    taken.copy(this.#bytes, this.#size);
    this.#size = size;
  }

  /** Of the answer that ends with this part, which is not copied where nothing came before it. The next one begins. */
  end(part: Buffer): Buffer {
    if (this.#size === 0) return part.subarray(0, SAMPLED_ANSWER_BYTES);
    this.add(part);
    const beginning = this.#bytes.subarray(0, this.#size);
    this.#bytes = NOTHING;
    this.#size = 0;
    return beginning;
  }
}
