/** Pictures of a recorded desktop, kept beside it: a list of them, and a file for each. Made again whenever they are absent or cannot be read. */
import { promisify } from 'node:util';
import { constants, zstdCompress, zstdDecompress } from 'node:zlib';
import { z } from 'zod';
import { packPdus, unpackPdus } from '../../../sessions/desktop/decoder/decoder-messages.ts';
import type { PictureSize } from '../../../sessions/desktop/desktop-recorder.ts';
import type { RecordingStore } from '../stores/recording-store.ts';

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

const LIST_NAME = 'shots';
const LIST_VERSION = 1;
/** Larger than any screen. */
const MAX_SHOT_BYTES = 256 * 1024 * 1024;

const whole = z.number().int().min(0);

const shot = z.object({
  /** Its file is the one with this number. */
  number: whole,
  ms: whole,
  /** What follows it in the recording: the frame, and the first item of it. */
  at: whole,
  items: whole,
  width: whole,
  height: whole,
});
export type Shot = z.output<typeof shot>;

const shotList = z.object({
  version: z.literal(LIST_VERSION),
  shots: z.array(shot),
  /** Everything of an ended recording has been drawn. */
  complete: z.boolean(),
});
export type ShotList = Pick<z.output<typeof shotList>, 'shots' | 'complete'>;

export interface ShotContents {
  /** Small, for lists and for whoever points at the timeline. */
  png: Buffer;
  /** What a client is told before the picture. */
  prelude: readonly Buffer[];
  rgba: Buffer;
}

export type ShotStore = Pick<RecordingStore, 'readBeside' | 'writeBeside'>;

export async function readShots(store: ShotStore, sid: string): Promise<ShotList> {
  const bytes = await store.readBeside(sid, LIST_NAME);
  try {
    if (bytes) return shotList.parse(JSON.parse(bytes.toString('utf8')));
  } catch {
    // Of another version, or damaged: made again.
  }
  return { shots: [], complete: false };
}

export async function writeShots(store: ShotStore, sid: string, list: ShotList): Promise<void> {
  await store.writeBeside(sid, LIST_NAME, Buffer.from(JSON.stringify({ version: LIST_VERSION, ...list })));
}

/** Three lengths, the small picture, then packed what a client is told and the large one. */
export async function writeShot(store: ShotStore, sid: string, number: number, contents: ShotContents): Promise<void> {
  const prelude = packPdus(contents.prelude);
  const head = Buffer.alloc(8);
  head.writeUInt32LE(contents.png.length, 0);
  head.writeUInt32LE(prelude.length, 4);
  const packed = await compress(Buffer.concat([prelude, contents.rgba]), {
    params: { [constants.ZSTD_c_compressionLevel]: 3 },
  });
  await store.writeBeside(sid, nameOf(number), Buffer.concat([head, contents.png, packed]));
}

/** Undefined where it is gone or is none. */
export async function readShot(store: ShotStore, sid: string, number: number): Promise<ShotContents | undefined> {
  const bytes = await store.readBeside(sid, nameOf(number));
  try {
    if (!bytes) return undefined;
    const pngEnd = 8 + bytes.readUInt32LE(0);
    const preludeBytes = bytes.readUInt32LE(4);
    const rest = await decompress(bytes.subarray(pngEnd), { maxOutputLength: MAX_SHOT_BYTES });
    return {
      png: bytes.subarray(8, pngEnd),
      prelude: [...unpackPdus(rest.subarray(0, preludeBytes))],
      rgba: rest.subarray(preludeBytes),
    };
  } catch {
    return undefined;
  }
}

/** Only the small one. */
export async function readShotPng(store: ShotStore, sid: string, number: number): Promise<Buffer | undefined> {
  const bytes = await store.readBeside(sid, nameOf(number));
  if (!bytes || bytes.length < 8) return undefined;
  const end = 8 + bytes.readUInt32LE(0);
  return end <= bytes.length ? bytes.subarray(8, end) : undefined;
}

export function shotBefore({ shots }: ShotList, ms: number): Shot | undefined {
  return shots.findLast((each) => each.ms <= ms);
}

export function sizeOf({ width, height }: Shot): PictureSize {
  return { width, height };
}

function nameOf(number: number): string {
  return `shot-${number}`;
}
