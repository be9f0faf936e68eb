/** A client of VNC for tests, as small as can be: answers the greeting, draws what the host sends, and asks for more. */
import { createHash } from 'node:crypto';
import { ENCODING } from '@gatehouse/contract/kinds/desktop/rfb/encodings';
import {
  ACTION,
  extendedMessage,
  packText,
  TEXT,
  unpackText,
} from '../../src/kinds/desktop/engine/rfb/extended-clipboard.ts';
import { ByteGrammar, type Grammar, type GrammarStep } from '../../src/platform/std/byte-grammar.ts';

const POINT = 4;
const TILE = 16;
type Drawing = Generator<GrammarStep, void, Buffer>;

export const u16 = (...values: readonly number[]) =>
  Buffer.concat(values.map((value) => Buffer.of((value >> 8) & 0xff, value & 0xff)));
export const keyEvent = (symbol: number, isDown: boolean) =>
  Buffer.concat([Buffer.of(4, isDown ? 1 : 0, 0, 0), u16(symbol >>> 16, symbol & 0xffff)]);
export const pointerEvent = (x: number, y: number, mask = 0) => Buffer.concat([Buffer.of(5, mask), u16(x, y)]);
/** As the page of the console says it. */
export const packedText = (text: string) => extendedMessage(6, ACTION.provide | TEXT, packText(text));

export class VncScreen {
  size = { width: 0, height: 0 };
  pixels: Buffer = Buffer.alloc(0);
  /** How many updates were drawn. */
  updates = 0;
  /** How many times the host told the shape of its pointer. */
  pointers = 0;
  texts: string[] = [];
  readonly #say: (bytes: Buffer) => void;
  readonly #grammar: ByteGrammar;
  readonly #waiting: Buffer[] = [];
  #isReading = false;

  constructor(say: (bytes: Buffer) => void) {
    this.#say = say;
    this.#grammar = new ByteGrammar(this.#read(), () => {});
  }

  /** What it says may be answered before it has read on. */
  hear(bytes: Buffer): void {
    this.#waiting.push(bytes);
    if (this.#isReading) return;
    this.#isReading = true;
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) this.#grammar.push(next);
    this.#isReading = false;
  }

  /** Red, green, blue. */
  at(x: number, y: number): number[] {
    const from = (y * this.size.width + x) * POINT;
    return [...this.pixels.subarray(from, from + 3)];
  }

  hash(): string {
    // The fourth byte of a point says nothing.
    const bare = Buffer.from(this.pixels);
    for (let at = 3; at < bare.length; at += POINT) bare[at] = 255;
    return createHash('sha256').update(`${this.size.width}x${this.size.height}`).update(bare).digest('hex');
  }

  *#read(): Grammar {
    yield { hold: 12 };
    this.#say(Buffer.from('RFB 003.008\n'));
    yield { hold: 2 };
    this.#say(Buffer.of(1));
    yield { hold: 4 };
    this.#say(Buffer.of(1));
    const init = Buffer.from(yield { hold: 24 });
    yield { hold: init.readUInt32BE(20) };
    this.#resize(init.readUInt16BE(0), init.readUInt16BE(2));
    this.#ask(false);
    for (;;) {
      const type = (yield { hold: 1 })[0]!;
      if (type === 0) {
        yield* this.#update();
        this.updates += 1;
        this.#ask(true);
      } else if (type === 3) {
        const length = (yield { hold: 7 }).readInt32BE(3);
        const body = yield { hold: Math.abs(length) };
        this.texts.push(length < 0 ? (unpackText(body.subarray(4)) ?? '') : body.toString('latin1'));
      } else if (type !== 2) throw new Error(`a host says ${type}, which no page is to hear`);
    }
  }

  *#update(): Drawing {
    const count = (yield { hold: 3 }).readUInt16BE(1);
    for (let left = count; left > 0; left -= 1) {
      const head = Buffer.from(yield { hold: 12 });
      const [x, y, width, height] = [0, 2, 4, 6].map((at) => head.readUInt16BE(at)) as [number, number, number, number];
      const encoding = head.readInt32BE(8);
      if (encoding === ENCODING.lastRect) return;
      if (encoding === ENCODING.raw) this.#put(x, y, width, height, yield { hold: width * height * POINT });
      else if (encoding === ENCODING.copyRect) this.#copy(yield { hold: 4 }, x, y, width, height);
      else if (encoding === ENCODING.rre) yield* this.#parts(x, y, width, height);
      else if (encoding === ENCODING.hextile) yield* this.#tiles(x, y, width, height);
      else if (encoding === ENCODING.desktopSize) this.#resize(width, height);
      else if (encoding === ENCODING.extendedDesktopSize) {
        yield { hold: 16 * (yield { hold: 4 })[0]! };
        if (x !== 1 || y === 0) this.#resize(width, height);
      } else if (encoding === ENCODING.cursor) {
        yield { hold: width * height * POINT + Math.ceil(width / 8) * height };
        this.pointers += 1;
      } else throw new Error(`a rectangle as ${encoding}`);
    }
  }

  *#parts(left: number, top: number, width: number, height: number): Drawing {
    const count = (yield { hold: 4 }).readUInt32BE(0);
    this.#fill(left, top, width, height, yield { hold: POINT });
    for (let parts = count; parts > 0; parts -= 1) {
      const part = Buffer.from(yield { hold: POINT + 8 });
      const [x, y, wide, high] = [4, 6, 8, 10].map((at) => part.readUInt16BE(at)) as [number, number, number, number];
      this.#fill(left + x, top + y, wide, high, part.subarray(0, POINT));
    }
  }

  *#tiles(left: number, top: number, width: number, height: number): Drawing {
    let [back, front] = [Buffer.alloc(POINT), Buffer.alloc(POINT)];
    for (let y = top; y < top + height; y += TILE)
      for (let x = left; x < left + width; x += TILE) {
        const [wide, high] = [Math.min(TILE, left + width - x), Math.min(TILE, top + height - y)];
        const kind = (yield { hold: 1 })[0]!;
        if (kind & 1) {
          this.#put(x, y, wide, high, yield { hold: wide * high * POINT });
          continue;
        }
        if (kind & 2) back = Buffer.from(yield { hold: POINT });
        if (kind & 4) front = Buffer.from(yield { hold: POINT });
        this.#fill(x, y, wide, high, back);
        if (!(kind & 8)) continue;
        for (let parts = (yield { hold: 1 })[0]!; parts > 0; parts -= 1) {
          const colour = kind & 16 ? Buffer.from(yield { hold: POINT }) : front;
          const [at, size] = yield { hold: 2 };
          this.#fill(x + (at! >> 4), y + (at! & 15), (size! >> 4) + 1, (size! & 15) + 1, colour);
        }
      }
  }

  #resize(width: number, height: number): void {
    if (width === this.size.width && height === this.size.height) return;
    this.size = { width, height };
    this.pixels = Buffer.alloc(width * height * POINT);
  }

  #ask(isMore: boolean): void {
    this.#say(Buffer.concat([Buffer.of(3, isMore ? 1 : 0), u16(0, 0, this.size.width, this.size.height)]));
  }

  #put(x: number, y: number, width: number, height: number, from: Buffer): void {
    for (let row = 0; row < height; row += 1)
      from.copy(this.pixels, ((y + row) * this.size.width + x) * POINT, row * width * POINT, (row + 1) * width * POINT);
  }

  #fill(x: number, y: number, width: number, height: number, colour: Buffer): void {
    for (let row = y; row < y + height; row += 1)
      this.pixels.fill(colour, (row * this.size.width + x) * POINT, (row * this.size.width + x + width) * POINT);
  }

  #copy(source: Buffer, x: number, y: number, width: number, height: number): void {
    const [fromX, fromY] = [source.readUInt16BE(0), source.readUInt16BE(2)];
    const before = Buffer.from(this.pixels);
    for (let row = 0; row < height; row += 1) {
      const from = ((fromY + row) * this.size.width + fromX) * POINT;
      before.copy(this.pixels, ((y + row) * this.size.width + x) * POINT, from, from + width * POINT);
    }
  }
}
