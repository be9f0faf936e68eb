/** A picture as PNG, without what is transparent: a desktop has nothing behind it. */
import { crc32, deflateSync } from 'node:zlib';
import type { PictureSize } from '../desktop-recorder.ts';

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
/** Eight bits each of red, green and blue. */
const TRUE_COLOUR = [8, 2, 0, 0, 0];
/** Pictures of desktops are flat: more takes three times as long for a tenth less. */
const LEVEL = 3;
const FILTER_UP = 2;

/** `rgba` is from the top, row by row. */
export function encodePng(rgba: Uint8Array, { width, height }: PictureSize): Buffer {
  const row = width * 3;
  const raw = Buffer.alloc((row + 1) * height);
  for (let y = 0; y < height; y += 1) {
    let to = y * (row + 1);
    raw[to] = FILTER_UP;
    to += 1;
    let from = y * width * 4;
    let above = from - width * 4;
    for (let x = 0; x < width; x += 1, from += 4, above += 4)
      for (let part = 0; part < 3; part += 1, to += 1)
        raw[to] = (rgba[from + part] as number) - (y === 0 ? 0 : (rgba[above + part] as number));
  }
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set(TRUE_COLOUR, 8);
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(raw, { level: LEVEL })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(name: string, body: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name, 'latin1'), body]);
  const bytes = Buffer.alloc(8 + named.length);
  bytes.writeUInt32BE(body.length, 0);
  named.copy(bytes, 4);
  bytes.writeUInt32BE(crc32(named), 4 + named.length);
  return bytes;
}

export interface Pixels extends PictureSize {
  rgba: Uint8Array;
}

/** As wide as asked for at most: each pixel is the middle of those it stands for. */
export function shrink({ rgba, width, height }: Pixels, maxWidth: number): Pixels {
  if (width <= maxWidth || maxWidth < 1) return { rgba, width, height };
  const small = { width: maxWidth, height: Math.max(1, Math.round((height * maxWidth) / width)) };
  const out = new Uint8Array(small.width * small.height * 4);
  for (let y = 0; y < small.height; y += 1) {
    const [top, bottom] = spanOf(y, small.height, height);
    for (let x = 0; x < small.width; x += 1) {
      const [left, right] = spanOf(x, small.width, width);
      const sums = [0, 0, 0];
      for (let row = top; row < bottom; row += 1)
        for (let at = (row * width + left) * 4; at < (row * width + right) * 4; at += 4)
          for (let part = 0; part < 3; part += 1) sums[part] = (sums[part] as number) + (rgba[at + part] as number);
      const count = (bottom - top) * (right - left);
      const to = (y * small.width + x) * 4;
      for (let part = 0; part < 3; part += 1) out[to + part] = Math.round((sums[part] as number) / count);
      out[to + 3] = 0xff;
    }
  }
  return { rgba: out, ...small };
}

function spanOf(at: number, parts: number, of: number): [number, number] {
  const from = Math.floor((at * of) / parts);
  return [from, Math.max(from + 1, Math.floor(((at + 1) * of) / parts))];
}
