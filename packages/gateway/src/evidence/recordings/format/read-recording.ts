/** Reads what happened in a session from its recording: frames by their heads, then the items of those that are wanted. */
import { promisify } from 'node:util';
import { constants, zstdDecompress, zstdDecompressSync } from 'node:zlib';
import { errorMessage } from '@gatehouse/contract/std/error-message';
import { z } from 'zod';
import type { RecordingSource } from '../stores/recording-store.ts';
import { decodePointer, noteItem, type PointerItem, segmentItem } from './desktop-items.ts';
import { decodeHead, decodeItems, HEAD_BYTES, ITEMS, type Item } from './frames.ts';
import { answeredItem, askedItem, sampleItem } from './statement-items.ts';
import { walkFrames } from './walk-frames.ts';

const decompress = promisify(zstdDecompress);
/** A frame that claims a larger window would have us reserve it. */
const MAX_WINDOW_LOG = 23;
/** Most seconds of a session are far smaller: to hand such a frame to another thread costs several times what inflating it does. */
const INFLATED_HERE_BYTES = 16 * 1024;
/** The least that Node takes. */
const MIN_CHUNK_BYTES = 64;

export interface FrameRef {
  /** Where it begins in the file. */
  at: number;
  length: number;
  startMs: number;
  endMs: number;
  /** Offsets of output. */
  from: number;
  to: number;
}

export const recordedFacts = z.object({
  format: z.literal(1),
  sid: z.string(),
  cluster: z.string(),
  kind: z.string(),
  resource: z.object({ id: z.string(), name: z.string() }),
  login: z.string(),
  /** Of sessions with databases. */
  database: z.string().optional(),
  /** Of those and of desktops. */
  protocol: z.string().optional(),
  user: z.string(),
  /** Milliseconds since 1970: what all times of the recording count from. */
  started: z.number().int(),
});
export type RecordedFacts = z.output<typeof recordedFacts>;

export type RecordedItem = { ms: number } & (
  | { type: 'facts'; facts: RecordedFacts }
  | { type: 'output'; bytes: Buffer }
  | { type: 'size'; cols: number; rows: number }
  | { type: 'join' | 'leave'; user: string; mode: string }
  | { type: 'input'; bytes: Buffer }
  /** Output that was never recorded. */
  | { type: 'gap'; from: number; to: number }
  | { type: 'end'; cause: string; message: string }
  | ({ type: 'asked' } & z.output<typeof askedItem>)
  | { type: 'answered'; outcome: z.output<typeof answeredItem> }
  | ({ type: 'sample' } & z.output<typeof sampleItem>)
  | ({ type: 'pointer' } & PointerItem)
  | ({ type: 'segment' } & z.output<typeof segmentItem>)
  | { type: 'note'; note: z.output<typeof noteItem> }
);

export class UnreadableFrame extends Error {
  readonly at: number;

  constructor(at: number, reason: string) {
    super(`the frame at byte ${at} cannot be read: ${reason}`);
    this.at = at;
  }
}

/** Those that are there to their last byte; ends where the file does, or where it is torn. */
export async function* findFrames(source: RecordingSource, from = { at: 0 }): AsyncGenerator<FrameRef> {
  for await (const { type, at, length, startMs, endMs, from: begin, to } of walkFrames(source, from.at))
    if (type === 'frame') yield { at, length, startMs, endMs, from: begin, to };
}

/** Throws an `UnreadableFrame` for one that claims or inflates to more than any writer makes, or is not what its head says. An item in it that cannot be read is missing, and nothing else is. */
export async function readItems(source: RecordingSource, frame: FrameRef): Promise<RecordedItem[]> {
  return await readFrame(source, frame, (startMs, item) => {
    try {
      return toItem(startMs, item);
    } catch {
      return [];
    }
  });
}

/** The items of a frame as they are, of types that are known here or not; throws like `readItems`. Their `ms` is of the session. */
export async function readPlainItems(source: RecordingSource, frame: FrameRef): Promise<Item[]> {
  return await readFrame(source, frame, (startMs, item) => [{ ...item, ms: startMs + item.ms }]);
}

async function readFrame<T>(
  source: RecordingSource,
  { at, length }: Pick<FrameRef, 'at' | 'length'>,
  take: (startMs: number, item: Item) => T[],
): Promise<T[]> {
  const bytes = await source.read(at, length);
  const head = decodeHead(bytes);
  if (head?.type !== 'frame' || HEAD_BYTES + head.packedBytes !== bytes.length)
    throw new UnreadableFrame(at, 'no head');
  try {
    const raw = await inflate(bytes.subarray(HEAD_BYTES), head.rawBytes);
    return [...decodeItems(raw)].flatMap((item) => take(head.startMs, item));
  } catch (error) {
    throw new UnreadableFrame(at, errorMessage(error));
  }
}

/** Throws when there is more or less of it than `rawBytes`. */
export async function inflate(packed: Buffer, rawBytes: number): Promise<Buffer> {
  const options = {
    maxOutputLength: Math.max(1, rawBytes),
    params: { [constants.ZSTD_d_windowLogMax]: MAX_WINDOW_LOG },
  };
  const raw =
    rawBytes <= INFLATED_HERE_BYTES
      ? zstdDecompressSync(packed, { ...options, chunkSize: Math.max(MIN_CHUNK_BYTES, rawBytes) })
      : await decompress(packed, options);
  if (raw.length !== rawBytes) throw new RangeError('it is shorter than its head says');
  return raw;
}

const gap = z.object({ from: z.number().int(), to: z.number().int() });
const end = z.object({ cause: z.string(), message: z.string() });
const party = z.object({ user: z.string(), mode: z.string() });

/** Types of a later version are passed over. */
function toItem(startMs: number, { type, ms: since, bytes }: Item): RecordedItem[] {
  const ms = startMs + since;
  switch (type) {
    case ITEMS.facts:
      return [{ ms, type: 'facts', facts: json(recordedFacts, bytes) }];
    case ITEMS.output:
      return [{ ms, type: 'output', bytes }];
    case ITEMS.input:
      return [{ ms, type: 'input', bytes }];
    case ITEMS.size:
      return [{ ms, type: 'size', cols: bytes.readUInt16LE(0), rows: bytes.readUInt16LE(2) }];
    case ITEMS.gap:
      return [{ ms, type: 'gap', ...json(gap, bytes) }];
    case ITEMS.end:
      return [{ ms, type: 'end', ...json(end, bytes) }];
    case ITEMS.join:
      return [{ ms, type: 'join', ...json(party, bytes) }];
    case ITEMS.leave:
      return [{ ms, type: 'leave', ...json(party, bytes) }];
    case ITEMS.asked:
      return [{ ms, type: 'asked', ...json(askedItem, bytes) }];
    case ITEMS.answered:
      return [{ ms, type: 'answered', outcome: json(answeredItem, bytes) }];
    case ITEMS.sample:
      return [{ ms, type: 'sample', ...json(sampleItem, bytes) }];
    case ITEMS.pointer:
      return [{ ms, type: 'pointer', ...decodePointer(bytes) }];
    case ITEMS.segment:
      return [{ ms, type: 'segment', ...json(segmentItem, bytes) }];
    case ITEMS.note:
      return [{ ms, type: 'note', note: json(noteItem, bytes) }];
    default:
      return [];
  }
}

function json<T>(shape: z.ZodType<T>, bytes: Buffer): T {
  return shape.parse(JSON.parse(bytes.toString('utf8')));
}
