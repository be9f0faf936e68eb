/** What of a picture is not as it was when it was last asked for: tiles, each a PNG of its own. */
import type { PictureSize } from '../desktop-recorder.ts';
import { type DrawnTile, MAX_TILES } from './decoder-messages.ts';
import { encodePng } from './encode-png.ts';

const SIDE = 64;

export class ChangedTiles {
  /** As far as it was given. */
  #given = Buffer.alloc(0);
  #size: PictureSize = { width: 0, height: 0 };

  /** With `MAX_TILES` of them there may be more. */
  take(picture: PictureSize & { pixels: Uint8Array }): DrawnTile[] {
    const { width, height } = picture;
    const pixels = Buffer.from(picture.pixels.buffer, picture.pixels.byteOffset, picture.pixels.byteLength);
    const isNew = this.#size.width !== width || this.#size.height !== height;
    if (isNew) {
      this.#size = { width, height };
      this.#given = Buffer.alloc(pixels.length);
      // Nothing looks like it: not even a black screen.
      for (let at = 3; at < pixels.length; at += 4) this.#given[at] = (pixels[at] as number) ^ 0xff;
    }
    const tiles: DrawnTile[] = [];
    for (let top = 0; top < height; top += SIDE)
      for (let left = 0; left < width; left += SIDE) {
        if (tiles.length === MAX_TILES) return tiles;
        const area = { left, top, width: Math.min(SIDE, width - left), height: Math.min(SIDE, height - top) };
        if (this.#isGiven(pixels, area)) continue;
        tiles.push({ ...area, png: encodePng(this.#give(pixels, area), area) });
      }
    return tiles;
  }

  #isGiven(pixels: Buffer, { left, top, width, height }: Area): boolean {
    for (let row = top; row < top + height; row += 1) {
      const from = (row * this.#size.width + left) * 4;
      const to = from + width * 4;
      if (pixels.compare(this.#given, from, to, from, to) !== 0) return false;
    }
    return true;
  }

  /** Its pixels, which count as given from now on. */
  #give(pixels: Buffer, { left, top, width, height }: Area): Buffer {
    const rgba = Buffer.allocUnsafe(width * height * 4);
    for (let row = 0; row < height; row += 1) {
      const from = ((top + row) * this.#size.width + left) * 4;
      pixels.copy(rgba, row * width * 4, from, from + width * 4);
      pixels.copy(this.#given, from, from, from + width * 4);
    }
    return rgba;
  }
}

type Area = Omit<DrawnTile, 'png'>;
