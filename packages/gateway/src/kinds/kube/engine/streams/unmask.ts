/**
 * Takes the masks off what a client of a websocket sends, before `ws` looks at it: that goes byte by byte, which cost a copy of files
 * more than anything else. It is done where the bytes lie, and the mask that `ws` then reads says that there is none.
 */
import type { Duplex } from 'node:stream';

const MASK_BYTES = 4;
const MAX_HEAD_BYTES = 14;
/** Shorter ones are not worth a view of them. */
const MIN_WORDS_BYTES = 64;
const MASKED = 0x80;
const LENGTH = 0x7f;
const LENGTH_IN_2 = 126;
const LENGTH_IN_8 = 127;

/** To be called before anything has come. What is no frame is left to `ws`, which ends the connection for it. */
export function unmaskEarly(socket: Duplex): void {
  const frames = new Unmasking();
  // Before the listener of `ws`: both are given the same bytes.
  socket.prependListener('data', (bytes: Buffer) => frames.take(bytes));
}

export class Unmasking {
  readonly #head = Buffer.alloc(MAX_HEAD_BYTES);
  #got = 0;
  #wanted = 2;
  #mask = Buffer.alloc(MASK_BYTES);
  /** Of the message, what has not come. */
  #left = 0;
  #phase = 0;

  /** What came, wherever it begins and ends. */
  take(bytes: Buffer): void {
    let at = 0;
    while (at < bytes.length) {
      if (this.#left === 0) {
        this.#takeHead(bytes, at);
        at += 1;
        continue;
      }
      const end = Math.min(bytes.length, at + this.#left);
      unmask(bytes.subarray(at, end), this.#mask, this.#phase);
      this.#phase = (this.#phase + end - at) % MASK_BYTES;
      this.#left -= end - at;
      at = end;
    }
  }

  #takeHead(bytes: Buffer, at: number): void {
    const head = this.#head;
    head[this.#got] = bytes[at]!;
    const isMasked = this.#got > 1 && (head[1]! & MASKED) !== 0;
    if (isMasked && this.#got >= this.#wanted - MASK_BYTES) bytes[at] = 0;
    this.#got += 1;
    if (this.#got === 2) this.#wanted = headBytes(head[1]!);
    if (this.#got < this.#wanted) return;
    const short = head[1]! & LENGTH;
    this.#left =
      short === LENGTH_IN_8 ? Number(head.readBigUInt64BE(2)) : short === LENGTH_IN_2 ? head.readUInt16BE(2) : short;
    this.#mask.fill(0);
    if (isMasked) head.copy(this.#mask, 0, this.#wanted - MASK_BYTES, this.#wanted);
    this.#phase = 0;
    this.#got = 0;
    this.#wanted = 2;
  }
}

function headBytes(second: number): number {
  const short = second & LENGTH;
  const length = short === LENGTH_IN_8 ? 8 : short === LENGTH_IN_2 ? 2 : 0;
  return 2 + length + ((second & MASKED) === 0 ? 0 : MASK_BYTES);
}

const turned = new Uint8Array(MASK_BYTES);
const word = new Uint32Array(turned.buffer);

function unmask(bytes: Buffer, mask: Buffer, phase: number): void {
  const aligned = (MASK_BYTES - (bytes.byteOffset % MASK_BYTES)) % MASK_BYTES;
  const first = bytes.length < MIN_WORDS_BYTES ? bytes.length : aligned;
  unmaskBytes(bytes, mask, phase, { from: 0, to: first });
  if (first === bytes.length) return;
  const count = Math.floor((bytes.length - first) / MASK_BYTES);
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset + first, count);
  for (let at = 0; at < MASK_BYTES; at += 1) turned[at] = mask[(phase + first + at) % MASK_BYTES]!;
  const [key = 0] = word;
  for (let at = 0; at < count; at += 1) words[at]! ^= key;
  unmaskBytes(bytes, mask, phase, { from: first + count * MASK_BYTES, to: bytes.length });
}

function unmaskBytes(bytes: Buffer, mask: Buffer, phase: number, { from, to }: { from: number; to: number }): void {
  for (let at = from; at < to; at += 1) bytes[at]! ^= mask[(phase + at) % MASK_BYTES]!;
}
