/** The bytes that are not done with yet, in one piece. What was given out of it stays as it is. */

const MIN_ROOM = 64 * 1024;

export class ByteWindow {
  bytes: Buffer = Buffer.alloc(0);
  /** Of what is not done with. */
  start = 0;
  end = 0;
  /** Room behind the end is ours to write into. */
  #isOurs = false;

  get length(): number {
    return this.end - this.start;
  }

  append(chunk: Buffer): void {
    if (this.start === this.end) {
      // The usual case: nothing is copied.
      [this.bytes, this.start, this.end, this.#isOurs] = [chunk, 0, chunk.length, false];
      return;
    }
    if (!this.#isOurs || this.bytes.length - this.end < chunk.length) {
      // Doubled, so that many small pieces cost no more than a few large ones; never moved in place, as others read from it.
      const room = Buffer.allocUnsafeSlow(Math.max(MIN_ROOM, 2 * (this.length + chunk.length)));
      this.bytes.copy(room, 0, this.start, this.end);
      [this.bytes, this.end, this.start, this.#isOurs] = [room, this.length, 0, true];
    }
    chunk.copy(this.bytes, this.end);
    this.end += chunk.length;
  }
}
