/** Bytes that have come and are not read yet, as numbers. Whoever reads asks first whether there are enough. */

const FIRST_BYTES = 128 * 1024;

export class ByteRoom {
  #bytes = new Uint8Array(FIRST_BYTES);
  #at = 0;
  #end = 0;

  get left(): number {
    return this.#end - this.#at;
  }

  /** A copy of them is kept until they are read. What is left is moved only where there is no room behind it: who sends a long message byte by byte does not have it copied with each. */
  push(piece: Uint8Array): void {
    const { left } = this;
    if (this.#end + piece.length > this.#bytes.length) {
      const from = this.#bytes;
      if (left + piece.length > from.length / 2) this.#bytes = new Uint8Array(2 * (left + piece.length));
      this.#bytes.set(from.subarray(this.#at, this.#end));
      this.#at = 0;
      this.#end = left;
    }
    this.#bytes.set(piece, this.#end);
    this.#end += piece.length;
  }

  byte(): number {
    return this.#bytes[this.#at++] as number;
  }

  short(): number {
    return (this.byte() << 8) | this.byte();
  }

  /** With its sign. */
  long(): number {
    return (this.short() << 16) | this.short();
  }

  /** A point, opaque: red in the lowest byte. Hosts leave anything in the fourth. */
  point(): number {
    const at = this.#at;
    this.#at = at + 4;
    const bytes = this.#bytes;
    return (
      ((bytes[at] as number) | ((bytes[at + 1] as number) << 8) | ((bytes[at + 2] as number) << 16) | 0xff00_0000) >>> 0
    );
  }

  /** A copy. */
  take(count: number): Uint8Array<ArrayBuffer> {
    const taken = this.#bytes.slice(this.#at, this.#at + count);
    this.#at += count;
    return taken;
  }

  /** At most so many, and what was left out. */
  skip(count: number): number {
    const skipped = Math.min(count, this.left);
    this.#at += skipped;
    return count - skipped;
  }
}
