/** Reads fields of TDS one after the other, and never beyond what has come. */
import { malformed } from '../db-failure.ts';

export class Fields {
  readonly #bytes: Buffer;
  #at: number;
  /** More was wanted than there is: the rest may not have come yet. */
  isShort = false;
  constructor(bytes: Buffer, at = 0) {
    this.#bytes = bytes;
    this.#at = at;
  }

  get left(): number {
    return this.#bytes.length - this.#at;
  }

  take(count: number): Buffer {
    if (count > this.left) {
      this.isShort = true;
      throw malformed(`a field of ${count} bytes where ${this.left} are left`);
    }
    this.#at += count;
    return this.#bytes.subarray(this.#at - count, this.#at);
  }

  byte(): number {
    return this.take(1)[0] ?? 0;
  }

  /** The next one, which is not taken. */
  peek(): number {
    return this.#bytes[this.#at] ?? 0;
  }

  uint16(): number {
    return this.take(2).readUInt16LE();
  }

  uint32(): number {
    return this.take(4).readUInt32LE();
  }

  /** So many characters of UTF-16. */
  text(characters: number): string {
    return this.take(characters * 2).toString('utf16le');
  }

  /** Behind one byte that says how long it is. */
  shortText(): string {
    return this.text(this.byte());
  }

  longText(): string {
    return this.text(this.uint16());
  }
}
