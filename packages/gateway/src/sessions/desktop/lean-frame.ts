/** A frame of RemoteFX with some of its tiles left out, in as many PDUs as it takes. */
import { fastPdu } from './rdp-marks.ts';

const BLOCK_HEAD = 6;
const TILES = 0xccc7;
/** Of the block of tiles, behind its head: how many quantities, tiles and bytes of tiles there are, and where the quantities begin. */
const AT = { quants: 8, tiles: 10, bytes: 12, first: 16 } as const;
const QUANT_BYTES = 5;
const SURFACE = 4;
const FRAGMENT = { single: 0, last: 1, first: 2, next: 3 } as const;
const COMMAND_HEAD = 22;
const LENGTH_AT = 18;
/** As hosts cut them. */
const MAX_FRAGMENT_BYTES = 16_000;

/** `command`: the head that says where it is drawn. `frame`: as `readFrame` has read it, so that its lengths are true. `keeps`: for each tile, in their order. */
export function leanFrame(command: Buffer, frame: Buffer, keeps: readonly boolean[]): Buffer[] {
  const lean = Buffer.concat(blocksOf(frame).flatMap((block) => (isTiles(block) ? leanTiles(block, keeps) : [block])));
  const head = Buffer.from(command.subarray(0, COMMAND_HEAD));
  head.writeUInt32LE(lean.length, LENGTH_AT);
  const data = Buffer.concat([head, lean]);
  const pdus: Buffer[] = [];
  for (let at = 0; at < data.length; at += MAX_FRAGMENT_BYTES) {
    const piece = data.subarray(at, at + MAX_FRAGMENT_BYTES);
    const pdu = fastPdu(SURFACE | (fragmentAt(at, data.length) << 4), piece.length);
    piece.copy(pdu, pdu.length - piece.length);
    pdus.push(pdu);
  }
  return pdus;
}

function fragmentAt(at: number, length: number): number {
  const isLast = at + MAX_FRAGMENT_BYTES >= length;
  if (at === 0) return isLast ? FRAGMENT.single : FRAGMENT.first;
  return isLast ? FRAGMENT.last : FRAGMENT.next;
}

function isTiles(block: Buffer): boolean {
  return block.readUInt16LE(0) === TILES;
}

function leanTiles(block: Buffer, keeps: readonly boolean[]): Buffer[] {
  const first = BLOCK_HEAD + AT.first + QUANT_BYTES * block.readUInt8(BLOCK_HEAD + AT.quants);
  const tiles = blocksOf(block.subarray(first)).filter((_, number) => keeps[number]);
  const bytes = tiles.reduce((sum, { length }) => sum + length, 0);
  const head = Buffer.from(block.subarray(0, first));
  head.writeUInt32LE(first + bytes, 2);
  head.writeUInt16LE(tiles.length, BLOCK_HEAD + AT.tiles);
  head.writeUInt32LE(bytes, BLOCK_HEAD + AT.bytes);
  return [head, ...tiles];
}

function blocksOf(bytes: Buffer): Buffer[] {
  const blocks: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const length = bytes.readUInt32LE(at + 2);
    blocks.push(bytes.subarray(at, at + length));
    at += length;
  }
  return blocks;
}
