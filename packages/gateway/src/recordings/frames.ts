/**
 * A recording as bytes: an append-only file of frames, each about a second of a session.
 *
 *   skippable frame of zstd   magic 0x184D2A5x, size, then FRAME_BYTES of: start ms, end ms, raw length, packed length (32 bits
 *                             each, little-endian), first and end offset of output (64 bits each)
 *   zstd frame                items, one after the other: type (8 bits), ms since the session began (32), length (32), bytes
 *
 * `zstd -dc` reads it too. A torn end is cut off: everything before it is whole.
 */
export const FRAME_MAGIC = 0x184d2a50;
export const FRAME_BYTES = 32;
export const HEAD_BYTES = 8 + FRAME_BYTES;
export const ITEM_HEAD_BYTES = 9;

export const ITEMS = { output: 1, size: 2, gap: 3, end: 4 } as const;

export interface FrameHead {
  startMs: number;
  endMs: number;
  rawBytes: number;
  packedBytes: number;
  /** Output from this byte of the session on… */
  from: number;
  /** …up to this one. */
  to: number;
}

export function encodeHead({ startMs, endMs, rawBytes, packedBytes, from, to }: FrameHead): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt32LE(FRAME_MAGIC, 0);
  head.writeUInt32LE(FRAME_BYTES, 4);
  [startMs, endMs, rawBytes, packedBytes].forEach((value, index) => {
    head.writeUInt32LE(value, 8 + index * 4);
  });
  head.writeBigUInt64LE(BigInt(from), 24);
  head.writeBigUInt64LE(BigInt(to), 32);
  return head;
}

/** Undefined when these bytes begin no frame of ours. */
export function decodeHead(head: Buffer): FrameHead | undefined {
  if (head.length < HEAD_BYTES || head.readUInt32LE(0) !== FRAME_MAGIC || head.readUInt32LE(4) !== FRAME_BYTES)
    return undefined;
  return {
    startMs: head.readUInt32LE(8),
    endMs: head.readUInt32LE(12),
    rawBytes: head.readUInt32LE(16),
    packedBytes: head.readUInt32LE(20),
    from: Number(head.readBigUInt64LE(24)),
    to: Number(head.readBigUInt64LE(32)),
  };
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
  ms: number;
  bytes: Buffer;
}

export function* decodeItems(raw: Buffer): Generator<Item> {
  for (let at = 0; at + ITEM_HEAD_BYTES <= raw.length; ) {
    const length = raw.readUInt32LE(at + 5);
    const end = at + ITEM_HEAD_BYTES + length;
    if (end > raw.length) return;
    yield { type: raw[at] as number, ms: raw.readUInt32LE(at + 1), bytes: raw.subarray(at + ITEM_HEAD_BYTES, end) };
    at = end;
  }
}
