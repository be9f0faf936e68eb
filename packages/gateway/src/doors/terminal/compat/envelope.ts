/** Messages of the reference terminal as bytes, and bytes from clients as messages. */
import { isUtf8 } from 'node:buffer';
import { COMPAT_PAYLOAD_BYTES } from '@gatehouse/contract/sessions/compat-terminal';

const VERSION = Buffer.from([0x0a, 0x01, 0x31]);
const TYPE = 0x12;
const PAYLOAD = 0x1a;
const HEAD_BYTES = VERSION.length + 3;
const NOTHING = Buffer.alloc(0);
const MAX_VARINT_BYTES = 5;

export interface Envelope {
  type: string;
  payload: Buffer;
}

/** Exactly these fields in this order: the public client reads them by position. */
export function encodeEnvelope(type: string, payload: Uint8Array = NOTHING): Buffer {
  const size = payload.length === 0 ? [] : [PAYLOAD, ...varint(payload.length)];
  const bytes = Buffer.allocUnsafe(HEAD_BYTES + size.length + payload.length);
  bytes.set(VERSION);
  bytes.set([TYPE, 0x01, type.charCodeAt(0)], VERSION.length);
  bytes.set(size, HEAD_BYTES);
  bytes.set(payload, HEAD_BYTES + size.length);
  return bytes;
}

/** Any protobuf library may have written it: fields come in any order, and unknown ones are passed over. */
export function decodeEnvelope(data: Buffer): Envelope | undefined {
  let type = '';
  let payload: Buffer = Buffer.alloc(0);
  for (let at = 0; at < data.length; ) {
    const tag = data[at] as number;
    // Only texts are known on this wire.
    if ((tag & 0x07) !== 2) return undefined;
    const length = readVarint(data, at + 1);
    if (!length || length.next + length.value > data.length) return undefined;
    const field = data.subarray(length.next, length.next + length.value);
    if (tag === TYPE) type = field.toString('latin1');
    if (tag === PAYLOAD) payload = field;
    at = length.next + length.value;
  }
  return type.length === 1 ? { type, payload } : undefined;
}

/** Cuts output where no character is cut, and keeps what is not yet a whole one for the next time. */
export class WholeCharacters {
  #rest: Buffer = NOTHING;

  /** Pieces of valid UTF-8, none longer than clients read. Bytes that are none become the sign for that. They may be views of `bytes`. */
  push(bytes: Buffer): Buffer[] {
    const all = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    const end = all.length - incomplete(all);
    this.#rest = end === all.length ? NOTHING : Buffer.from(all.subarray(end));
    const whole = all.subarray(0, end);
    // Nearly everything that is printed is: read and written once more it would cost as much as all the rest.
    const text = isUtf8(whole) ? whole : Buffer.from(whole.toString('utf8'));
    const pieces: Buffer[] = [];
    for (let at = 0; at < text.length; ) {
      const piece = text.subarray(at, at + COMPAT_PAYLOAD_BYTES);
      const part = piece.subarray(0, piece.length - incomplete(piece));
      pieces.push(part);
      at += part.length;
    }
    return pieces;
  }
}

/** How many bytes at the end begin a character that is not all there. */
function incomplete(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] as number;
    if ((byte & 0xc0) === 0x80) continue;
    const needs = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return needs > back ? back : 0;
  }
  return 0;
}

function varint(value: number): number[] {
  const bytes: number[] = [];
  let left = value;
  for (; left >= 0x80; left = Math.floor(left / 0x80)) bytes.push((left % 0x80) | 0x80);
  return [...bytes, left];
}

function readVarint(data: Buffer, at: number): { value: number; next: number } | undefined {
  let value = 0;
  for (let index = 0; index < MAX_VARINT_BYTES; index++) {
    const byte = data[at + index];
    if (byte === undefined) return undefined;
    value += (byte & 0x7f) * 2 ** (7 * index);
    if (byte < 0x80) return { value, next: at + index + 1 };
  }
  return undefined;
}
