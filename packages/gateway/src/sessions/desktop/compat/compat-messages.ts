/** Messages of desktops as the wire reference has them, in bytes. */
import {
  COMPAT_KEY_FACTOR,
  COMPAT_SEVERITIES,
  type CompatSeverity,
  MAX_COMPAT_BLOB,
  MAX_COMPAT_LIST,
  COMPAT_DESKTOP_TYPES as TYPES,
} from '@gatehouse/contract/sessions/compat-desktop';
import { DIRECTORY, MAX_LISTED_FILES } from '@gatehouse/contract/sessions/directory-messages';
import type { DrawnTile } from '../decoder/decoder-messages.ts';
import type { PictureSize } from '../desktop-recorder.ts';

/** Left, middle and right, as they number them. */
export type CompatButton = 0 | 1 | 2;

export function encodeScreen({ width, height }: PictureSize): Buffer {
  return message(TYPES.screen, u32(width, height));
}

export function encodeTile({ left, top, width, height, png }: DrawnTile): Buffer {
  return message(TYPES.tile, u32(png.length, left, top, left + width, top + height), png);
}

export function encodeMove(x: number, y: number): Buffer {
  return message(TYPES.move, u32(x, y));
}

export function encodeButton(button: CompatButton, isDown: boolean): Buffer {
  return message(TYPES.button, Buffer.from([button, isDown ? 1 : 0]));
}

export function encodeClipboard(text: string): Buffer {
  return message(TYPES.clipboard, blob(text));
}

export function encodeChallenge(challenge: object): Buffer {
  return message(TYPES.factor, Buffer.from([COMPAT_KEY_FACTOR]), blob(JSON.stringify(challenge)));
}

export function encodeNotification(text: string, severity: CompatSeverity): Buffer {
  return message(TYPES.notification, blob(text), Buffer.from([COMPAT_SEVERITIES[severity]]));
}

export type CompatMessage =
  | { type: 'move'; x: number; y: number }
  | { type: 'button'; button: CompatButton; isDown: boolean }
  | { type: 'key'; scanCode: number; isDown: boolean }
  | { type: 'wheel'; isVertical: boolean; delta: number }
  | { type: 'clipboard'; text: string }
  | { type: 'factor'; answer: Buffer }
  /** About a directory: as contract/sessions/directory-messages.ts reads it. */
  | { type: 'files'; bytes: Buffer };

/** What a client sent that is none of its messages: nothing behind it can be read either. */
export class CompatMessageError extends Error {}

/** Bytes behind the type, where that is always the same. */
const FIXED: Readonly<Record<number, number>> = {
  [TYPES.screen]: 8,
  [TYPES.move]: 8,
  [TYPES.button]: 2,
  [TYPES.key]: 5,
  [TYPES.wheel]: 3,
  [answerTo(DIRECTORY.delete)]: 8,
  [answerTo(DIRECTORY.move)]: 8,
  [answerTo(DIRECTORY.write)]: 12,
};
/** Where the length stands of what has one. */
const LENGTH_AT: Readonly<Record<number, number>> = {
  [TYPES.clipboard]: 1,
  [TYPES.user]: 1,
  [TYPES.factor]: 2,
  [DIRECTORY.announce]: 9,
  [answerTo(DIRECTORY.info)]: 30,
  [answerTo(DIRECTORY.create)]: 30,
  [answerTo(DIRECTORY.read)]: 9,
};
/** Number and error, then how many files. */
const LIST_HEAD = 13;
/** Of a file in a list, without its path: before the length of that, and with it. */
const FILE_HEAD = { length: 21, path: 25 } as const;

function answerTo(request: number): number {
  return request + 1;
}

/** Takes a client's bytes as they come, and gives the messages that are whole. */
export class CompatMessages {
  /** Twice as large whenever it is too small: a long message that comes in crumbs costs no more than its bytes. */
  #kept = Buffer.alloc(0);
  #bytes = 0;
  /** With less there is nothing to read. */
  #needed = 1;

  *push(part: Buffer): Generator<CompatMessage> {
    this.#keep(part);
    if (this.#bytes < this.#needed) return;
    const bytes = this.#kept.subarray(0, this.#bytes);
    let at = 0;
    try {
      for (;;) {
        this.#needed = lengthOf(bytes, at);
        const end = at + this.#needed;
        if (end > bytes.length) break;
        const read = readMessage(bytes.subarray(at, end));
        at = end;
        if (read) yield read;
      }
    } finally {
      this.#kept = Buffer.from(bytes.subarray(at));
      this.#bytes = this.#kept.length;
    }
  }

  #keep(part: Buffer): void {
    const bytes = this.#bytes + part.length;
    if (bytes > this.#kept.length) {
      const larger = Buffer.alloc(Math.max(bytes, 2 * this.#kept.length));
      this.#kept.copy(larger, 0, 0, this.#bytes);
      this.#kept = larger;
    }
    part.copy(this.#kept, this.#bytes);
    this.#bytes = bytes;
  }
}

/** Of the message that begins there, or as many bytes as it takes to know. */
function lengthOf(bytes: Buffer, at: number): number {
  const type = bytes[at];
  if (type === undefined) return 1;
  const fixed = FIXED[type];
  if (fixed !== undefined) return 1 + fixed;
  if (type === answerTo(DIRECTORY.list)) return listLength(bytes, at);
  const lengthAt = LENGTH_AT[type];
  if (lengthAt === undefined) throw new CompatMessageError(`message ${type} is not known here`);
  if (bytes.length < at + lengthAt + 4) return lengthAt + 4;
  const length = bytes.readUInt32BE(at + lengthAt);
  if (length > MAX_COMPAT_BLOB) throw new CompatMessageError(`message ${type} is longer than ${MAX_COMPAT_BLOB} bytes`);
  return lengthAt + 4 + length;
}

function listLength(bytes: Buffer, at: number): number {
  if (bytes.length < at + LIST_HEAD) return LIST_HEAD;
  const files = bytes.readUInt32BE(at + LIST_HEAD - 4);
  if (files > MAX_LISTED_FILES) throw new CompatMessageError(`more than ${MAX_LISTED_FILES} files are listed at once`);
  let length = LIST_HEAD;
  for (let left = files; left > 0; left -= 1) {
    // At least so much follows, however short their paths are: it is not gone through anew for each file that comes.
    const least = length + left * FILE_HEAD.path;
    if (bytes.length < at + length + FILE_HEAD.path) return least;
    length += FILE_HEAD.path + bytes.readUInt32BE(at + length + FILE_HEAD.length);
    if (length > MAX_COMPAT_LIST)
      throw new CompatMessageError(`a list of files is longer than ${MAX_COMPAT_LIST} bytes`);
  }
  return length;
}

/** Nothing for what they say and nobody asked: who they are and how large their screen is stand in the address. */
function readMessage(bytes: Buffer): CompatMessage | undefined {
  switch (bytes[0]) {
    case TYPES.move:
      return { type: 'move', x: bytes.readUInt32BE(1), y: bytes.readUInt32BE(5) };
    case TYPES.button: {
      const button = bytes.readUInt8(1);
      if (button > 2) throw new CompatMessageError(`no mouse has a button ${button}`);
      return { type: 'button', button: button as CompatButton, isDown: bytes[2] === 1 };
    }
    case TYPES.key:
      return { type: 'key', scanCode: bytes.readUInt32BE(1), isDown: bytes[5] === 1 };
    case TYPES.wheel:
      return { type: 'wheel', isVertical: bytes[1] === 0, delta: bytes.readInt16BE(2) };
    case TYPES.clipboard:
      return { type: 'clipboard', text: bytes.toString('utf8', 5) };
    case TYPES.factor:
      return { type: 'factor', answer: bytes.subarray(6) };
    case TYPES.screen:
    case TYPES.user:
      return undefined;
    default:
      return { type: 'files', bytes };
  }
}

function message(type: number, ...parts: readonly Uint8Array[]): Buffer {
  return Buffer.concat([Buffer.from([type]), ...parts]);
}

function u32(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [number, value] of values.entries()) bytes.writeUInt32BE(value, 4 * number);
  return bytes;
}

function blob(text: string): Buffer {
  const bytes = Buffer.from(text);
  return Buffer.concat([u32(bytes.length), bytes]);
}
