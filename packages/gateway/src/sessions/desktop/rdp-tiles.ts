/** A whole picture as updates that any client of RDP draws: one tile each, 32 bits deep, packed without loss where that makes them smaller. */
import { setImmediate } from 'node:timers/promises';
import type { PictureSize } from './desktop-recorder.ts';
import { FAST_HEAD, fastPdu } from './rdp-marks.ts';

const TILE = 64;
const BITMAP_UPDATE = 1;
/** One rectangle of an update: what, how many, where, how large, how deep, how packed, how long. */
const BITMAP_HEAD = 22;
/** Packed, and without a header of its own. */
const PACKED = 0x0401;
/** Runs in each plane, and none for what is transparent. */
const PLANES_FORMAT = 0x30;
const MAX_RAW = 15;
const MIN_RUN = 3;

/** `rgba` is from the top, row by row. */
export function* tilesOf(rgba: Uint8Array, { width, height }: PictureSize): Generator<Buffer> {
  for (let top = 0; top < height; top += TILE)
    for (let left = 0; left < width; left += TILE) {
      const tile = { left, top, wide: Math.min(TILE, width - left), high: Math.min(TILE, height - top) };
      const packed = packTile(rgba, width, tile);
      const isPacked = packed.length < tile.wide * tile.high * 4;
      const bytes = isPacked ? packed : plainTile(rgba, width, tile);
      const pdu = fastPdu(BITMAP_UPDATE, BITMAP_HEAD + bytes.length);
      const corner = [left + tile.wide - 1, top + tile.high - 1];
      const fields = [1, 1, left, top, ...corner, tile.wide, tile.high, 32, isPacked ? PACKED : 0, bytes.length];
      for (const [number, value] of fields.entries()) pdu.writeUInt16LE(value, FAST_HEAD + 2 * number);
      bytes.copy(pdu, FAST_HEAD + BITMAP_HEAD);
      yield pdu;
    }
}

interface Tile {
  left: number;
  top: number;
  wide: number;
  high: number;
}

/** Rows from the bottom, blue first. */
function plainTile(rgba: Uint8Array, width: number, { left, top, wide, high }: Tile): Buffer {
  const bytes = Buffer.alloc(wide * high * 4);
  for (let row = 0; row < high; row += 1) {
    let to = (high - 1 - row) * wide * 4;
    let from = ((top + row) * width + left) * 4;
    for (let column = 0; column < wide; column += 1, to += 4, from += 4) {
      bytes[to] = rgba[from + 2] as number;
      bytes[to + 1] = rgba[from + 1] as number;
      bytes[to + 2] = rgba[from] as number;
    }
  }
  return bytes;
}

/** No row of a tile takes more, packed: each of its values, and a byte for every few of them. */
const MAX_ROW_BYTES = TILE + Math.ceil(TILE / MAX_RAW) + TILE;
const room = Buffer.alloc(1 + 3 * TILE * MAX_ROW_BYTES);
const values = new Uint8Array(TILE);

/** Red, green, blue, each from the bottom: the first row as it is, then what is different from the row before. In room that is used again. */
function packTile(rgba: Uint8Array, width: number, { left, top, wide, high }: Tile): Buffer {
  room[0] = PLANES_FORMAT;
  let end = 1;
  for (let plane = 0; plane < 3; plane += 1)
    for (let row = high - 1; row >= 0; row -= 1) {
      let at = ((top + row) * width + left) * 4 + plane;
      for (let column = 0; column < wide; column += 1, at += 4) {
        const value = rgba[at] as number;
        values[column] = row === high - 1 ? value : folded(value - (rgba[at + width * 4] as number));
      }
      end = packRow(wide, end);
    }
  return room.subarray(0, end);
}

/** A difference with its sign in the lowest bit. */
function folded(difference: number): number {
  const signed = (difference << 24) >> 24;
  return (signed < 0 ? (-signed << 1) - 1 : signed << 1) & 0xff;
}

/** Values as they are, and runs of the last of them; a row begins as if a zero was before it. Gives where it ends in the room. */
function packRow(wide: number, from: number): number {
  let end = from;
  let last = 0;
  for (let at = 0; at < wide; ) {
    const run = runOf(at, wide, last);
    if (run >= MIN_RUN) {
      const told = Math.min(run, MAX_RUN);
      room[end] = runByte(told);
      end += 1;
      at += told;
      continue;
    }
    const head = end;
    let count = 0;
    do {
      last = values[at] as number;
      end += 1;
      room[end] = last;
      at += 1;
      count += 1;
    } while (count < MAX_RAW && at < wide && runOf(at, wide, last) < MIN_RUN);
    room[head] = count << 4;
    end += 1;
  }
  return end;
}

function runOf(from: number, wide: number, value: number): number {
  let end = from;
  while (end < wide && values[end] === value) end += 1;
  return end - from;
}

const MAX_RUN = 47;

function runByte(run: number): number {
  if (run >= 32) return ((run - 32) << 4) | 2;
  return run >= 16 ? ((run - 16) << 4) | 1 : run;
}

/** Between so many of them everything else has its turn. */
const TILES_AT_ONCE = 12;

/** All of them, without holding up the sessions of others for the time that a large screen takes. */
export async function allTiles(rgba: Uint8Array, size: PictureSize): Promise<Buffer[]> {
  const tiles: Buffer[] = [];
  for (const tile of tilesOf(rgba, size)) {
    tiles.push(tile);
    if (tiles.length % TILES_AT_ONCE === 0) await setImmediate();
  }
  return tiles;
}
