/** What a channel carries, put together from its pieces, and cut into pieces again. */
import { malformed } from '../desktop-link.ts';
import { FieldReader } from '../field-reader.ts';

const FIRST = 1;
const LAST = 2;
/** Both sides understand the flow of it. */
const SHOW_PROTOCOL = 0x10;
const COMPRESSED = 0x200000;
const CHUNK_BYTES = 1_600;

export interface ChannelMessage {
  /** As it says: more than `bytes` where it is too long. */
  length: number;
  /** Its beginning alone where it is longer than may be. */
  bytes: Buffer;
}

/** Of a message that is too long: enough to see what it is. */
const BEGINNING_BYTES = 64;

/** Of one direction of one channel. Holds no more than `max`: of what is longer, its beginning alone. */
export class ChannelReader {
  readonly #max: number;
  /** Grows with what has come, not with what was said: pieces of a byte, or of none, cost no more than their bytes. */
  #room: Buffer = Buffer.alloc(0);
  #held = 0;
  #came = 0;
  /** Undefined: none is under way. */
  #length: number | undefined;

  constructor(max: number) {
    this.#max = max;
  }

  /** `chunk`: what a message of the channel carries. Undefined until the last of them has come. */
  push(chunk: Buffer): ChannelMessage | undefined {
    const reader = new FieldReader(chunk, 'a message of a channel');
    const [length, flags] = [reader.u32(), reader.u32()];
    if ((flags & COMPRESSED) !== 0) throw malformed('a channel is compressed, which nobody asked for');
    const piece = reader.rest();
    if ((flags & FIRST) !== 0) this.#begin(length);
    if (this.#length === undefined) throw malformed('a message of a channel goes on without having begun');
    this.#came += piece.length;
    if (this.#came > this.#length) throw malformed('a message of a channel is longer than it says');
    this.#keep(piece);
    if ((flags & LAST) === 0) return undefined;
    if (this.#came !== this.#length) throw malformed('a message of a channel is shorter than it says');
    const message = { length: this.#length, bytes: this.#room.subarray(0, this.#held) };
    this.#length = undefined;
    this.#room = Buffer.alloc(0);
    return message;
  }

  #begin(length: number): void {
    this.#length = length;
    this.#room = Buffer.alloc(0);
    this.#held = 0;
    this.#came = 0;
  }

  #keep(piece: Buffer): void {
    const most = this.#length! > this.#max ? BEGINNING_BYTES : this.#max;
    const kept = piece.subarray(0, Math.max(0, most - this.#held));
    const needed = this.#held + kept.length;
    if (needed > this.#room.length) {
      const larger = Buffer.alloc(Math.min(most, Math.max(needed, 2 * this.#room.length)));
      this.#room.copy(larger, 0, 0, this.#held);
      this.#room = larger;
    }
    kept.copy(this.#room, this.#held);
    this.#held = needed;
  }
}

/** Each is what one message of the channel carries. */
export function channelChunks(message: Buffer): Buffer[] {
  const chunks: Buffer[] = [];
  for (let at = 0; at === 0 || at < message.length; at += CHUNK_BYTES) {
    const head = Buffer.alloc(8);
    head.writeUInt32LE(message.length, 0);
    const isLast = at + CHUNK_BYTES >= message.length;
    head.writeUInt32LE((at === 0 ? FIRST : 0) | (isLast ? LAST : 0) | SHOW_PROTOCOL, 4);
    chunks.push(Buffer.concat([head, message.subarray(at, at + CHUNK_BYTES)]));
  }
  return chunks;
}
