/** A whole picture as updates that any client of RDP draws: one tile each, 32 bits deep, packed without loss where that makes them smaller. */
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

/** Red, green, blue, each from the bottom: the first row as it is, then what is different from the row before. */
function packTile(rgba: Uint8Array, width: number, { left, top, wide, high }: Tile): Buffer {
  const out = [PLANES_FORMAT];
  const values = new Uint8Array(wide);
  for (let plane = 0; plane < 3; plane += 1)
    for (let row = high - 1; row >= 0; row -= 1) {
      const from = ((top + row) * width + left) * 4 + plane;
      for (let column = 0; column < wide; column += 1) {
        const at = from + column * 4;
        const value = rgba[at] as number;
        values[column] = row === high - 1 ? value : folded(value - (rgba[at + width * 4] as number));
      }
      packRow(values, out);
    }
  return Buffer.from(out);
}

/** A difference with its sign in the lowest bit. */
function folded(difference: number): number {
  const signed = (difference << 24) >> 24;
  return (signed < 0 ? (-signed << 1) - 1 : signed << 1) & 0xff;
}

/** Values as they are, and runs of the last of them; a row begins as if a zero was before it. */
function packRow(values: Uint8Array, out: number[]): void {
  let last = 0;
  for (let at = 0; at < values.length; ) {
    const run = runOf(values, at, last);
    if (run >= MIN_RUN) {
      at += packRun(run, out);
      continue;
    }
    let count = 0;
    do {
      last = values[at + count] as number;
      count += 1;
    } while (count < MAX_RAW && at + count < values.length && runOf(values, at + count, last) < MIN_RUN);
    out.push(count << 4, ...values.subarray(at, at + count));
    at += count;
  }
}

function runOf(values: Uint8Array, from: number, value: number): number {
  let end = from;
  while (end < values.length && values[end] === value) end += 1;
  return end - from;
}

/** How much of it one byte tells: what is left over is another run, or too short for one. */
function packRun(run: number, out: number[]): number {
  if (run >= 32) {
    const told = Math.min(run, 47);
    out.push(((told - 32) << 4) | 2);
    return told;
  }
  if (run >= 16) {
    out.push(((run - 16) << 4) | 1);
    return run;
  }
  out.push(run);
  return run;
}
