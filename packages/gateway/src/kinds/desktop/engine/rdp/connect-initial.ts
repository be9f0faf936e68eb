/** The first message of MCS as the host gets it: written by the gateway, of the page's own only the names of channels are heard. */
import type { DesktopTerms } from '../desktop-link.ts';
import { BLOCK, channelNames, connectInitial, gccBlock } from './gcc.ts';

/** As the client in the page says of itself. */
const VERSION = 0x00080004;
/** Of a Windows 11: below 420, one host resizes for nobody. */
const BUILD = 22_621;
const CLIENT_NAME = 'gatehouse';
const CLIENT_NAME_BYTES = 32;
const PRODUCT_BYTES = 64;
const CORE_BYTES = 230;
/** Tells errors in words, 32 bits a pixel, and what kind of network it is. Nothing else: no newer graphics, no measuring of the network, no channels that are not joined. */
const EARLY = 0x01 | 0x02 | 0x20;
const LAN = 6;
/** As display control has them: others are taken for a mistake by Windows. */
const DEVICE_SCALES = [100, 140, 180] as const;

export type CoreTerms = Pick<DesktopTerms, 'width' | 'height' | 'scale' | 'keyboard'>;

/** `selected`: the security that X.224 agreed upon. */
export function writeConnectInitial(terms: CoreTerms, selected: number, channels: readonly string[]): Buffer {
  return connectInitial([
    gccBlock(BLOCK.clientCore, core(terms, selected)),
    // No encryption of RDP's own: TLS is around it.
    gccBlock(BLOCK.clientSecurity, Buffer.alloc(8)),
    ...(channels.length > 0 ? [channelNames(channels)] : []),
  ]);
}

/** Offsets are those of the body: four less than with the header of the block. */
function core({ width, height, scale, keyboard }: CoreTerms, selected: number): Buffer {
  const body = Buffer.alloc(CORE_BYTES);
  body.writeUInt32LE(VERSION, 0);
  body.writeUInt16LE(width, 4);
  body.writeUInt16LE(height, 6);
  body.writeUInt16LE(0xca01, 8);
  body.writeUInt16LE(0xaa03, 10);
  body.writeUInt32LE(keyboard, 12);
  body.writeUInt32LE(BUILD, 16);
  body.write(CLIENT_NAME, 20, CLIENT_NAME_BYTES - 2, 'utf16le');
  // Enhanced keyboard of 101 or 102 keys, twelve of them for functions.
  body.writeUInt32LE(4, 52);
  body.writeUInt32LE(12, 60);
  body.writeUInt16LE(0xca01, 128);
  body.writeUInt16LE(1, 130);
  body.writeUInt16LE(24, 136);
  body.writeUInt16LE(0x0f, 138);
  body.writeUInt16LE(EARLY, 140);
  body[142 + PRODUCT_BYTES] = LAN;
  body.writeUInt32LE(selected, 208);
  // Size in millimetres and orientation are not known.
  body.writeUInt32LE(Math.min(500, Math.max(100, scale)), 222);
  body.writeUInt32LE(DEVICE_SCALES.findLast((each) => each <= scale) ?? 100, 226);
  return body;
}
