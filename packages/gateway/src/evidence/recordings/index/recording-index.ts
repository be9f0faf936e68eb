/** What is known of a recording without reading it: as a value, and as the file that lies beside it. Made again whenever it is absent, old or damaged. */
import { crc32, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { MARKER_TYPES } from '@gatehouse/contract/recordings/recordings';
import { z } from 'zod';

/** What lies beside the recording. */
export const INDEX_NAME = 'index';
/** Another number makes every index anew. */
export const INDEX_VERSION = 1;
const MAGIC = 0x31584847;
const FIXED_BYTES = 16;
const MAX_HEAD_BYTES = 16 * 1024 * 1024;

const size = { cols: z.number().int(), rows: z.number().int() } as const;
const whole = z.number().int().min(0);

const marker = z.object({ ms: whole, type: z.enum(MARKER_TYPES), text: z.string() });
export type Marker = z.output<typeof marker>;

/** The screen before the frame that begins at a byte of the file. */
const keyframe = z.object({ at: whole, ms: whole, ...size, bytes: whole, forced: z.boolean() });

const head = z.object({
  version: z.literal(INDEX_VERSION),
  /** Everything of an ended recording has been read. */
  complete: z.boolean(),
  /** What follows this byte of the file has not been read. */
  at: whole,
  ms: whole,
  durationMs: whole,
  ...size,
  activity: z.object({ stepMs: z.number().int().min(1), bytes: z.array(whole) }),
  markers: z.array(marker),
  markersComplete: z.boolean(),
  keyframes: z.array(keyframe),
  /** The last screen, for thumbnails. */
  last: z.object({ ms: whole, ...size, ansi: z.string() }),
  /** Of a desktop: how large its picture is. Without it, it is drawn as a terminal. */
  picture: z.object({ width: whole, height: whole }).optional(),
  /** Of statements: its screens are rows of plain text. */
  statements: z.literal(true).optional(),
  blocks: whole,
  linesComplete: z.boolean(),
  lineCharacters: whole,
  /** Where it could not be read further, and why. */
  damaged: z.object({ at: whole, reason: z.string() }).optional(),
  seenBytes: whole,
});
type Head = z.output<typeof head>;

export interface Keyframe extends Omit<z.output<typeof keyframe>, 'bytes'> {
  /** A drawn screen, compressed. */
  packed: Buffer;
}

export interface RecordingIndex extends Omit<Head, 'keyframes' | 'seenBytes' | 'version'> {
  keyframes: Keyframe[];
  /** Hashes of the lines that were told. */
  seen: Int32Array;
}

export function encodeIndex({ keyframes, seen, ...rest }: RecordingIndex): Buffer {
  const seenBytes = Buffer.from(seen.buffer, seen.byteOffset, seen.byteLength);
  const told: Head = {
    ...rest,
    version: INDEX_VERSION,
    keyframes: keyframes.map(({ packed, ...key }) => ({ ...key, bytes: packed.length })),
    seenBytes: seenBytes.length,
  };
  const packedHead = zstdCompressSync(Buffer.from(JSON.stringify(told)));
  const body = Buffer.concat([packedHead, ...keyframes.map(({ packed }) => packed), seenBytes]);
  const fixed = Buffer.alloc(FIXED_BYTES);
  fixed.writeUInt32LE(MAGIC, 0);
  fixed.writeUInt32LE(INDEX_VERSION, 4);
  fixed.writeUInt32LE(packedHead.length, 8);
  fixed.writeUInt32LE(crc32(body), 12);
  return Buffer.concat([fixed, body]);
}

/** Undefined for anything that is not an index of this version to the last byte. */
export function decodeIndex(bytes: Buffer): RecordingIndex | undefined {
  if (bytes.length < FIXED_BYTES || bytes.readUInt32LE(0) !== MAGIC || bytes.readUInt32LE(4) !== INDEX_VERSION)
    return undefined;
  const body = bytes.subarray(FIXED_BYTES);
  const headBytes = bytes.readUInt32LE(8);
  if (headBytes > body.length || crc32(body) !== bytes.readUInt32LE(12)) return undefined;
  try {
    const raw = zstdDecompressSync(body.subarray(0, headBytes), { maxOutputLength: MAX_HEAD_BYTES });
    const { keyframes, seenBytes, version: _, ...rest } = head.parse(JSON.parse(raw.toString('utf8')));
    let at = headBytes;
    const read = keyframes.map(({ bytes: length, ...key }) => {
      at += length;
      return { ...key, packed: body.subarray(at - length, at) };
    });
    const seen = new Int32Array(seenBytes / 4);
    Buffer.from(seen.buffer).set(body.subarray(at, at + seenBytes));
    return { ...rest, keyframes: read, seen };
  } catch {
    return undefined;
  }
}

export function packScreen(ansi: string): Buffer {
  return zstdCompressSync(Buffer.from(ansi));
}

const MAX_SCREEN_BYTES = 8 * 1024 * 1024;

export function unpackScreen(packed: Buffer): string {
  return zstdDecompressSync(packed, { maxOutputLength: MAX_SCREEN_BYTES }).toString('utf8');
}

/** The last one at or before a time. */
export function keyframeBefore({ keyframes }: Pick<RecordingIndex, 'keyframes'>, ms: number): Keyframe | undefined {
  let low = 0;
  let high = keyframes.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((keyframes[middle]?.ms ?? 0) <= ms) low = middle + 1;
    else high = middle;
  }
  return keyframes[low - 1];
}
