/** Reads fields one after the other, and says in words that there are fewer bytes than are named. */
import { malformed } from './desktop-link.ts';

export class FieldReader {
  readonly bytes: Buffer;
  /** For the words about one that is broken. */
  readonly #what: string;
  #at: number;

  constructor(bytes: Buffer, what: string, at = 0) {
    this.bytes = bytes;
    this.#what = what;
    this.#at = at;
    if (at > bytes.length) throw this.wrong();
  }

  get at(): number {
    return this.#at;
  }

  get left(): number {
    return this.bytes.length - this.#at;
  }

  wrong(): Error {
    return malformed(`${this.#what} is cut short, or says more than it holds`);
  }

  #step(count: number): number {
    const at = this.#at;
    if (count > this.bytes.length - at) throw this.wrong();
    this.#at = at + count;
    return at;
  }

  u8(): number {
    return this.bytes[this.#step(1)]!;
  }

  u16(): number {
    return this.bytes.readUInt16LE(this.#step(2));
  }

  u32(): number {
    return this.bytes.readUInt32LE(this.#step(4));
  }

  u16be(): number {
    return this.bytes.readUInt16BE(this.#step(2));
  }

  u32be(): number {
    return this.bytes.readUInt32BE(this.#step(4));
  }

  take(count: number): Buffer {
    const at = this.#step(count);
    return this.bytes.subarray(at, at + count);
  }

  skip(count: number): this {
    this.#step(count);
    return this;
  }

  rest(): Buffer {
    return this.take(this.left);
  }
}
