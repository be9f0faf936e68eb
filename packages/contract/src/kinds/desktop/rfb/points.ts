/** The points of a desktop by VNC, and what can be done with them: filled, and copied from elsewhere. */
import { around, type Rectangle } from '../remotefx/rectangles.ts';

const MAX_POINTS = 40_000_000;
/** A few bytes draw over all of the desktop. With more than this of what came at once, it is drawn for nobody to see. */
const MAX_PAINTED = 4_000_000_000;
const BLACK = 0xff00_0000;
/** A longer row is filled faster by the browser. */
const SHORT = 48;

export class Points {
  width = 0;
  height = 0;
  /** Red first, opaque. */
  bytes = new Uint8ClampedArray(0);
  /** The same, a number for each. */
  words = new Uint32Array(0);
  #changed: Rectangle | undefined;
  #painted = 0;

  /** What follows came at once. */
  begin(): void {
    this.#painted = 0;
  }

  /** Since it was asked for before. */
  takeChanged(): Rectangle | undefined {
    const changed = this.#changed;
    this.#changed = undefined;
    return changed;
  }

  /** What was on the screen stays: hosts draw the rest anew. */
  resize(width: number, height: number): void {
    if (width * height > MAX_POINTS) throw new Error('the desktop is larger than any screen');
    if (width === this.width && height === this.height) return;
    this.#paint(width, height);
    const before = { words: this.words, width: this.width, height: this.height };
    this.bytes = new Uint8ClampedArray(width * height * 4);
    this.words = new Uint32Array(this.bytes.buffer).fill(BLACK);
    const row = Math.min(width, before.width);
    for (let y = 0; y < Math.min(height, before.height); y += 1)
      this.words.set(before.words.subarray(y * before.width, y * before.width + row), y * width);
    this.width = width;
    this.height = height;
    this.#changed = { left: 0, top: 0, width, height };
  }

  /** It will be drawn. */
  change(part: Rectangle): void {
    const { left, top, width, height } = part;
    if (left + width > this.width || top + height > this.height) throw new Error('it is drawn outside of the desktop');
    if (width > 0 && height > 0) this.#changed = around(this.#changed, part);
  }

  fill(left: number, top: number, width: number, height: number, point: number): void {
    if (width <= 0 || height <= 0) return;
    this.#paint(width, height);
    const { words, width: wide } = this;
    for (let from = top * wide + left, rows = height; rows > 0; rows -= 1, from += wide) {
      if (width > SHORT) words.fill(point, from, from + width);
      else for (let at = from; at < from + width; at += 1) words[at] = point;
    }
  }

  copy(fromLeft: number, fromTop: number, { left, top, width, height }: Rectangle): void {
    if (fromLeft + width > this.width || fromTop + height > this.height)
      throw new Error('it is copied from outside of the desktop');
    this.#paint(width, height);
    if (fromLeft === left && fromTop === top) return;
    // From the end that is not written over.
    for (let done = 0; done < height; done += 1) {
      const row = fromTop < top ? height - 1 - done : done;
      const from = (fromTop + row) * this.width + fromLeft;
      this.words.copyWithin((top + row) * this.width + left, from, from + width);
    }
  }

  #paint(width: number, height: number): void {
    this.#painted += width * height;
    if (this.#painted > MAX_PAINTED) throw new Error('the same points are drawn over without end');
  }
}
