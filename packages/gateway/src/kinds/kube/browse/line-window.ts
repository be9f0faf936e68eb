/** Some lines of a log that comes in pieces, by their numbers: the others pass by and are kept nowhere. */

const LINE_END = 0x0a;
const NOTHING = Buffer.alloc(0);

export class LineWindow {
  #before: number;
  #left: number;

  constructor({ from, count }: { from: number; count: number }) {
    this.#before = from;
    this.#left = count;
  }

  /** All of them have come. */
  get isOver(): boolean {
    return this.#left === 0;
  }

  /** What of the piece belongs to them. */
  take(piece: Buffer): Buffer {
    let start = 0;
    while (this.#before > 0) {
      const end = piece.indexOf(LINE_END, start);
      if (end < 0) return NOTHING;
      start = end + 1;
      this.#before -= 1;
    }
    let stop = start;
    while (this.#left > 0) {
      const end = piece.indexOf(LINE_END, stop);
      if (end < 0) return piece.subarray(start);
      stop = end + 1;
      this.#left -= 1;
    }
    return piece.subarray(start, stop);
  }
}
