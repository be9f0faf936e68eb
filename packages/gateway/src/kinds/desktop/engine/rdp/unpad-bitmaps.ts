/**
 * Makes the rectangles of bitmaps as large as their bitmaps. The client in the page takes the one for the other: a bitmap that a host
 * padded, as some do to a multiple of four, is sheared by it, or ends it. Up to three columns of padding are drawn then.
 */
import { malformed } from '../desktop-link.ts';
import { FieldReader } from '../field-reader.ts';

const UPDATE_BITMAP = 1;
const RECTANGLE_BYTES = 18;

/** `update`: a whole one, from its type on. Changed in place. */
export function unpadBitmaps(update: Buffer, desktopWidth: number): void {
  const reader = new FieldReader(update, 'a bitmap');
  if (reader.u16() !== UPDATE_BITMAP) return;
  for (let left = reader.u16(); left > 0; left -= 1) {
    const at = reader.at;
    const [x, y, right, bottom, width, height] = [0, 0, 0, 0, 0, 0].map(() => reader.u16()) as [
      number,
      number,
      number,
      number,
      number,
      number,
    ];
    reader.skip(RECTANGLE_BYTES - 14);
    reader.skip(reader.u16());
    if (right < x || bottom < y) throw malformed('a bitmap has no extent');
    if (right - x + 1 === width && bottom - y + 1 === height) continue;
    if (width === 0 || height === 0) throw malformed('a bitmap has no extent');
    const from = Math.max(0, Math.min(x, desktopWidth - width));
    if (from + width - 1 > 0xffff || y + height - 1 > 0xffff) throw malformed('a bitmap lies outside of everything');
    update.writeUInt16LE(from, at);
    update.writeUInt16LE(from + width - 1, at + 4);
    update.writeUInt16LE(y + height - 1, at + 6);
  }
}
