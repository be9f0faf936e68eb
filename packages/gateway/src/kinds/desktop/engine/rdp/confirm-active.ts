/** What the client can, as the host hears it: what the client in the page and the players draw, whatever a page says of itself. A page that could switch another form on would draw what no recording shows. */
import type { DesktopSize } from '../desktop-link.ts';
import { SHARE } from './pdu.ts';

const SOURCE = Buffer.from('GATEHSE\0', 'latin1');
const HOST = 0x03ea;
const HEAD_BYTES = 16;
/** Scancodes, a wheel of both kinds, buttons at the side, Unicode, the short form. */
const INPUT = 0x01 | 0x04 | 0x08 | 0x10 | 0x20 | 0x100;
/** As one number for the whole of an update in fragments. */
const MAX_UPDATE_BYTES = 8 * 1024 * 1024;
const REMOTE_FX = Buffer.from('122f777672bd6344afb3b73c9c6f7886', 'hex');

/** One kind of capability: its number, then fields of 16 bits, then how many bytes of zeros. */
function capability(type: number, fields: readonly number[], zeros = 0): Buffer {
  const set = Buffer.alloc(4 + 2 * fields.length + zeros);
  for (const [at, value] of [type, set.length, ...fields].entries()) set.writeUInt16LE(value, 2 * at);
  return set;
}

/** One codec, with what it is asked for: tiles of 64, no frames that build on others, coefficients in the third form. */
function codecs(): Buffer {
  const properties = Buffer.alloc(41);
  properties.writeUInt32LE(41, 0);
  properties.writeUInt32LE(29, 8);
  for (const [at, value] of [0xcbc0, 8, 0, 1, 0xcbc1, 21, 0].entries()) properties.writeUInt16LE(value, 12 + 2 * at);
  properties[26] = 1;
  for (const [at, value] of [0xcfc0, 1, 8, 0x0100, 0x0040].entries()) properties.writeUInt16LE(value, 27 + 2 * at);
  properties.set([0, 1, 1, 4], 37);
  const body = Buffer.concat([Buffer.of(1), REMOTE_FX, Buffer.of(3, 41, 0), properties]);
  const head = Buffer.alloc(4);
  head.writeUInt16LE(29, 0);
  head.writeUInt16LE(4 + body.length, 2);
  return Buffer.concat([head, body]);
}

/** What the I/O channel carries of it. */
export function confirmActive(user: number, shareId: number, { width, height }: DesktopSize, keyboard: number): Buffer {
  const sets = [
    // The short form for pictures, and no header for compressed bitmaps.
    capability(1, [0, 0, 0x0200, 0, 0, 0x0401, 0, 0, 0], 2),
    capability(2, [32, 1, 1, 1, width, height, 0, 1, 1, 0x0e00, 1, 0]),
    // No drawing orders.
    capability(3, [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 20, 0, 1, 0, 0x0a], 52),
    capability(4, [], 36),
    capability(13, [INPUT, 0, keyboard & 0xffff, keyboard >>> 16, 4, 0, 0, 0, 12, 0], 64),
    capability(8, [1, 32, 32]),
    capability(15, [0, 0]),
    capability(16, [], 48),
    capability(17, [], 8),
    capability(20, [], 8),
    capability(12, [0, 0]),
    capability(27, [3]),
    // Bits of a surface, streams of them, markers of frames.
    capability(28, [0x52, 0, 0, 0]),
    codecs(),
    capability(30, [20, 0]),
    capability(26, [MAX_UPDATE_BYTES & 0xffff, MAX_UPDATE_BYTES >>> 16]),
  ];
  const caps = Buffer.concat(sets);
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt16LE(HEAD_BYTES + SOURCE.length + 4 + caps.length, 0);
  head.writeUInt16LE(0x10 | SHARE.confirmActive, 2);
  head.writeUInt16LE(user, 4);
  head.writeUInt32LE(shareId, 6);
  head.writeUInt16LE(HOST, 10);
  head.writeUInt16LE(SOURCE.length, 12);
  head.writeUInt16LE(4 + caps.length, 14);
  return Buffer.concat([head, SOURCE, Buffer.of(sets.length, 0, 0, 0), caps]);
}
