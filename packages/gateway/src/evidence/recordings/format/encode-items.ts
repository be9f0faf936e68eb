/** The items of a frame as bytes, in room that is used again: whatever a program prints passes here, and is garbage a moment later. */
import type { NewItem } from '../../../sessions/recorder.ts';
import { ITEM_HEAD_BYTES } from './frames.ts';

const ROOM_BYTES = 1100 * 1024;
/** Less than this comes and goes by itself; where a thousand sessions end at once, a room for each would take a gigabyte. */
const SMALL_BYTES = 16 * 1024;
/** Several sessions may be packed at once; more than this many rooms are not kept. */
const MAX_ROOMS = 4;
const rooms: Buffer[] = [];

export interface EncodedItems {
  raw: Buffer;
  /** Call it when nobody reads them any more. */
  done(): void;
}

export function encodeItems(items: readonly Pick<NewItem, 'type' | 'ms' | 'bytes'>[], startMs: number): EncodedItems {
  const length = items.reduce((sum, { bytes }) => sum + ITEM_HEAD_BYTES + bytes.length, 0);
  const room = roomFor(length);
  let at = 0;
  for (const { type, ms, bytes } of items) {
    room[at] = type;
    room.writeUInt32LE(Math.min(ms - startMs, 0xffffffff), at + 1);
    room.writeUInt32LE(bytes.length, at + 5);
    room.set(bytes, at + ITEM_HEAD_BYTES);
    at += ITEM_HEAD_BYTES + bytes.length;
  }
  return {
    raw: room.subarray(0, length),
    done() {
      if (room.length === ROOM_BYTES && rooms.length < MAX_ROOMS) rooms.push(room);
    },
  };
}

function roomFor(length: number): Buffer {
  if (length <= SMALL_BYTES) return Buffer.allocUnsafe(length);
  if (length > ROOM_BYTES) return Buffer.allocUnsafeSlow(length);
  return rooms.pop() ?? Buffer.allocUnsafeSlow(ROOM_BYTES);
}
