/** Takes one field after the other from a packet of MySQL. */
import { malformed } from '../db-failure.ts';

export class FieldReader {
  readonly #body: Buffer;
  #at = 0;

  constructor(body: Buffer) {
    this.#body = body;
  }

  get left(): number {
    return this.#body.length - this.#at;
  }

  take(count: number): Buffer {
    if (count > this.left) throw malformed('a packet that is shorter than what it says is in it');
    this.#at += count;
    return this.#body.subarray(this.#at - count, this.#at);
  }

  number(bytes: 1 | 2 | 3 | 4): number {
    return this.take(bytes).readUIntLE(0, bytes);
  }

  /** A number that says first how long it is. Past 2^53 it is not exact, and nobody has that many. */
  size(): number {
    const first = this.number(1);
    if (first < 0xfb) return first;
    if (first === 0xfc) return this.number(2);
    if (first === 0xfd) return this.number(3);
    if (first === 0xfe) return Number(this.take(8).readBigUInt64LE(0));
    throw malformed(`a size that begins with ${first}, as none does`);
  }

  /** With its length before it. */
  measured(): Buffer {
    return this.take(this.size());
  }

  /** Up to a zero, which is not part of it. */
  text(): string {
    const end = this.#body.indexOf(0, this.#at);
    if (end < 0) throw malformed('a packet with a text that does not end');
    const text = this.#body.toString('utf8', this.#at, end);
    this.#at = end + 1;
    return text;
  }

  rest(): Buffer {
    return this.take(this.left);
  }
}
