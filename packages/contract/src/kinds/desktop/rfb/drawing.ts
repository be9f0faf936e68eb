/**
 * Draws what a host of VNC says, in the few forms that the gateway asks for: in pages, in the player and where the gateway draws
 * recordings. What is no part of the picture can be given on to who speaks the rest of the protocol. Bytes of hosts: nothing is drawn
 * outside, and what is no message throws.
 */
import type { Rectangle } from '../remotefx/rectangles.ts';
import { ByteRoom } from './byte-room.ts';
import { ENCODING, HEXTILE, PIXEL_BYTES, TILE, UNCOUNTED } from './encodings.ts';
import { Points } from './points.ts';

/** Version, the one way in, that it went well, and what the desktop is: each is answered before the next comes. */
const GREETING = [12, 2, 4] as const;
const INIT_BYTES = 24;
const MESSAGE = { update: 0, bell: 2, cutText: 3 } as const;
/** Of the shape of a pointer, a text or a name: the gateway passes less. */
const MAX_GIVEN_BYTES = 8 * 1024 * 1024;

/** Stops where it must have more bytes. */
type Reading<Found = void> = Generator<void, Found, void>;

export interface RfbDrawingOptions {
  /** The greeting as it comes, and whole messages: of updates what draws nothing here, told when all else of them is drawn. Absent: it is passed over, and nothing is taken that recordings have not. */
  rest?(bytes: Uint8Array<ArrayBuffer>): void;
}

export class RfbDrawing {
  readonly points = new Points();
  /** How many rectangles were drawn. */
  draws = 0;
  /** In the middle of a message. */
  isMidway = false;
  readonly #room = new ByteRoom();
  readonly #rest: RfbDrawingOptions['rest'];
  readonly #reading: Generator<void, never, void>;
  #isBroken = false;

  constructor({ rest }: RfbDrawingOptions = {}) {
    this.#rest = rest;
    this.#reading = this.#messages();
  }

  /** A greeting, then messages of the host, cut anywhere. */
  draw(pieces: Iterable<Uint8Array>): void {
    if (this.#isBroken) throw new Error('what came before could not be drawn');
    this.points.begin();
    try {
      for (const piece of pieces) {
        this.#room.push(piece);
        this.#reading.next();
      }
    } catch (error) {
      this.#isBroken = true;
      throw error;
    }
  }

  *#messages(): Reading<never> {
    for (const length of GREETING) this.#give(yield* this.#taken(length));
    const init = yield* this.#taken(INIT_BYTES);
    this.#give(init);
    const told = new DataView(init.buffer);
    this.points.resize(told.getUint16(0), told.getUint16(2));
    this.#give(yield* this.#taken(told.getUint32(20)));
    const room = this.#room;
    for (;;) {
      this.isMidway = false;
      while (room.left < 1) yield;
      const type = room.byte();
      this.isMidway = true;
      if (type === MESSAGE.update) yield* this.#update();
      else if (type === MESSAGE.bell) this.#give(Uint8Array.of(type));
      else if (type === MESSAGE.cutText && this.#rest) yield* this.#cutText();
      else throw new Error('this is no message of VNC');
    }
  }

  *#cutText(): Reading {
    const head = yield* this.#taken(7);
    // Less than none: of the newer form.
    const length = Math.abs(new DataView(head.buffer).getInt32(3));
    this.#give(joined([Uint8Array.of(MESSAGE.cutText), head, yield* this.#taken(length)]));
  }

  *#update(): Reading {
    const room = this.#room;
    while (room.left < 3) yield;
    room.skip(1);
    const count = room.short();
    const others: Uint8Array[] = [];
    for (let left = count; left > 0; left -= count === UNCOUNTED ? 0 : 1) {
      const head = yield* this.#taken(12);
      const told = new DataView(head.buffer);
      const encoding = told.getInt32(8);
      if (encoding === ENCODING.lastRect) break;
      const part = {
        ...{ left: told.getUint16(0), top: told.getUint16(2) },
        ...{ width: told.getUint16(4), height: told.getUint16(6) },
      };
      const other = yield* this.#other(encoding, part);
      if (other) others.push(head, other);
      else {
        this.points.change(part);
        yield* this.#part(encoding, part);
        this.draws += 1;
      }
    }
    const rectangles = others.length / 2;
    this.#give(joined([Uint8Array.of(MESSAGE.update, 0, rectangles >> 8, rectangles & 0xff), ...others]));
  }

  /** What follows the head of a rectangle that has no points. */
  *#other(encoding: number, { left, top, width, height }: Rectangle): Reading<Uint8Array | undefined> {
    if (encoding === ENCODING.cursor)
      return yield* this.#taken(width * height * PIXEL_BYTES + Math.ceil(width / 8) * height);
    if (encoding === ENCODING.desktopSize) {
      this.points.resize(width, height);
      return new Uint8Array(0);
    }
    if (encoding !== ENCODING.extendedDesktopSize) return undefined;
    const screens = yield* this.#taken(4);
    const listed = yield* this.#taken(16 * (screens[0] as number));
    // Who asked for it, and whether they were refused.
    if (left !== 1 || top === 0) this.points.resize(width, height);
    return joined([screens, listed]);
  }

  *#part(encoding: number, part: Rectangle): Reading {
    const room = this.#room;
    if (encoding === ENCODING.raw) yield* this.#plain(part);
    else if (encoding === ENCODING.rre) yield* this.#filled(part);
    else if (encoding === ENCODING.hextile) yield* this.#tiles(part);
    else if (encoding === ENCODING.copyRect) {
      while (room.left < 4) yield;
      this.points.copy(room.short(), room.short(), part);
    } else throw new Error('it is drawn in a form that nobody asked for');
  }

  /** Row by row: one that is as large as the desktop is never held. */
  *#plain({ left, top, width, height }: Rectangle): Reading {
    const room = this.#room;
    for (let row = top; row < top + height; row += 1) {
      while (room.left < width * PIXEL_BYTES) yield;
      const { words } = this.points;
      const from = row * this.points.width + left;
      for (let at = from; at < from + width; at += 1) words[at] = room.point();
    }
  }

  *#filled({ left, top, width, height }: Rectangle): Reading {
    const room = this.#room;
    while (room.left < 4 + PIXEL_BYTES) yield;
    const count = room.long() >>> 0;
    this.points.fill(left, top, width, height, room.point());
    for (let parts = count; parts > 0; parts -= 1) {
      while (room.left < PIXEL_BYTES + 8) yield;
      const point = room.point();
      const [x, y, wide, high] = [room.short(), room.short(), room.short(), room.short()];
      // As far as it lies in what it is a part of.
      this.points.fill(left + x, top + y, Math.min(wide, width - x), Math.min(high, height - y), point);
    }
  }

  *#tiles({ left, top, width, height }: Rectangle): Reading {
    const { points } = this;
    const room = this.#room;
    let [back, front] = [0xff00_0000, 0xff00_0000];
    for (let y = top; y < top + height; y += TILE)
      for (let x = left; x < left + width; x += TILE) {
        const wide = Math.min(TILE, left + width - x);
        const high = Math.min(TILE, top + height - y);
        while (room.left < 1) yield;
        const kind = room.byte();
        if (kind & HEXTILE.raw) {
          yield* this.#plain({ left: x, top: y, width: wide, height: high });
          continue;
        }
        while (room.left < 2 * PIXEL_BYTES + 1 && room.left < headBytes(kind)) yield;
        if (kind & HEXTILE.background) back = room.point();
        if (kind & HEXTILE.foreground) front = room.point();
        points.fill(x, y, wide, high, back);
        if (!(kind & HEXTILE.subrects)) continue;
        const count = room.byte();
        const bytes = kind & HEXTILE.coloured ? PIXEL_BYTES + 2 : 2;
        for (let parts = count; parts > 0; parts -= 1) {
          while (room.left < bytes) yield;
          const point = kind & HEXTILE.coloured ? room.point() : front;
          const place = room.byte();
          const size = room.byte();
          const [across, down] = [place >> 4, place & 15];
          const [partWide, partHigh] = [
            Math.min((size >> 4) + 1, wide - across),
            Math.min((size & 15) + 1, high - down),
          ];
          points.fill(x + across, y + down, partWide, partHigh, point);
        }
      }
  }

  *#taken(count: number): Reading<Uint8Array<ArrayBuffer>> {
    if (count > MAX_GIVEN_BYTES) throw new Error('it says more beside the picture than anybody needs');
    while (this.#room.left < count) yield;
    return this.#room.take(count);
  }

  #give(bytes: Uint8Array<ArrayBuffer>): void {
    this.#rest?.(bytes);
  }
}

/** Of a tile that is not plain, before its parts. */
function headBytes(kind: number): number {
  const colours = (kind & HEXTILE.background ? 1 : 0) + (kind & HEXTILE.foreground ? 1 : 0);
  return colours * PIXEL_BYTES + (kind & HEXTILE.subrects ? 1 : 0);
}

function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
