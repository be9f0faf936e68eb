/**
 * A piece of a recording as bytes, for players of what is no text: the length of a head (32 bits) and the head as JSON, then items as in
 * the file: type (8 bits), milliseconds into the session (32), length (32), bytes. Little-endian.
 */
import { z } from 'zod';

export const pieceHead = z.object({
  /** Ask with this for what follows. Absent: that was all. */
  next: z.string().optional(),
  /** The session goes on: asking again with `next` later gives more. */
  live: z.boolean(),
  /** Nothing behind what is here can be read. */
  damaged: z.boolean().optional(),
});
export type PieceHead = z.output<typeof pieceHead>;

/** Types of items that it holds, as docs/recording-format.md has them. */
export const PIECE_ITEMS = { output: 1, end: 4, pointer: 12, segment: 13, note: 14 } as const;

export interface PieceItem {
  type: number;
  ms: number;
  bytes: Uint8Array<ArrayBuffer>;
}

const segment = z.object({ protocol: z.enum(['rdp', 'vnc']), width: z.number().int(), height: z.number().int() });
export type SegmentItem = z.output<typeof segment>;

const ITEM_HEAD_BYTES = 9;

/** Throws for what is no such piece. The bytes of items lie in those that were given. */
export function readRecordedPiece(
  given: ArrayBuffer,
  readText: (bytes: Uint8Array<ArrayBuffer>) => string,
): { head: PieceHead; items: PieceItem[] } {
  const view = new DataView(given);
  const headBytes = view.getUint32(0, true);
  const head = pieceHead.parse(JSON.parse(readText(new Uint8Array(given, 4, headBytes))));
  const items: PieceItem[] = [];
  for (let at = 4 + headBytes; at < given.byteLength; ) {
    const length = view.getUint32(at + 5, true);
    const bytes = new Uint8Array(given, at + ITEM_HEAD_BYTES, length);
    items.push({ type: view.getUint8(at), ms: view.getUint32(at + 1, true), bytes });
    at += ITEM_HEAD_BYTES + length;
  }
  return { head, items };
}

export function readSegment(text: string): SegmentItem {
  return segment.parse(JSON.parse(text));
}

/** Undefined for what is too short. */
export function readPointer(bytes: Uint8Array): { x: number; y: number; buttons: number } | undefined {
  const [xLow, xHigh, yLow, yHigh, buttons] = bytes;
  if (xLow === undefined || xHigh === undefined || yLow === undefined || yHigh === undefined || buttons === undefined)
    return undefined;
  return { x: xLow | (xHigh << 8), y: yLow | (yHigh << 8), buttons };
}
