/** How rectangles may be written. Each stands for itself: who begins to look in the middle can read the next whole picture. */
import { ENCODING } from '@gatehouse/contract/kinds/desktop/rfb/encodings';
import type { DesktopSize } from '../desktop-link.ts';

/** What the host is told, the best first. The client of a page names its own; nobody but the gateway decides. */
const WANTED = [
  ENCODING.copyRect,
  ENCODING.hextile,
  ENCODING.rre,
  ENCODING.raw,
  ENCODING.desktopSize,
  ENCODING.lastRect,
  ENCODING.extendedDesktopSize,
  ENCODING.cursor,
  ENCODING.extendedClipboard,
] as const;

/** 32 bits a point, little end first, red in the lowest: as the client of the page and players draw. */
export const PIXEL_FORMAT = Buffer.from([32, 24, 0, 1, 0, 255, 0, 255, 0, 255, 0, 8, 16, 0, 0, 0]);

/** The form of points, and how rectangles may be written. */
export function wantedForm(): Buffer {
  const encodings = Buffer.alloc(4 + 4 * WANTED.length);
  encodings[0] = 2;
  encodings.writeUInt16BE(WANTED.length, 2);
  for (const [at, each] of WANTED.entries()) encodings.writeInt32BE(each, 4 + 4 * at);
  return Buffer.concat([Buffer.alloc(4), PIXEL_FORMAT, encodings]);
}

/** An update of one rectangle, said by the gateway: the shape of the pointer, as the host said it before. */
export function pointerUpdate(rectangle: Buffer): Buffer {
  return Buffer.concat([Buffer.of(0, 0, 0, 1), rectangle]);
}

/** The same: how large the desktop is by now. */
export function sizeUpdate({ width, height }: DesktopSize): Buffer {
  const update = Buffer.alloc(16);
  update[3] = 1;
  update.writeUInt16BE(width, 8);
  update.writeUInt16BE(height, 10);
  update.writeInt32BE(ENCODING.desktopSize, 12);
  return update;
}
