/**
 * A recording as bytes, described for other readers in docs/recording-format.md: an append-only file of frames, each about a
 * second of a session, each holding the SHA-256 of the one before; now and then a seal, which signs all that came before it.
 *
 *   head    skippable frame of zstd, 80 bytes: magic, size, 'GHR1', start ms, length ms, raw and packed bytes, offsets of
 *           output, kinds of items, SHA-256 of the frame before
 *   packed  zstd frame: items, one after the other: type (8 bits), ms since the head's start (32), length (32), bytes
 *   seal    the same head under another magic, then the key's id and an Ed25519 signature of everything before it in the seal
 *
 * `zstd -dc` reads it too. A torn end is cut off: everything before it is whole.
 */
export const FRAME_MAGIC = 0x184d2a50;
export const SEAL_MAGIC = 0x184d2a51;
export const MARK = 'GHR1';
/** Where it stands in a head. */
export const MARK_AT = 8;
export const HEAD_BYTES = 80;
export const HASH_BYTES = 32;
export const KEY_ID_BYTES = 8;
export const SIGNATURE_BYTES = 64;
export const SEAL_BYTES = HEAD_BYTES + KEY_ID_BYTES + SIGNATURE_BYTES;
export const ITEM_HEAD_BYTES = 9;
/** No writer makes larger ones; a reader that is told so by a file believes nothing. */
export const MAX_RAW_BYTES = 8 * 1024 * 1024;
export const MAX_PACKED_BYTES = MAX_RAW_BYTES + 64 * 1024;

/** Heads have a bit for each type. */
export const MAX_ITEM_TYPE = 15;

export const ITEMS = {
  ...{ facts: 0, output: 1, size: 2, gap: 3, end: 4, join: 5, leave: 6, input: 7, resumed: 8 },
  /** Of statements: what was asked, what came of it, and the beginning of its result. */
  ...{ asked: 9, answered: 10, sample: 11 },
  /** Of desktops: where the pointer was, where a handshake begins, and what happened beside the picture. */
  ...{ pointer: 12, segment: 13, note: 14 },
} as const;

export interface FrameHead {
  type: 'frame' | 'seal';
  startMs: number;
  endMs: number;
  rawBytes: number;
  packedBytes: number;
  /** Output from this byte of the session on… */
  from: number;
  /** …up to this one. */
  to: number;
  /** Bit n: it holds items of type n. */
  kinds: number;
  /** SHA-256 of the frame or seal before; zeros in the first. */
  before: Buffer;
}

export function encodeHead(frame: FrameHead): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  const isSeal = frame.type === 'seal';
  head.writeUInt32LE(isSeal ? SEAL_MAGIC : FRAME_MAGIC, 0);
  head.writeUInt32LE((isSeal ? SEAL_BYTES : HEAD_BYTES) - 8, 4);
  head.write(MARK, MARK_AT, 'latin1');
  head.writeUIntLE(frame.startMs, 12, 6);
  head.writeUInt32LE(Math.min(frame.endMs - frame.startMs, 0xffffffff), 18);
  head.writeUInt32LE(frame.rawBytes, 22);
  head.writeUInt32LE(frame.packedBytes, 26);
  head.writeBigUInt64LE(BigInt(frame.from), 30);
  head.writeBigUInt64LE(BigInt(frame.to), 38);
  head.writeUInt16LE(frame.kinds, 46);
  frame.before.copy(head, 48, 0, HASH_BYTES);
  return head;
}

/** Undefined when these bytes begin no frame of ours, or one that no writer makes. */
export function decodeHead(head: Buffer): FrameHead | undefined {
  if (head.length < HEAD_BYTES || head.toString('latin1', MARK_AT, MARK_AT + MARK.length) !== MARK) return undefined;
  const magic = head.readUInt32LE(0);
  const size = head.readUInt32LE(4);
  const isSeal = magic === SEAL_MAGIC && size === SEAL_BYTES - 8;
  if (!isSeal && !(magic === FRAME_MAGIC && size === HEAD_BYTES - 8)) return undefined;
  const startMs = head.readUIntLE(12, 6);
  const rawBytes = head.readUInt32LE(22);
  const packedBytes = head.readUInt32LE(26);
  const from = Number(head.readBigUInt64LE(30));
  const to = Number(head.readBigUInt64LE(38));
  if (rawBytes > MAX_RAW_BYTES || packedBytes > MAX_PACKED_BYTES || to < from || !Number.isSafeInteger(to))
    return undefined;
  if (isSeal ? packedBytes > 0 : packedBytes === 0) return undefined;
  return {
    type: isSeal ? 'seal' : 'frame',
    startMs,
    endMs: startMs + head.readUInt32LE(18),
    rawBytes,
    packedBytes,
    from,
    to,
    kinds: head.readUInt16LE(46),
    before: Buffer.from(head.subarray(48, 48 + HASH_BYTES)),
  };
}

/** How long it is in the file, head included. */
export function frameLength({ type, packedBytes }: FrameHead): number {
  return type === 'seal' ? SEAL_BYTES : HEAD_BYTES + packedBytes;
}

export function holds({ kinds }: Pick<FrameHead, 'kinds'>, type: number): boolean {
  return ((kinds >> type) & 1) === 1;
}

export function encodeItem(type: number, ms: number, bytes: Uint8Array): Buffer {
  const item = Buffer.allocUnsafe(ITEM_HEAD_BYTES + bytes.length);
  item[0] = type;
  item.writeUInt32LE(Math.min(ms, 0xffffffff), 1);
  item.writeUInt32LE(bytes.length, 5);
  item.set(bytes, ITEM_HEAD_BYTES);
  return item;
}

export interface Item {
  type: number;
  /** Since the head's start. */
  ms: number;
  bytes: Buffer;
}

/** Throws when they do not fill the frame to the byte. */
export function* decodeItems(raw: Buffer): Generator<Item> {
  for (let at = 0; at < raw.length; ) {
    const end = at + ITEM_HEAD_BYTES > raw.length ? Infinity : at + ITEM_HEAD_BYTES + raw.readUInt32LE(at + 5);
    if (end > raw.length) throw new RangeError('an item goes beyond its frame');
    yield { type: raw[at] as number, ms: raw.readUInt32LE(at + 1), bytes: raw.subarray(at + ITEM_HEAD_BYTES, end) };
    at = end;
  }
}
