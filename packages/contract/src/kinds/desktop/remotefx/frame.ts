/** Frames of RemoteFX as hosts send them: where they draw, and the tiles of it. Bytes of hosts: what is anything else is not read at all. */
import type { Entropy } from './coefficients.ts';
import type { Rectangle } from './rectangles.ts';
import { type PackedPart, type PackedTile, TILE } from './tile.ts';
import type { Quant } from './wavelet.ts';

const BLOCK = {
  sync: 0xccc0,
  versions: 0xccc1,
  channels: 0xccc2,
  context: 0xccc3,
  frameBegin: 0xccc4,
  frameEnd: 0xccc5,
  region: 0xccc6,
  tiles: 0xccc7,
} as const;
const REGION = 0xcac1;
const TILE_SET = 0xcac2;
const ONE_TILE = 0xcac3;
const HEADERS: readonly number[] = [BLOCK.sync, BLOCK.versions, BLOCK.channels, BLOCK.context];
const HEAD_BYTES = 6;
const QUANT_BYTES = 5;
/** A mark at the head of each: the picture is begun anew with every frame. */
const WHOLE_PICTURES = 2;
const ENTROPIES: ReadonlyMap<number, Entropy> = new Map([
  [1, 'first'],
  [4, 'third'],
]);
/** More than any host tells, and few enough that each is held against each tile. */
const MAX_RECTANGLES = 256;

export interface Frame {
  /** Counted from where the frame is drawn. */
  rectangles: readonly Rectangle[];
  tiles: readonly PackedTile[];
}

interface Block {
  type: number;
  /** Behind its head. */
  body: DataView;
}

/** Undefined where lengths do not fit. */
function blocksOf(bytes: Uint8Array): Block[] | undefined {
  const view = viewOf(bytes);
  const blocks: Block[] = [];
  for (let at = 0; at < bytes.length; ) {
    if (at + HEAD_BYTES > bytes.length) return undefined;
    const length = view.getUint32(at + 2, true);
    if (length < HEAD_BYTES || at + length > bytes.length) return undefined;
    const body = viewOf(bytes.subarray(at + HEAD_BYTES, at + length));
    blocks.push({ type: view.getUint16(at, true), body });
    at += length;
  }
  return blocks;
}

export interface Headers {
  /** How numbers are packed from then on; undefined where that is not for us to read. */
  entropy: Entropy | undefined;
  bytes: Uint8Array;
  /** What follows them. */
  frame: Uint8Array;
}

/** What is said once, before the first frame. Undefined: there is nothing of it. */
export function readHeaders(bytes: Uint8Array): Headers | undefined {
  const headers = blocksOf(bytes)?.filter(({ type }) => HEADERS.includes(type));
  if (!headers || headers.length === 0) return undefined;
  const length = headers.reduce((sum, { body }) => sum + HEAD_BYTES + body.byteLength, 0);
  const told = { bytes: bytes.subarray(0, length), frame: bytes.subarray(length) };
  const context = headers.find(({ type }) => type === BLOCK.context)?.body;
  if (!context || context.byteLength < 7) return { ...told, entropy: undefined };
  const properties = context.getUint16(5, true);
  const isWhole = (properties & WHOLE_PICTURES) !== 0;
  const isOfTiles = context.getUint16(3, true) === TILE;
  return { ...told, entropy: isOfTiles && !isWhole ? ENTROPIES.get((properties >> 9) & 15) : undefined };
}

/** Undefined where it is more, less, or anything else. */
export function readFrame(bytes: Uint8Array): Frame | undefined {
  const blocks = blocksOf(bytes);
  if (blocks?.length !== 4) return undefined;
  const [begin, region, tiles, end] = blocks as [Block, Block, Block, Block];
  if (begin.type !== BLOCK.frameBegin || end.type !== BLOCK.frameEnd) return undefined;
  if (region.type !== BLOCK.region || tiles.type !== BLOCK.tiles) return undefined;
  const rectangles = rectanglesOf(region.body);
  const read = rectangles && tilesOf(tiles.body);
  return read && { rectangles, tiles: read };
}

function rectanglesOf(body: DataView): Rectangle[] | undefined {
  if (body.byteLength < 5) return undefined;
  const count = body.getUint16(3, true);
  // None at all stands for the whole screen, which is another's to know.
  if (count === 0 || count > MAX_RECTANGLES || body.byteLength < 9 + 8 * count) return undefined;
  if (body.getUint16(5 + 8 * count, true) !== REGION) return undefined;
  const rectangles: Rectangle[] = [];
  for (let at = 5; at < 5 + 8 * count; at += 8) {
    const [left, top, width, height] = [0, 2, 4, 6].map((field) => body.getUint16(at + field, true)) as [
      ...[number, number, number, number],
    ];
    if (width === 0 || height === 0) return undefined;
    rectangles.push({ left, top, width, height });
  }
  return rectangles;
}

function tilesOf(body: DataView): PackedTile[] | undefined {
  if (body.byteLength < 16 || body.getUint16(2, true) !== TILE_SET) return undefined;
  const [quantCount, side, count] = [body.getUint8(8), body.getUint8(9), body.getUint16(10, true)];
  if (side !== TILE || body.getUint32(12, true) !== body.byteLength - 16 - QUANT_BYTES * quantCount) return undefined;
  const quants: Quant[] = [];
  for (let at = 16; quants.length < quantCount; at += QUANT_BYTES) quants.push(quantAt(body, at));
  const tiles: PackedTile[] = [];
  for (let at = 16 + QUANT_BYTES * quantCount; at < body.byteLength; ) {
    if (at + 19 > body.byteLength || body.getUint16(at, true) !== ONE_TILE) return undefined;
    const length = body.getUint32(at + 2, true);
    if (length < 19 || at + length > body.byteLength) return undefined;
    const parts = partsOf(body, at, length, quants);
    if (!parts) return undefined;
    tiles.push({ x: body.getUint16(at + 9, true), y: body.getUint16(at + 11, true), parts });
    at += length;
  }
  return tiles.length === count ? tiles : undefined;
}

function quantAt(body: DataView, at: number): Quant {
  const nibbles: number[] = [];
  for (let byte = 0; byte < QUANT_BYTES; byte += 1)
    nibbles.push(body.getUint8(at + byte) & 15, body.getUint8(at + byte) >> 4);
  return nibbles;
}

function partsOf(
  body: DataView,
  at: number,
  length: number,
  quants: readonly Quant[],
): PackedTile['parts'] | undefined {
  const parts: PackedPart[] = [];
  let from = at + 19;
  for (let part = 0; part < 3; part += 1) {
    const quant = quants[body.getUint8(at + 6 + part)];
    const bytes = body.getUint16(at + 13 + 2 * part, true);
    if (!quant || from + bytes > at + length) return undefined;
    parts.push({ quant, bytes: new Uint8Array(body.buffer, body.byteOffset + from, bytes) });
    from += bytes;
  }
  return from === at + length ? (parts as unknown as PackedTile['parts']) : undefined;
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
