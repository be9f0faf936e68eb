/** Follows what a PostgreSQL server answers: rows are handed on in parts, everything else as a whole. */
import { malformed } from '../../engine/db-failure.ts';

const HEAD_BYTES = 5;
/** Of what is kept whole: columns, errors, notices. A row of 1,600 columns has names of 63 bytes. */
const MAX_WHOLE_BYTES = 1024 * 1024;
const ROW = 0x44;
const COPIED = 0x64;

export interface AnswerListener {
  /** Of a row, or of what is copied out. */
  part(bytes: Buffer): void;
  rowEnd(type: 'D' | 'd'): void;
  message(type: string, body: Buffer): void;
}

export class AnswerReader {
  readonly #listener: AnswerListener;
  #head = Buffer.alloc(0);
  #type = 0;
  #left = -1;
  #kept: Buffer[] = [];
  #keptSize = 0;

  constructor(listener: AnswerListener) {
    this.#listener = listener;
  }

  feed(piece: Buffer): void {
    let bytes = piece;
    let at = 0;
    if (this.#head.length > 0) {
      bytes = Buffer.concat([this.#head, piece]);
      this.#head = Buffer.alloc(0);
    }
    while (at < bytes.length) {
      if (this.#left < 0) {
        if (bytes.length - at < HEAD_BYTES) {
          this.#head = Buffer.from(bytes.subarray(at));
          return;
        }
        this.#type = bytes[at] as number;
        this.#left = bytes.readUInt32BE(at + 1) - 4;
        if (this.#left < 0) throw malformed('a message shorter than its own head');
        at += HEAD_BYTES;
      }
      const part = bytes.subarray(at, at + this.#left);
      at += part.length;
      this.#left -= part.length;
      this.#takePart(part);
    }
  }

  #takePart(part: Buffer): void {
    const isRow = this.#type === ROW || this.#type === COPIED;
    if (isRow) this.#listener.part(part);
    else {
      this.#keptSize += part.length;
      if (this.#keptSize > MAX_WHOLE_BYTES) throw malformed('a message that is longer than any of its kind');
      // A copy where more follows: the piece is gone by then.
      this.#kept.push(this.#left > 0 ? Buffer.from(part) : part);
    }
    if (this.#left > 0) return;
    this.#left = -1;
    if (isRow) {
      this.#listener.rowEnd(this.#type === ROW ? 'D' : 'd');
      return;
    }
    const body = this.#kept.length === 1 ? (this.#kept[0] as Buffer) : Buffer.concat(this.#kept);
    this.#kept = [];
    this.#keptSize = 0;
    this.#listener.message(String.fromCharCode(this.#type), body);
  }
}
