/** A bounded piece of a recorded desktop for the player: items as they are in the file, from where a client can begin to draw. */
import type { PieceHead } from '@gatehouse/contract/recordings/recorded-piece';
import { allTiles } from '../../../sessions/desktop/rdp-tiles.ts';
import { encodeSegment, segmentItem } from '../format/desktop-items.ts';
import { encodeItem, holds, ITEMS, type Item } from '../format/frames.ts';
import { readAhead } from '../format/read-ahead.ts';
import { readPlainItems } from '../format/read-recording.ts';
import { walkFrames } from '../format/walk-frames.ts';
import type { ItemPosition } from '../index/screen-at.ts';
import { type Shot, type ShotContents, sizeOf } from '../shots/shot-files.ts';
import type { RecordingSource } from '../stores/recording-store.ts';
import { BEGINNING } from './read-piece.ts';

/** A second of work for a page. */
const PIECE = { bytes: 1024 * 1024, frames: 400 };
/** Behind the time that somebody waits for: what follows comes while they look at it. */
const AFTER_SEEK_BYTES = 64 * 1024;
const READ_BYTES = 256 * 1024;

const SHOWN: ReadonlySet<number> = new Set([ITEMS.output, ITEMS.end, ITEMS.pointer, ITEMS.segment, ITEMS.note]);

export interface PicturePiece {
  items: Item[];
  next: ItemPosition;
  /** Nothing follows that can be read now. */
  atEnd: boolean;
  isDamaged: boolean;
}

/** Of VNC: a whole picture is asked for where a segment begins, and is there so long after it, even over a slow line. */
const WHOLE_PICTURE_MS = 5_000;

/** The last place at or before a time where a handshake begins, and by that time all is drawn. */
export async function segmentBefore(
  source: RecordingSource,
  ms: number,
  after: ItemPosition = BEGINNING,
): Promise<ItemPosition> {
  let found: ItemPosition | undefined;
  for await (const frame of walkFrames(source, after.at)) {
    if (frame.startMs > ms) break;
    if (frame.type !== 'frame' || !holds(frame, ITEMS.segment)) continue;
    const items = await readPlainItems(source, frame).catch(() => []);
    const at = items.findLastIndex((item) => item.type === ITEMS.segment && isDrawnBy(item, ms));
    if (at >= 0 && (frame.at > after.at || at >= after.items)) found = { at: frame.at, items: at, bytes: 0 };
  }
  return found ?? after;
}

function isDrawnBy({ bytes, ms: began }: Item, ms: number): boolean {
  return began + (protocolOf(bytes) === 'vnc' ? WHOLE_PICTURE_MS : 0) <= ms;
}

function protocolOf(segment: Buffer): 'rdp' | 'vnc' | undefined {
  try {
    return segmentItem.parse(JSON.parse(segment.toString('utf8'))).protocol;
  } catch {
    return undefined;
  }
}

/** Where a client can begin to draw a time, and what it is told before what follows there. */
export async function pictureBefore(
  source: RecordingSource,
  ms: number,
  shot: (Shot & ShotContents) | undefined,
): Promise<{ first: Item[]; from: ItemPosition }> {
  // Of VNC, one is only to be looked at.
  if (!shot || shot.prelude.length === 0) return { first: [], from: await segmentBefore(source, ms) };
  const taken = { at: shot.at, items: shot.items, bytes: 0 };
  const from = await segmentBefore(source, ms, taken);
  // Another handshake follows it: what was seen before does not matter there.
  if (from !== taken) return { first: [], from };
  const size = sizeOf(shot);
  const item = (type: number, bytes: Buffer): Item => ({ type, ms: shot.ms, bytes });
  return {
    first: [
      item(ITEMS.segment, encodeSegment('rdp', size)),
      ...shot.prelude.map((pdu) => item(ITEMS.output, pdu)),
      ...(await allTiles(shot.rgba, size)).map((pdu) => item(ITEMS.output, pdu)),
    ],
    from,
  };
}

/** `awaitedMs`: somebody waits for that time, and for nothing behind it. */
export async function readPicturePiece(
  source: RecordingSource,
  from: ItemPosition,
  awaitedMs = Number.POSITIVE_INFINITY,
): Promise<PicturePiece> {
  const ahead = readAhead(source, READ_BYTES);
  const walk = walkFrames(ahead, from.at);
  const items: Item[] = [];
  let next = from;
  let room = PIECE.bytes;
  for (let frames = 0; frames < PIECE.frames; frames += 1) {
    const step = await walk.next();
    if (step.done) return { items, next, atEnd: true, isDamaged: step.value.found === 'foreign' };
    const frame = step.value;
    if (frame.type === 'frame') {
      const read = await readPlainItems(ahead, frame).catch(() => undefined);
      if (!read) return { items, next, atEnd: true, isDamaged: true };
      const first = frame.at === from.at ? from.items : 0;
      for (const [number, item] of read.entries()) {
        if (number < first || !SHOWN.has(item.type)) continue;
        if (item.ms > awaitedMs && (items.at(-1)?.ms ?? 0) <= awaitedMs) room = Math.min(room, AFTER_SEEK_BYTES);
        items.push(item);
        room -= item.bytes.length;
        next = { at: frame.at, items: number + 1, bytes: 0 };
        if (room <= 0) return { items, next, atEnd: false, isDamaged: false };
      }
    }
    next = { at: frame.at + frame.length, items: 0, bytes: 0 };
  }
  return { items, next, atEnd: false, isDamaged: false };
}

export function encodePiece(head: PieceHead, items: readonly Item[]): Buffer {
  const text = Buffer.from(JSON.stringify(head));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(text.length, 0);
  return Buffer.concat([length, text, ...items.map(({ type, ms, bytes }) => encodeItem(type, ms, bytes))]);
}
