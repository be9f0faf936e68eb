/** One desktop by VNC, drawn from what a recording keeps of it. Its forms are few and simple: no client of a page is needed. */
import { ByteGrammar, type Grammar, type GrammarStep } from '../../../platform/std/byte-grammar.ts';
import { ENCODING, HEXTILE, PIXEL_BYTES, TILE, UNCOUNTED } from '../rfb-encodings.ts';
import type { DrawnPicture, PictureForm } from './decoder-messages.ts';
import { pictureAs } from './picture-as.ts';

/** Version, the one way in, that it went well, and what the desktop is. */
const GREETING_BYTES = 12 + 2 + 4 + 24;
const MAX_POINTS = 40_000_000;
/** A few bytes draw over all of the desktop. With more than this of what was fed at once, it is drawn for nobody to see. */
const MAX_PAINTED = 4_000_000_000;
const MESSAGE = { update: 0, bell: 2 } as const;

type Drawing = Generator<GrammarStep, void, Buffer>;
interface Rectangle {
  x: number;
  y: number;
  width: number;
  height: number;
}

export class RfbPicture {
  readonly #grammar = new ByteGrammar(this.#read(), () => {});
  #width = 0;
  #height = 0;
  #pixels: Buffer = Buffer.alloc(0);
  #draws = 0;
  #isMidway = false;
  #painted = 0;

  /** A greeting, then messages of the host, cut anywhere. */
  async feed(pieces: Iterable<Buffer>): Promise<void> {
    this.#painted = 0;
    for (const piece of pieces) this.#grammar.push(piece);
  }

  look(form: PictureForm): DrawnPicture {
    if (form.as === 'tiles') throw new Error('tiles are drawn of RDP alone');
    // Hosts leave anything in the fourth byte of a point.
    for (let at = 3; at < this.#pixels.length; at += PIXEL_BYTES) this.#pixels[at] = 255;
    const [width, height, draws] = [this.#width, this.#height, this.#draws];
    return { ...pictureAs({ rgba: this.#pixels, width, height, draws }, form), isMidway: this.#isMidway };
  }

  close(): void {
    this.#pixels = Buffer.alloc(0);
    this.#resize(0, 0);
  }

  *#read(): Grammar {
    const greeting = yield { hold: GREETING_BYTES };
    const init = GREETING_BYTES - 24;
    this.#resize(greeting.readUInt16BE(init), greeting.readUInt16BE(init + 2));
    yield { drop: greeting.readUInt32BE(init + 20) };
    for (;;) {
      this.#isMidway = false;
      const type = (yield { hold: 1 })[0]!;
      this.#isMidway = true;
      if (type === MESSAGE.update) yield* this.#update();
      else if (type !== MESSAGE.bell) throw new Error('this is no recording of VNC');
    }
  }

  *#update(): Drawing {
    const count = (yield { hold: 3 }).readUInt16BE(1);
    for (let left = count; left > 0; left -= count === UNCOUNTED ? 0 : 1) {
      const head = yield { hold: 12 };
      const [x, y, width, height] = [0, 2, 4, 6].map((at) => head.readUInt16BE(at)) as [number, number, number, number];
      const encoding = head.readInt32BE(8);
      if (encoding === ENCODING.lastRect) return;
      if (encoding === ENCODING.desktopSize) this.#resize(width, height);
      else if (encoding === ENCODING.extendedDesktopSize) {
        yield { drop: 16 * (yield { hold: 4 })[0]! };
        if (x !== 1 || y === 0) this.#resize(width, height);
      } else if (encoding === ENCODING.cursor)
        yield { drop: width * height * PIXEL_BYTES + Math.ceil(width / 8) * height };
      else {
        if (x + width > this.#width || y + height > this.#height) throw new Error('it is drawn outside of the desktop');
        yield* this.#draw(encoding, { x, y, width, height });
        this.#draws += 1;
      }
    }
  }

  *#draw(encoding: number, at: Rectangle): Drawing {
    if (encoding === ENCODING.raw) yield* this.#points(at);
    else if (encoding === ENCODING.copyRect) this.#copy(yield { hold: 4 }, at);
    else if (encoding === ENCODING.rre) yield* this.#parts(at);
    else if (encoding === ENCODING.hextile) yield* this.#tiles(at);
    else throw new Error('it is drawn in a form that nobody asked for');
  }

  /** Row by row: one that is as large as the desktop is never held. */
  *#points({ x, y, width, height }: Rectangle): Drawing {
    for (let row = y; row < y + height; row += 1)
      (yield { hold: width * PIXEL_BYTES }).copy(this.#pixels, this.#at(x, row));
  }

  *#parts(whole: Rectangle): Drawing {
    const head = yield { hold: 4 + PIXEL_BYTES };
    const count = head.readUInt32BE(0);
    this.#fill(whole, head.subarray(4));
    for (let left = count; left > 0; left -= 1) {
      const part = yield { hold: PIXEL_BYTES + 8 };
      const [x, y, width, height] = [4, 6, 8, 10].map((at) => part.readUInt16BE(at)) as [
        number,
        number,
        number,
        number,
      ];
      this.#fill(within(whole, { x: whole.x + x, y: whole.y + y, width, height }), part.subarray(0, PIXEL_BYTES));
    }
  }

  *#tiles({ x: left, y: top, width, height }: Rectangle): Drawing {
    const [back, front, own] = [Buffer.alloc(PIXEL_BYTES), Buffer.alloc(PIXEL_BYTES), Buffer.alloc(PIXEL_BYTES)];
    for (let y = top; y < top + height; y += TILE)
      for (let x = left; x < left + width; x += TILE) {
        const tile = { x, y, width: Math.min(TILE, left + width - x), height: Math.min(TILE, top + height - y) };
        const kind = (yield { hold: 1 })[0]!;
        if (kind & HEXTILE.raw) {
          yield* this.#points(tile);
          continue;
        }
        if (kind & HEXTILE.background) (yield { hold: PIXEL_BYTES }).copy(back);
        if (kind & HEXTILE.foreground) (yield { hold: PIXEL_BYTES }).copy(front);
        this.#fill(tile, back);
        if (!(kind & HEXTILE.subrects)) continue;
        for (let parts = (yield { hold: 1 })[0]!; parts > 0; parts -= 1) {
          if (kind & HEXTILE.coloured) (yield { hold: PIXEL_BYTES }).copy(own);
          const [place, size] = (yield { hold: 2 }) as unknown as [number, number];
          const part = { x: x + (place >> 4), y: y + (place & 15), width: (size >> 4) + 1, height: (size & 15) + 1 };
          this.#fill(within(tile, part), kind & HEXTILE.coloured ? own : front);
        }
      }
  }

  /** What was on the screen stays: hosts draw the rest anew. */
  #resize(width: number, height: number): void {
    if (width * height > MAX_POINTS) throw new Error('the desktop is larger than any screen');
    if (width === this.#width && height === this.#height) return;
    this.#paint(width, height);
    const before = { pixels: this.#pixels, width: this.#width, height: this.#height };
    this.#pixels = Buffer.alloc(width * height * PIXEL_BYTES);
    const row = Math.min(width, before.width) * PIXEL_BYTES;
    for (let y = 0; y < Math.min(height, before.height); y += 1)
      before.pixels.copy(
        this.#pixels,
        y * width * PIXEL_BYTES,
        y * before.width * PIXEL_BYTES,
        y * before.width * PIXEL_BYTES + row,
      );
    this.#width = width;
    this.#height = height;
  }

  #copy(source: Buffer, { x, y, width, height }: Rectangle): void {
    const [fromX, fromY] = [source.readUInt16BE(0), source.readUInt16BE(2)];
    if (fromX + width > this.#width || fromY + height > this.#height)
      throw new Error('it is copied from outside of the desktop');
    this.#paint(width, height);
    // From the end that is not written over.
    for (let done = 0; done < height; done += 1) {
      const row = fromY < y ? height - 1 - done : done;
      const from = this.#at(fromX, fromY + row);
      this.#pixels.copy(this.#pixels, this.#at(x, y + row), from, from + width * PIXEL_BYTES);
    }
  }

  #fill({ x, y, width, height }: Rectangle, colour: Buffer): void {
    if (width <= 0 || height <= 0) return;
    this.#paint(width, height);
    for (let row = y; row < y + height; row += 1) this.#pixels.fill(colour, this.#at(x, row), this.#at(x + width, row));
  }

  #paint(width: number, height: number): void {
    this.#painted += width * height;
    if (this.#painted > MAX_PAINTED) throw new Error('the same points are drawn over without end');
  }

  #at(x: number, y: number): number {
    return (y * this.#width + x) * PIXEL_BYTES;
  }
}

/** A part is drawn as far as it lies in what it is a part of. */
function within(whole: Rectangle, { x, y, width, height }: Rectangle): Rectangle {
  return {
    ...{ x, y },
    width: Math.min(width, whole.x + whole.width - x),
    height: Math.min(height, whole.y + whole.height - y),
  };
}
