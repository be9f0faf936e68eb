/** The words of a command as far as they are kept, without an object for each: a command may have a million of them. */
import { createHash, type Hash } from 'node:crypto';
import { KEPT_TEXT_BYTES } from '../statement.ts';
import { commandHead, WORD_END, wordHead, wordParts } from './resp.ts';

const FIRST_ROOM_BYTES = 512;
/** One giant command does not keep its room for the rest of a connection. */
const LASTING_ROOM_BYTES = 64 * 1024;
/** Each is shown between quotes, and with a space behind. */
const SHOWN_AROUND = 3;

export class KeptWords {
  #bytes = Buffer.allocUnsafe(FIRST_ROOM_BYTES);
  #size = 0;
  #ends: number[] = [];
  /** Of the word that is being read. */
  #wordSize = 0;
  #stated = 0;
  /** From where not all is kept any more: of the whole command, as a client sends it. */
  #hash: Hash | undefined;

  /** As the command says it. */
  count = 0;

  get size(): number {
    return this.#size;
  }

  /** How many are kept whole. */
  get length(): number {
    return this.#ends.length;
  }

  get isCut(): boolean {
    return this.#hash !== undefined;
  }

  begin(count: number): void {
    this.count = count;
    this.#size = 0;
    this.#ends = [];
    this.#hash = undefined;
    if (this.#bytes.length > LASTING_ROOM_BYTES) this.#bytes = Buffer.allocUnsafe(FIRST_ROOM_BYTES);
  }

  /** Room is made for what has come, never for what is stated. */
  beginWord(stated: number): void {
    this.#wordSize = 0;
    this.#stated = stated;
    if (!this.#hash && this.#room() <= 0) this.#cut();
    else this.#hash?.update(wordHead(stated));
  }

  add(part: Buffer): void {
    if (!this.#hash && part.length <= this.#room()) {
      this.#append(part);
      return;
    }
    if (!this.#hash) {
      const room = this.#room();
      this.#cut();
      this.#append(part.subarray(0, room));
    }
    this.#hash?.update(part);
  }

  endWord(): void {
    if (this.#hash) this.#hash.update(WORD_END);
    else this.#ends.push(this.#size);
  }

  at(index: number): Buffer {
    return this.#bytes.subarray(index === 0 ? 0 : this.#ends[index - 1], this.#ends[index]);
  }

  /** What is kept of the word that did not fit. */
  get rest(): Buffer {
    return this.#bytes.subarray(this.#ends.at(-1) ?? 0, this.#size);
  }

  /** As a client sends it, up to the end of the words that are kept whole. */
  encoded(): Buffer {
    const parts = [commandHead(this.count)];
    for (let index = 0; index < this.length; index += 1) parts.push(...wordParts(this.at(index)));
    return Buffer.concat(parts);
  }

  /** Of the whole command, as a client sends it. */
  sha256(): string {
    return (this.#hash?.copy() ?? createHash('sha256').update(this.encoded())).digest('hex');
  }

  #room(): number {
    return KEPT_TEXT_BYTES - this.#size - SHOWN_AROUND * (this.#ends.length + 1);
  }

  #cut(): void {
    const begun = this.#bytes.subarray(this.#size - this.#wordSize, this.#size);
    this.#hash = createHash('sha256').update(this.encoded()).update(wordHead(this.#stated)).update(begun);
  }

  #append(part: Buffer): void {
    const size = this.#size + part.length;
    if (size > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(size, 2 * this.#bytes.length));
      this.#bytes.copy(larger, 0, 0, this.#size);
      this.#bytes = larger;
    }
    part.copy(this.#bytes, this.#size);
    this.#size = size;
    this.#wordSize += part.length;
  }
}
