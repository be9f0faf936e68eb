/** The tiles of a frame, side by side: shown in as few pieces as there are parts of the screen that it changes. */

import type { Entropy } from './coefficients.ts';
import type { Frame } from './frame.ts';
import { common, type Rectangle } from './rectangles.ts';
import { points, readTile, TILE } from './tile.ts';

/** A frame that draws each point more often is none that any host makes: a megabyte of one could be drawn for a minute. */
const MAX_TIMES = 4;

export class Sheet {
  readonly width: number;
  readonly height: number;
  readonly points: Uint8ClampedArray<ArrayBuffer>;
  readonly #words: Uint32Array;

  constructor({ width, height }: { width: number; height: number }) {
    this.width = width;
    this.height = height;
    this.points = new Uint8ClampedArray(width * height * 4);
    this.#words = new Uint32Array(this.points.buffer);
  }

  /** Gives what has to be shown now; undefined where a tile is none that any host makes, or the same is drawn over and over. */
  draw({ rectangles, tiles }: Frame, to: Rectangle, entropy: Entropy): Rectangle[] | undefined {
    if (tiles.length > MAX_TIMES * cells(this.width) * cells(this.height)) return undefined;
    const parts: Rectangle[] = [];
    const all = { left: 0, top: 0, width: this.width, height: this.height };
    for (const { left, top, width, height } of rectangles) {
      const part = common({ left: to.left + left, top: to.top + top, width, height }, all);
      if (part) parts.push(part);
    }
    const pieces: Rectangle[] = [];
    const drawn = new Set<number>();
    let area = 0;
    for (const tile of tiles) {
      if (!readTile(tile, entropy)) return undefined;
      drawn.add(tile.y * 0x1_0000 + tile.x);
      const place = { left: to.left + tile.x * TILE, top: to.top + tile.y * TILE, width: TILE, height: TILE };
      for (const part of parts) {
        const piece = common(place, part);
        if (!piece) continue;
        area += piece.width * piece.height;
        if (area > MAX_TIMES * this.width * this.height) return undefined;
        this.#put(piece, place);
        add(pieces, piece);
      }
    }
    const isWhole =
      drawn.size === tiles.length && area === parts.reduce((sum, { width, height }) => sum + width * height, 0);
    // Where a tile is missing, what lies here is of another time.
    return isWhole ? parts : pieces;
  }

  #put({ left, top, width, height }: Rectangle, place: Rectangle): void {
    const words = this.#words;
    for (let row = 0; row < height; row += 1) {
      const from = (top - place.top + row) * TILE + left - place.left;
      const to = (top + row) * this.width + left;
      for (let at = 0; at < width; at += 1) words[to + at] = points[from + at] as number;
    }
  }
}

/** Hosts tell tiles from left to right: what lies side by side is shown as one. */
function add(pieces: Rectangle[], piece: Rectangle): void {
  const before = pieces.at(-1);
  const isBeside = before?.top === piece.top && before.height === piece.height;
  if (before && isBeside && before.left + before.width === piece.left) before.width += piece.width;
  else pieces.push(piece);
}

/** How many tiles lie on so many points, wherever they begin. */
function cells(points: number): number {
  return Math.ceil(points / TILE) + 1;
}
