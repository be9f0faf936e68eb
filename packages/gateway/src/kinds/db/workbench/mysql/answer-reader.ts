/** Follows what a MySQL server answers: rows are handed on in parts, everything else as a whole; it stops where it is told to, in the middle of a piece. */
import { malformed } from '../../engine/db-failure.ts';
import { EMPTY } from '../../engine/mysql/packet-reader.ts';
import { MAX_PART_BYTES } from '../../engine/mysql/packets.ts';

const HEAD_BYTES = 4;
/** Of what is kept whole: a column, an error, the end of a result. */
const MAX_WHOLE_BYTES = 256 * 1024;
const NOTHING = Buffer.alloc(0);

export interface AnswerListener {
  /** At the first byte of a packet. `wait`: nothing of it is read before the rest is fed. */
  begins(first: number, length: number): 'row' | 'whole' | 'wait';
  part(bytes: Buffer): void;
  rowEnd(): void;
  whole(body: Buffer): void;
}

export class AnswerReader {
  readonly #listener: AnswerListener;
  #head = NOTHING;
  #left = -1;
  /** A part as long as can be is followed by another, be it empty. */
  #continues = false;
  #kind: 'row' | 'whole' | undefined;
  #kept: Buffer[] = [];
  #keptSize = 0;

  constructor(listener: AnswerListener) {
    this.#listener = listener;
  }

  /** Gives what is not read, where it was told to wait: it is fed again then. */
  feed(piece: Buffer): Buffer {
    let bytes = piece;
    let at = 0;
    if (this.#head.length > 0) {
      bytes = Buffer.concat([this.#head, piece]);
      this.#head = NOTHING;
    }
    while (at < bytes.length) {
      if (this.#left < 0) {
        if (bytes.length - at < HEAD_BYTES) {
          this.#head = Buffer.from(bytes.subarray(at));
          return NOTHING;
        }
        this.#left = bytes.readUIntLE(at, 3);
        this.#continues = this.#left === MAX_PART_BYTES;
        at += HEAD_BYTES;
        if (this.#left === 0) this.#emptyPart();
        continue;
      }
      if (this.#kind === undefined) {
        const kind = this.#listener.begins(bytes[at] as number, this.#left);
        if (kind === 'wait') return bytes.subarray(at);
        this.#kind = kind;
      }
      const part = bytes.subarray(at, at + this.#left);
      at += part.length;
      this.#takePart(this.#kind, part);
    }
    return NOTHING;
  }

  #emptyPart(): void {
    if (this.#kind === undefined) {
      const kind = this.#listener.begins(EMPTY, 0);
      if (kind === 'wait') throw malformed('an empty packet');
      this.#kind = kind;
    }
    this.#left = -1;
    this.#end(this.#kind);
  }

  #takePart(kind: 'row' | 'whole', part: Buffer): void {
    this.#left -= part.length;
    if (kind === 'row') this.#listener.part(part);
    else {
      this.#keptSize += part.length;
      if (this.#keptSize > MAX_WHOLE_BYTES) throw malformed('a packet that is longer than any of its kind');
      // A copy where more follows: the piece is gone by then.
      this.#kept.push(this.#left > 0 ? Buffer.from(part) : part);
    }
    if (this.#left > 0) return;
    this.#left = -1;
    if (!this.#continues) this.#end(kind);
  }

  #end(kind: 'row' | 'whole'): void {
    this.#kind = undefined;
    if (kind === 'row') {
      this.#listener.rowEnd();
      return;
    }
    const body = this.#kept.length === 1 ? (this.#kept[0] as Buffer) : Buffer.concat(this.#kept);
    this.#kept = [];
    this.#keptSize = 0;
    this.#listener.whole(body);
  }
}
