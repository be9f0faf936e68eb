/** The blocks at the head of a RemoteFX stream: they come once, and who begins to look later needs them again. */

/** The first block, with its magic number. */
const SYNC = Buffer.from([0xc0, 0xcc, 12, 0, 0, 0, 0xca, 0xac, 0xcc, 0xca]);
/** Sync, versions, channels, context. */
const HEADER_BLOCKS = 4;
const MIN_BLOCK_BYTES = 6;
const MAX_HEADER_BYTES = 1_024;

/** Undefined: it has none. */
export function remoteFxHeaders(update: Buffer): Buffer | undefined {
  const from = update.indexOf(SYNC);
  if (from < 0) return undefined;
  let at = from;
  for (let left = HEADER_BLOCKS; left > 0; left -= 1) {
    if (at + MIN_BLOCK_BYTES > update.length) return undefined;
    const length = update.readUInt32LE(at + 2);
    at += length;
    if (length < MIN_BLOCK_BYTES || at > update.length || at - from > MAX_HEADER_BYTES) return undefined;
  }
  // A copy: it outlives the message that it came in.
  return Buffer.from(update.subarray(from, at));
}

/** Begins a frame, one rectangle of a pixel, no tile, ends it. */
const EMPTY_FRAME = Buffer.from([
  ...[0xc4, 0xcc, 14, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0],
  ...[0xc6, 0xcc, 23, 0, 0, 0, 1, 0, 1, 1, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0xc1, 0xca, 1, 0],
  ...[0xc7, 0xcc, 22, 0, 0, 0, 1, 0, 0xc2, 0xca, 0, 0, 0x51, 0x50, 0, 0x40, 0, 0, 0, 0, 0, 0],
  ...[0xc5, 0xcc, 8, 0, 0, 0, 1, 0],
]);
const SURFACE_HEAD_BYTES = 28;
const REMOTE_FX = 3;

/** A message that tells a fresh client the headers, and draws nothing. */
export function remoteFxPrimer(headers: Buffer): Buffer {
  const length = SURFACE_HEAD_BYTES + headers.length + EMPTY_FRAME.length;
  const head = Buffer.alloc(SURFACE_HEAD_BYTES);
  head.writeUInt16BE(0x8000 | length, 1);
  // Surface commands in one fragment, the one of which sets bits of the pixel at 0,0.
  head[3] = 4;
  head.writeUInt16LE(length - 6, 4);
  head.writeUInt16LE(1, 6);
  head.writeUInt16LE(1, 12);
  head.writeUInt16LE(1, 14);
  head[16] = 32;
  head[19] = REMOTE_FX;
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(headers.length + EMPTY_FRAME.length, 24);
  return Buffer.concat([head, headers, EMPTY_FRAME]);
}
