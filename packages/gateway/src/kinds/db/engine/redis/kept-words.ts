/** The words of a command as far as they are kept, without an object for each: a command may have a million of them. */
import { createHash, type Hash } from 'node:crypto';
import { KEPT_TEXT_BYTES } from '../statement.ts';
import { commandHead, WORD_END, wordHead, wordParts } from './resp.ts';

const FIRST_ROOM_BYTES = 512;
/** One giant command does not keep its room for the rest of a connection. */
const LASTING_ROOM_BYTES = 64 * 1024;
const SHORT_BYTES = 64;
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

  /** What stands in the piece there. */
  add(piece: Buffer, from: number, to: number): void {
    const room = this.#room();
    if (!this.#hash && to - from <= room) {
      this.#append(piece, from, to);
      return;
    }
    if (!this.#hash) {
      this.#cut();
      this.#append(piece, from, from + room);
    }
    this.#hash?.update(piece.subarray(from, to));
  }

  endWord(): void {
    if (this.#hash) this.#hash.update(WORD_END);
    else this.#ends.push(this.#size);
  }

  at(index: number): Buffer {
    return this.#bytes.subarray(this.#startOf(index), this.#ends[index]);
  }

  /** A character for each byte. */
  textAt(index: number): string {
    return this.#bytes.toString('latin1', this.#startOf(index), this.#ends[index]);
  }

  /** All that are kept whole, a character for each byte: one text is made faster than many. */
  texts(): readonly string[] {
    const all = this.#bytes.toString('latin1', 0, this.#ends.at(-1) ?? 0);
    return this.#ends.map((end, index) => all.slice(this.#startOf(index), end));
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

  #startOf(index: number): number {
    return index === 0 ? 0 : (this.#ends[index - 1] as number);
  }

  #room(): number {
    return KEPT_TEXT_BYTES - this.#size - SHOWN_AROUND * (this.#ends.length + 1);
  }

  #cut(): void {
    const begun = this.#bytes.subarray(this.#size - this.#wordSize, this.#size);
    this.#hash = createHash('sha256').update(this.encoded()).update(wordHead(this.#stated)).update(begun);
  }

  #append(piece: Buffer, from: number, to: number): void {
    const size = this.#size + to - from;
    if (size > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(size, 2 * this.#bytes.length));
      this.#bytes.copy(larger, 0, 0, this.#size);
      this.#bytes = larger;
    }
    // To call out of here costs more than a few bytes do.
    if (to - from > SHORT_BYTES) piece.copy(this.#bytes, this.#size, from, to);
    else for (let at = from; at < to; at += 1) this.#bytes[this.#size + at - from] = piece[at] as number;
    this.#size = size;
    this.#wordSize += to - from;
  }
}
