/** Follows a stream of PostgreSQL's messages in pieces, wherever they are cut: jumps over what nobody wants, keeps the beginning of the rest. */
import { createHash, type Hash } from 'node:crypto';
import { malformed } from '../db-failure.ts';

const HEAD_BYTES = 5;
/** As the server itself has it. */
const MAX_MESSAGE_BYTES = 1024 * 1024 * 1024;
const FIRST_ROOM_BYTES = 512;
/** To make a buffer takes longer than to look at most messages. */
const NOTHING = Buffer.alloc(0);

export interface WantedMessage {
  /** How much of its body is kept. */
  keep: number;
  /** The text whose whole is told by a hash where it is not kept: the first, or the second of those that end with a zero. */
  hashed?: 'first' | 'second';
}

export interface ReadMessage {
  type: string;
  /** As much as is kept; valid until the next piece is fed. */
  body: Buffer;
  /** Of the whole body. */
  length: number;
  /** Only of a body that is longer than what is kept. */
  text?: { sha256: string; length: number };
}

export interface MessageReaderOptions {
  /** By type. What is in neither this nor `passed` is no message of this side. */
  wanted: Readonly<Record<string, WantedMessage>>;
  passed: string;
  read(message: ReadMessage): void;
}

export class MessageReader {
  readonly #wanted: (WantedMessage | undefined)[] = [];
  readonly #known = new Uint8Array(256);
  readonly #read: (message: ReadMessage) => void;
  readonly #head = Buffer.alloc(HEAD_BYTES);
  #headSize = 0;
  #type = 0;
  #length = 0;
  #left = 0;
  #now: WantedMessage | undefined;
  #kept = Buffer.alloc(0);
  #keptSize = 0;
  #hash: TextHash | undefined;
  #seen = 0;

  constructor({ wanted, passed, read }: MessageReaderOptions) {
    this.#read = read;
    for (const type of passed) this.#known[type.charCodeAt(0)] = 1;
    for (const [type, each] of Object.entries(wanted)) {
      this.#known[type.charCodeAt(0)] = 1;
      this.#wanted[type.charCodeAt(0)] = each;
    }
  }

  /** From the next message of that type on. */
  want(type: string, wanted: WantedMessage | undefined): void {
    this.#wanted[type.charCodeAt(0)] = wanted;
  }

  /** Bytes of everything so far, up to the message that is read now. */
  get seen(): number {
    return this.#seen;
  }

  /** Whether the last piece ended where a message does. */
  get isBetween(): boolean {
    return this.#left === 0 && this.#headSize === 0;
  }

  feed(piece: Buffer): void {
    let at = 0;
    while (at < piece.length) at = this.#left > 0 ? this.#takeBody(piece, at) : this.#takeHead(piece, at);
  }

  /** Feeds no more than the rest of the message that has begun; gives how much of the piece that was. */
  feedRest(piece: Buffer): number {
    let at = 0;
    while (at < piece.length && !this.isBetween) {
      const next = piece.subarray(at, at + (this.#left > 0 ? this.#left : 1));
      this.feed(next);
      at += next.length;
    }
    return at;
  }

  #takeHead(piece: Buffer, from: number): number {
    let at = from;
    if (this.#headSize === 0) {
      // The usual case in one tight loop: rows and copied data are only jumped over.
      while (piece.length - at >= HEAD_BYTES) {
        const type = piece[at] as number;
        const length = piece.readUInt32BE(at + 1) - 4;
        if (this.#known[type] === 0 || this.#wanted[type] || length < 0 || length > piece.length - at - HEAD_BYTES) {
          this.#seen += at + HEAD_BYTES - from;
          this.#begin(type, length);
          return at + HEAD_BYTES;
        }
        at += HEAD_BYTES + length;
      }
    }
    const size = Math.min(HEAD_BYTES - this.#headSize, piece.length - at);
    piece.copy(this.#head, this.#headSize, at, at + size);
    this.#headSize += size;
    this.#seen += at + size - from;
    if (this.#headSize === HEAD_BYTES) {
      this.#headSize = 0;
      this.#begin(this.#head[0] as number, this.#head.readUInt32BE(1) - 4);
    }
    return at + size;
  }

  #begin(type: number, length: number): void {
    if (this.#known[type] === 0) throw malformed(`a message of the type ${type}, which there is none of`);
    if (length < 0 || length > MAX_MESSAGE_BYTES) throw malformed(`a message that says it has ${length} bytes`);
    this.#type = type;
    this.#length = length;
    this.#left = length;
    this.#now = this.#wanted[type];
    this.#keptSize = 0;
    const hashed = this.#now?.hashed;
    this.#hash = hashed !== undefined && length > (this.#now?.keep ?? 0) ? new TextHash(hashed) : undefined;
    if (length === 0) this.#finish(NOTHING);
  }

  #takeBody(piece: Buffer, at: number): number {
    const size = Math.min(this.#left, piece.length - at);
    this.#left -= size;
    this.#seen += size;
    const isLast = this.#left === 0;
    if (!this.#now) return at + size;
    if (this.#now.keep === 0 && !this.#hash) {
      if (isLast) this.#finish(NOTHING);
      return at + size;
    }
    const part = piece.subarray(at, at + size);
    // The usual case: a body that came in one piece is not copied.
    if (isLast && size === this.#length && size <= this.#now.keep) {
      this.#finish(part);
      return at + size;
    }
    this.#keep(part.subarray(0, this.#now.keep - this.#keptSize));
    this.#hash?.update(part);
    if (isLast) this.#finish(this.#kept.subarray(0, this.#keptSize));
    return at + size;
  }

  /** Room is made for what has come, never for what is said to come. */
  #keep(part: Buffer): void {
    const size = this.#keptSize + part.length;
    if (size > this.#kept.length) {
      const larger = Buffer.allocUnsafe(Math.max(size, 2 * this.#keptSize, FIRST_ROOM_BYTES));
      this.#kept.copy(larger, 0, 0, this.#keptSize);
      this.#kept = larger;
    }
    part.copy(this.#kept, this.#keptSize);
    this.#keptSize = size;
  }

  #finish(body: Buffer): void {
    const hash = this.#hash;
    this.#hash = undefined;
    if (!this.#now) return;
    this.#now = undefined;
    const text = hash?.digest();
    const message = { type: String.fromCharCode(this.#type), body, length: this.#length };
    this.#read(text ? { ...message, text } : message);
    // One giant statement does not keep its room for the rest of a connection.
    if (this.#kept.length > 64 * 1024) this.#kept = Buffer.alloc(0);
  }
}

/** Of one of the texts at the beginning of a body, each of which ends with a zero. */
class TextHash {
  readonly #hash: Hash = createHash('sha256');
  #length = 0;
  #before: number;
  #isOver = false;

  constructor(which: 'first' | 'second') {
    this.#before = which === 'second' ? 1 : 0;
  }

  update(part: Buffer): void {
    let at = 0;
    while (this.#before > 0) {
      const zero = part.indexOf(0, at);
      if (zero < 0) return;
      this.#before -= 1;
      at = zero + 1;
    }
    if (this.#isOver) return;
    const zero = part.indexOf(0, at);
    const text = part.subarray(at, zero < 0 ? part.length : zero);
    this.#hash.update(text);
    this.#length += text.length;
    this.#isOver = zero >= 0;
  }

  digest(): { sha256: string; length: number } {
    return { sha256: this.#hash.digest('hex'), length: this.#length };
  }
}
