/** Frames of SPDY/3.1: cut out of the bytes as they come, and written. */
import { SpdyError } from './spdy-error.ts';

export const SYN_STREAM = 1;
export const SYN_REPLY = 2;
export const RST_STREAM = 3;
export const PING = 6;
export const GOAWAY = 7;
export const HEADERS = 8;
export const FIN = 1;

/** Nobody sends larger ones: Go copies by 32 KiB. */
export const MAX_FRAME_BYTES = 1024 * 1024;
/** These are kept until they are whole. Packed, a header block is never larger than what it may become, but for a little. */
export const MAX_CONTROL_BYTES = 64 * 1024;
const HEAD_BYTES = 8;
const CONTROL_BIT = 0x80;
const VERSION = 3;

/** `data`: a part of a frame of data; the last one says whether the stream ends with it. */
export type Frame =
  | { type: 'data'; id: number; bytes: Buffer; fin: boolean }
  | { type: 'control'; control: number; flags: number; body: Buffer };

/** Takes pieces of any size. Data is handed on as it comes, so that no frame of it is ever kept here. */
export class FrameReader {
  #pieces: Buffer[] = [];
  #bytes = 0;
  /** The frame of data that we are in. */
  #data: { id: number; left: number; fin: boolean } | undefined;

  push(piece: Buffer): void {
    if (piece.length === 0) return;
    this.#pieces.push(piece);
    this.#bytes += piece.length;
  }

  /** Throws a `SpdyError` for what is no frame, or too large a one. */
  next(): Frame | undefined {
    if (this.#data) return this.#nextData(this.#data);
    if (this.#bytes < HEAD_BYTES) return undefined;
    const head = this.#peek(HEAD_BYTES);
    const length = head.readUIntBE(5, 3);
    const flags = head[4] ?? 0;
    if ((head[0] ?? 0) & CONTROL_BIT) return this.#nextControl(head, flags, length);
    if (length > MAX_FRAME_BYTES) throw new SpdyError(`a frame has more than ${MAX_FRAME_BYTES} bytes`);
    this.#take(HEAD_BYTES);
    this.#data = { id: head.readUInt32BE(0), left: length, fin: (flags & FIN) !== 0 };
    return this.#nextData(this.#data);
  }

  #nextControl(head: Buffer, flags: number, length: number): Frame | undefined {
    const version = head.readUInt16BE(0) & 0x7fff;
    if (version !== VERSION) throw new SpdyError(`version ${version} of SPDY is not spoken here`);
    if (length > MAX_CONTROL_BYTES) throw new SpdyError(`a control frame has more than ${MAX_CONTROL_BYTES} bytes`);
    if (this.#bytes < HEAD_BYTES + length) return undefined;
    const control = head.readUInt16BE(2);
    this.#take(HEAD_BYTES);
    return { type: 'control', control, flags, body: this.#take(length) };
  }

  #nextData(data: { id: number; left: number; fin: boolean }): Frame | undefined {
    const { id, left } = data;
    if (left > 0 && this.#bytes === 0) return undefined;
    const bytes = this.#take(Math.min(left, this.#pieces[0]?.length ?? 0));
    data.left -= bytes.length;
    const isLast = data.left === 0;
    if (isLast) this.#data = undefined;
    return { type: 'data', id, bytes, fin: isLast && data.fin };
  }

  /** Makes one piece of the first ones, where it takes several. */
  #peek(length: number): Buffer {
    const [first] = this.#pieces;
    if (first && first.length >= length) return first.subarray(0, length);
    let have = 0;
    let count = 0;
    for (const piece of this.#pieces) {
      if (have >= length) break;
      have += piece.length;
      count += 1;
    }
    const joined = Buffer.concat(this.#pieces.slice(0, count), have);
    this.#pieces.splice(0, count, joined);
    return joined.subarray(0, length);
  }

  #take(length: number): Buffer {
    if (length === 0) return Buffer.alloc(0);
    const bytes = this.#peek(length);
    const [first] = this.#pieces;
    this.#bytes -= length;
    if (first && first.length > length) this.#pieces[0] = first.subarray(length);
    else this.#pieces.shift();
    return bytes;
  }
}

export function controlFrame(control: number, flags: number, ...parts: Buffer[]): Buffer {
  const head = Buffer.allocUnsafe(HEAD_BYTES);
  head.writeUInt16BE((CONTROL_BIT << 8) | VERSION, 0);
  head.writeUInt16BE(control, 2);
  head[4] = flags;
  head.writeUIntBE(
    parts.reduce((sum, { length }) => sum + length, 0),
    5,
    3,
  );
  return Buffer.concat([head, ...parts]);
}

export function dataHead(id: number, length: number, flags: number): Buffer {
  const head = Buffer.allocUnsafe(HEAD_BYTES);
  head.writeUInt32BE(id, 0);
  head[4] = flags;
  head.writeUIntBE(length, 5, 3);
  return head;
}

export function uint32(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
