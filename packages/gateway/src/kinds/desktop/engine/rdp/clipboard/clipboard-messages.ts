/** Messages of the clipboard's channel, and the formats that they name. */
import { FieldReader } from '../../field-reader.ts';

export const CLIP = {
  monitorReady: 1,
  formatList: 2,
  formatListResponse: 3,
  dataRequest: 4,
  dataResponse: 5,
  capabilities: 7,
  fileRequest: 8,
} as const;
export const OK = 1;
export const FAIL = 2;
const ASCII_NAMES = 4;
const HEAD_BYTES = 8;

export interface ClipMessage {
  type: number;
  flags: number;
  /** As it says: more than `body` where only its beginning was held. */
  length: number;
  body: Buffer;
}

/** `whole`: all of its bytes are there. */
export function readClipMessage(bytes: Buffer, whole: boolean): ClipMessage {
  const reader = new FieldReader(bytes, 'a message of the clipboard');
  const [type, flags, length] = [reader.u16(), reader.u16(), reader.u32()];
  // Some put zeros behind it.
  const body = whole ? reader.take(length) : reader.rest();
  return { type, flags, length, body };
}

export function clipMessage(type: number, flags: number, body: Buffer = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt16LE(type, 0);
  head.writeUInt16LE(flags, 2);
  head.writeUInt32LE(body.length, 4);
  return Buffer.concat([head, body]);
}

/** Names are told in full. All else is about files, which pass nowhere here. */
const LONG_NAMES = 0x02;
const GENERAL = 1;
const GENERAL_BYTES = 12;

/** What a side says that it can, without what is about files. */
export function readCapabilities(body: Buffer): { hasLongNames: boolean; rewritten: Buffer } {
  const reader = new FieldReader(body, 'what the clipboard can');
  let flags = 0;
  let version = 2;
  const count = reader.u16();
  reader.skip(2);
  for (let left = Math.min(count, 8); left > 0 && reader.left > 0; left -= 1) {
    const type = reader.u16();
    const length = reader.u16();
    if (length < 4) throw reader.wrong();
    const fields = new FieldReader(reader.take(length - 4), 'what the clipboard can');
    if (type === GENERAL) [version, flags] = [fields.u32(), fields.u32()];
  }
  const rewritten = Buffer.alloc(4 + GENERAL_BYTES);
  rewritten.writeUInt16LE(1, 0);
  rewritten.writeUInt16LE(GENERAL, 4);
  rewritten.writeUInt16LE(GENERAL_BYTES, 6);
  rewritten.writeUInt32LE(version, 8);
  rewritten.writeUInt32LE(flags & LONG_NAMES, 12);
  return { hasLongNames: (flags & LONG_NAMES) !== 0, rewritten };
}

interface ClipFormat {
  id: number;
  name: string;
}

/** Text in three kinds, the language of text, bitmaps in two. */
const PLAIN_FORMATS = [1, 7, 13, 16, 8, 17];
const NAMED_FORMATS = ['HTML Format', 'PNG', 'image/png'];
const MAX_FORMATS = 256;
const SHORT_NAME_BYTES = 32;

/** Those of a list that may pass, in the form in which it came. */
export function filterFormats({ body, flags }: ClipMessage, hasLongNames: boolean): { ids: number[]; body: Buffer } {
  const isAscii = (flags & ASCII_NAMES) !== 0;
  const formats = hasLongNames ? readLong(body) : readShort(body, isAscii);
  const passed = formats.filter(({ id, name }) => PLAIN_FORMATS.includes(id) || NAMED_FORMATS.includes(name));
  return {
    ids: passed.map(({ id }) => id),
    body: Buffer.concat(passed.map((format) => (hasLongNames ? writeLong(format) : writeShort(format, isAscii)))),
  };
}

function readLong(body: Buffer): ClipFormat[] {
  const reader = new FieldReader(body, 'the list of formats');
  const formats: ClipFormat[] = [];
  while (reader.left > 0 && formats.length < MAX_FORMATS) {
    const id = reader.u32();
    const from = reader.at;
    while (reader.u16() !== 0);
    formats.push({ id, name: body.toString('utf16le', from, reader.at - 2) });
  }
  return formats;
}

function readShort(body: Buffer, isAscii: boolean): ClipFormat[] {
  const reader = new FieldReader(body, 'the list of formats');
  const formats: ClipFormat[] = [];
  while (reader.left > 0 && formats.length < MAX_FORMATS) {
    const id = reader.u32();
    const name = reader
      .take(SHORT_NAME_BYTES)
      .toString(isAscii ? 'latin1' : 'utf16le')
      .split('\0')[0]!;
    formats.push({ id, name });
  }
  return formats;
}

function writeLong({ id, name }: ClipFormat): Buffer {
  return Buffer.concat([number(id), Buffer.from(`${name}\0`, 'utf16le')]);
}

function writeShort({ id, name }: ClipFormat, isAscii: boolean): Buffer {
  const bytes = Buffer.alloc(SHORT_NAME_BYTES);
  bytes.write(name, 0, SHORT_NAME_BYTES - 2, isAscii ? 'latin1' : 'utf16le');
  return Buffer.concat([number(id), bytes]);
}

export function number(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
