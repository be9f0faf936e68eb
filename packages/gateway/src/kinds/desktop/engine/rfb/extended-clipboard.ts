/** Texts of the clipboard in any letters, as newer hosts of VNC have them: one side says that there is one, the other asks for it, and it comes packed. */
import { constants, deflateSync, inflateSync } from 'node:zlib';

export const ACTION = {
  caps: 1 << 24,
  request: 1 << 25,
  peek: 1 << 26,
  notify: 1 << 27,
  provide: 1 << 28,
} as const;
export const TEXT = 1;
/** Of the text itself. */
export const MAX_TEXT_BYTES = 1024 * 1024;
/** Packed it may take somewhat more than the text, where nothing is saved. */
export const MAX_PACKED_BYTES = MAX_TEXT_BYTES + 16 * 1024;
const LENGTH_BYTES = 4;

/** `type`: 6 from a client, 3 from a host. */
export function extendedMessage(type: 3 | 6, flags: number, data: Buffer = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(12);
  head[0] = type;
  head.writeInt32BE(-(4 + data.length), 4);
  head.writeUInt32BE(flags, 8);
  return Buffer.concat([head, data]);
}

/** What the gateway can: texts, none of them unasked. */
export function clientCaps(): Buffer {
  const { caps, request, peek, notify, provide } = ACTION;
  return extendedMessage(6, caps | request | peek | notify | provide | TEXT, Buffer.alloc(LENGTH_BYTES));
}

export function packText(text: string): Buffer {
  const bytes = Buffer.from(`${text.replaceAll(/\r?\n/g, '\r\n')}\0`);
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32BE(bytes.length);
  return deflateSync(Buffer.concat([length, bytes]));
}

/** Undefined where it is none, or longer than may be copied: it is not unpacked further than that. */
export function unpackText(packed: Buffer): string | undefined {
  try {
    const bytes = inflateSync(packed, {
      maxOutputLength: LENGTH_BYTES + MAX_TEXT_BYTES + 1,
      // Some say all of it, and not that it was all.
      finishFlush: constants.Z_SYNC_FLUSH,
    });
    let end = LENGTH_BYTES + bytes.readUInt32BE(0);
    if (end > bytes.length) return undefined;
    // Not by a pattern: one that looks for the last of many is tried from each of them, and a text of a MiB holds the gateway up for an hour.
    while (end > LENGTH_BYTES && bytes[end - 1] === 0) end -= 1;
    return bytes.toString('utf8', LENGTH_BYTES, end).replaceAll('\r\n', '\n');
  } catch {
    return undefined;
  }
}

/** For hosts that know no others: the letters of western Europe. */
export function plainText(text: string): Buffer {
  const bytes = Buffer.from(
    [...text].map((letter) => ((letter.codePointAt(0) ?? 0) > 0xff ? '?' : letter)).join(''),
    'latin1',
  );
  const head = Buffer.alloc(8);
  head[0] = 6;
  head.writeUInt32BE(bytes.length, 4);
  return Buffer.concat([head, bytes]);
}
