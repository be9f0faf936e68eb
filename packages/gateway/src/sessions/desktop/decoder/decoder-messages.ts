/**
 * What the gateway and the process that draws desktops tell each other. Each call is answered, in the order of calls for one picture.
 *
 *   gateway  begin(size)   a client that knows nothing; what the picture had before is gone
 *            feed(bytes)   whole PDUs, or pieces of what a host of VNC said, each behind its length (32 bits, little-endian)
 *            look(form)    what is on the screen now
 *            copy(text)    the person's clipboard, where the client speaks
 *            close
 *   process  done, with a picture where one was asked for; failed
 *            said(bytes)   what a client that speaks has for its host
 *            copied(text)  the host's clipboard
 */
import type { PictureSize } from '../desktop-recorder.ts';

/** A large screen that changed all over is given in several turns: what is on its way at once stays small. */
export const MAX_TILES = 256;

/** `raw`: RGBA, row by row. `png`: made smaller to be at most so wide. `tiles`: what is new since they were last asked for. */
export type PictureForm = { as: 'raw' } | { as: 'png'; maxWidth: number } | { as: 'tiles' };

export type ToDecoder = {
  id: number;
  picture: number;
} /** `speaks`: it makes a handshake with a host that answers. Without, what it says goes nowhere; by VNC none does. */ & (
  | { type: 'begin'; size: PictureSize; protocol: 'rdp' | 'vnc'; speaks: boolean }
  | { type: 'feed'; bytes: Uint8Array }
  | { type: 'look'; form: PictureForm }
  | { type: 'copy'; text: string }
  | { type: 'close' }
);

export interface DrawnPicture extends PictureSize {
  /** How often something was drawn since it began. */
  draws: number;
  /** It was fed up to the middle of a message: what is drawn in it is seen in part. */
  isMidway?: boolean | undefined;
  /** Empty where tiles were asked for. */
  bytes: Uint8Array;
  tiles?: DrawnTile[] | undefined;
}

export interface DrawnTile extends PictureSize {
  left: number;
  top: number;
  png: Uint8Array;
}

export type FromDecoder =
  | { type: 'done'; id: number; drawn?: DrawnPicture | undefined }
  | { type: 'failed'; id: number; reason: string }
  | { type: 'said'; picture: number; bytes: Uint8Array }
  | { type: 'copied'; picture: number; text: string };

export function packPdus(pdus: readonly Buffer[]): Buffer {
  const bytes = Buffer.allocUnsafe(pdus.reduce((sum, { length }) => sum + 4 + length, 0));
  let at = 0;
  for (const pdu of pdus) {
    bytes.writeUInt32LE(pdu.length, at);
    pdu.copy(bytes, at + 4);
    at += 4 + pdu.length;
  }
  return bytes;
}

export function* unpackPdus(packed: Uint8Array): Generator<Buffer> {
  const bytes = Buffer.from(packed.buffer, packed.byteOffset, packed.byteLength);
  for (let at = 0; at + 4 <= bytes.length; ) {
    const end = at + 4 + bytes.readUInt32LE(at);
    yield bytes.subarray(at + 4, end);
    at = end;
  }
}
