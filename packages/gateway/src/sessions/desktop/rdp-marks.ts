/** What must be known of a PDU of RDP to play it to a client that was not there from the beginning. Bytes of hosts: nothing in them is believed beyond their length. */
import type { PictureSize } from './desktop-recorder.ts';

const TPKT = 3;
const DATA_INDICATION = 26;
/** Of the share control header: the two kinds that matter. */
const DEMAND_ACTIVE = 1;
const SHARE_DATA = 7;
const PROTOCOL_VERSION = 0x10;
const BITMAP_CAPABILITIES = 2;
/** Of the share data header. */
export const SHARE_DATA_TYPES = { control: 20, synchronize: 31, fontMap: 40 } as const;

/** Where the share control header begins. */
function shareAt(pdu: Buffer): number | undefined {
  if (pdu.length < 14 || pdu[0] !== TPKT || (pdu[7] as number) >> 2 !== DATA_INDICATION) return undefined;
  const at = (pdu[13] as number) & 0x80 ? 15 : 14;
  return pdu.length >= at + 6 ? at : undefined;
}

export function isFast(pdu: Buffer): boolean {
  return pdu[0] !== TPKT;
}

/** A host that says what it can: with it, a client begins to draw. How large the picture is stands in it. */
export function demandedSize(pdu: Buffer): PictureSize | undefined {
  const at = shareAt(pdu);
  if (at === undefined || pdu.readUInt16LE(at + 2) !== (DEMAND_ACTIVE | PROTOCOL_VERSION) || pdu.length < at + 14)
    return undefined;
  let set = at + 14 + pdu.readUInt16LE(at + 10);
  if (pdu.length < set + 4) return undefined;
  const count = pdu.readUInt16LE(set);
  set += 4;
  for (let number = 0; number < count && pdu.length >= set + 4; number += 1) {
    const length = pdu.readUInt16LE(set + 2);
    if (pdu.readUInt16LE(set) === BITMAP_CAPABILITIES && pdu.length >= set + 16)
      return { width: pdu.readUInt16LE(set + 12), height: pdu.readUInt16LE(set + 14) };
    if (length < 4) return undefined;
    set += length;
  }
  return undefined;
}

/** One of `SHARE_DATA_TYPES`, or another; undefined where it is no such PDU. */
export function shareDataType(pdu: Buffer): number | undefined {
  const at = shareAt(pdu);
  if (at === undefined || pdu.length <= at + 14 || (pdu.readUInt16LE(at + 2) & 0x0f) !== SHARE_DATA) return undefined;
  return pdu[at + 14];
}

const FRAGMENT = { single: 0, last: 1 };

/** Whether an update goes on in the next PDU: a client that begins there would make nothing of it. Undefined: it says nothing of that. */
export function leavesOpen(pdu: Buffer): boolean | undefined {
  if (!isFast(pdu) || pdu.length < 3) return undefined;
  let at = (pdu[1] as number) & 0x80 ? 3 : 2;
  let fragment: number | undefined;
  while (at + 3 <= pdu.length) {
    const head = pdu[at] as number;
    fragment = (head >> 4) & 3;
    const isPacked = head >> 6 !== 0;
    const lengthAt = at + (isPacked ? 2 : 1);
    if (lengthAt + 2 > pdu.length) break;
    at = lengthAt + 2 + pdu.readUInt16LE(lengthAt);
  }
  return fragment === undefined ? undefined : fragment !== FRAGMENT.single && fragment !== FRAGMENT.last;
}

/** TS_RFX_SYNC with its magic number and version. */
const SYNC = Buffer.from([0xc0, 0xcc, 12, 0, 0, 0, 0xca, 0xac, 0xcc, 0xca]);
/** Sync, versions, channels, context. */
const HEADER_BLOCKS = 4;
const MAX_HEADER_BYTES = 512;

/** What a RemoteFX stream begins with, once for all that follows. */
export function remoteFxHeaders(pdu: Buffer): Buffer | undefined {
  if (!isFast(pdu)) return undefined;
  const from = pdu.indexOf(SYNC);
  if (from < 0) return undefined;
  let at = from;
  for (let block = 0; block < HEADER_BLOCKS; block += 1) {
    if (at + 6 > pdu.length) return undefined;
    at += pdu.readUInt32LE(at + 2);
    if (at - from > MAX_HEADER_BYTES) return undefined;
  }
  return at <= pdu.length ? Buffer.from(pdu.subarray(from, at)) : undefined;
}

/** Beginning of a frame, a region of one pixel, a set of no tiles, end of the frame. */
const EMPTY_FRAME = Buffer.from([
  ...[0xc4, 0xcc, 14, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0],
  ...[0xc6, 0xcc, 23, 0, 0, 0, 1, 0, 1, 1, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0xc1, 0xca, 1, 0],
  ...[0xc7, 0xcc, 22, 0, 0, 0, 1, 0, 0xc2, 0xca, 0, 0, 0x51, 0x50, 0, 0x40, 0, 0, 0, 0, 0, 0],
  ...[0xc5, 0xcc, 8, 0, 0, 0, 1, 0],
]);
/** Of a PDU in the short form with one update. */
export const FAST_HEAD = 6;
const SURFACE_HEAD = 22;
const SURFACE_COMMANDS = 4;
const REMOTE_FX = 3;

/** Tells a client headers that it missed, and draws nothing. */
export function primerOf(headers: Buffer): Buffer {
  const length = headers.length + EMPTY_FRAME.length;
  const pdu = fastPdu(SURFACE_COMMANDS, SURFACE_HEAD + length);
  // Set surface bits: one pixel, 32 bits deep.
  pdu.writeUInt16LE(1, 6);
  pdu.writeUInt16LE(1, 12);
  pdu.writeUInt16LE(1, 14);
  pdu[16] = 32;
  pdu[19] = REMOTE_FX;
  pdu.writeUInt16LE(1, 20);
  pdu.writeUInt16LE(1, 22);
  pdu.writeUInt32LE(length, 24);
  headers.copy(pdu, FAST_HEAD + SURFACE_HEAD);
  EMPTY_FRAME.copy(pdu, FAST_HEAD + SURFACE_HEAD + headers.length);
  return pdu;
}

/** With its two headers filled in. */
export function fastPdu(update: number, bodyBytes: number): Buffer {
  const pdu = Buffer.alloc(FAST_HEAD + bodyBytes);
  pdu.writeUInt16BE(0x8000 | pdu.length, 1);
  pdu[3] = update;
  pdu.writeUInt16LE(bodyBytes, 4);
  return pdu;
}
