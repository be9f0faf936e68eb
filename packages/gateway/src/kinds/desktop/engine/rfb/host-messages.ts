/** What a host of VNC says: pictures pass as they come, texts of the clipboard by right and by size. */

import { ENCODING, HEXTILE, PIXEL_BYTES, TILE, UNCOUNTED } from '@gatehouse/contract/kinds/desktop/rfb/encodings';
import type { Grammar } from '../../../../platform/std/byte-grammar.ts';
import { type ClipboardTransfer, type DesktopSize, malformed } from '../desktop-link.ts';
import { MAX_PACKED_BYTES } from './extended-clipboard.ts';

const MESSAGE = { update: 0, colours: 1, bell: 2, cutText: 3 } as const;
const MAX_SIDE = 16_384;
/** Four of the largest screens: a page holds several copies of all of it. */
const MAX_POINTS = 4 * 3_840 * 2_400;
export const MAX_CUT_TEXT_BYTES = 1024 * 1024;

/** Of a pointer that is remembered for who comes later. */
const MAX_POINTER_BYTES = 64 * 1024 + 2048;
/** Clients of pages hold all of one before they draw it. */
const MAX_POINTER_SIDE = 1_024;

export interface HostSinks {
  /** Between two messages: whoever begins here reads all that follows. */
  between(): void;
  /** A message begins; `isUpdate`: it draws. */
  begins(isUpdate: boolean): void;
  /** It has drawn what it was asked for. */
  updated(): void;
  /** The shape of the pointer, as a rectangle of an update. */
  pointer(rectangle: Buffer): void;
  /** Put between what has passed and what follows; no recording keeps it. */
  putUnkept(bytes: Buffer): void;
  size(): DesktopSize;
  sized(size: DesktopSize, screen: number | undefined): void;
  mayCopy(): boolean;
  /** False where texts come faster than anybody copies: they are passed over without a word. */
  isHeard(): boolean;
  copied(transfer: ClipboardTransfer): void;
  /** Of the newer form: what is told of texts, and texts. */
  extended(flags: number, data: Buffer): void;
}

export function* hostMessages(sinks: HostSinks): Grammar {
  for (;;) {
    sinks.between();
    const type = (yield { peek: 1 })[0]!;
    sinks.begins(type === MESSAGE.update);
    yield type === MESSAGE.cutText || type === MESSAGE.colours ? { hold: 1 } : { take: 1 };
    if (type === MESSAGE.update) {
      yield* update(sinks);
      sinks.updated();
      // Colours are for a form of points that nobody asked for: the client of a page would stop at them.
    } else if (type === MESSAGE.colours) yield { drop: 6 * (yield { hold: 5 }).readUInt16BE(3) };
    else if (type === MESSAGE.cutText) yield* cutText(sinks);
    else if (type !== MESSAGE.bell) throw malformed('the host says what nobody asked for');
  }
}

function* cutText({
  putUnkept,
  mayCopy,
  isHeard,
  copied,
  extended,
}: HostSinks): Generator<{ hold: number } | { drop: number }, void, Buffer> {
  const head = Buffer.from(yield { hold: 7 });
  const isExtended = head.readInt32BE(3) < 0;
  const length = Math.abs(head.readInt32BE(3));
  if (isExtended && length >= 4 && length <= MAX_PACKED_BYTES) {
    const body = yield { hold: length };
    extended(body.readUInt32BE(0), Buffer.from(body.subarray(4)));
    return;
  }
  if (!isHeard()) {
    yield { drop: length };
    return;
  }
  const isLong = isExtended || length > MAX_CUT_TEXT_BYTES;
  const text = yield isLong ? { drop: length } : { hold: length };
  // Asked once all of it is there: the right may have been taken meanwhile.
  if (isLong || !mayCopy()) {
    const refused = mayCopy() ? 'more than 1 MiB is not copied' : 'the clipboard is not allowed here';
    copied({ direction: 'receive', length, refused });
    return;
  }
  putUnkept(Buffer.concat([Buffer.of(MESSAGE.cutText), head, text]));
  copied({ direction: 'receive', length });
}

type Passing = Generator<{ take: number } | { pass: number }, void, Buffer>;

function* update(sinks: HostSinks): Passing {
  const count = (yield { take: 3 }).readUInt16BE(1);
  for (let left = count; left > 0; left -= count === UNCOUNTED ? 0 : 1) {
    const head = yield { take: 12 };
    const [x, y, width, height] = [0, 2, 4, 6].map((at) => head.readUInt16BE(at)) as [number, number, number, number];
    const encoding = head.readInt32BE(8);
    if (encoding === ENCODING.lastRect) return;
    if (encoding === ENCODING.desktopSize) sinks.sized(sizeOf(width, height), undefined);
    else if (encoding === ENCODING.extendedDesktopSize) yield* screens(sinks, x, y, width, height);
    else if (encoding === ENCODING.cursor) yield* pointer(sinks, head, width, height);
    else {
      const size = sinks.size();
      if (x + width > size.width || y + height > size.height)
        throw malformed('a rectangle lies outside of the desktop');
      yield* rectangle(encoding, width, height);
    }
  }
}

function* pointer({ pointer: told }: HostSinks, head: Buffer, width: number, height: number): Passing {
  if (Math.max(width, height) > MAX_POINTER_SIDE) throw malformed(`its pointer has ${width}×${height} points`);
  const length = width * height * PIXEL_BYTES + Math.ceil(width / 8) * height;
  if (length > MAX_POINTER_BYTES) {
    yield { pass: length };
    return;
  }
  told(Buffer.concat([head, yield { take: length }]));
}

function* rectangle(encoding: number, width: number, height: number): Passing {
  if (encoding === ENCODING.raw) yield { pass: width * height * PIXEL_BYTES };
  else if (encoding === ENCODING.copyRect) yield { pass: 4 };
  else if (encoding === ENCODING.rre) {
    const count = (yield { take: 4 }).readUInt32BE(0);
    if (count > width * height) throw malformed('a rectangle has more parts than points');
    yield { pass: PIXEL_BYTES + count * (PIXEL_BYTES + 8) };
  } else if (encoding === ENCODING.hextile) yield* hextile(width, height);
  else throw malformed('a rectangle has an encoding that nobody asked for');
}

function* hextile(width: number, height: number): Passing {
  for (let y = 0; y < height; y += TILE)
    for (let x = 0; x < width; x += TILE) {
      const kind = (yield { take: 1 })[0]!;
      if ((kind & HEXTILE.raw) !== 0) {
        yield { pass: Math.min(TILE, width - x) * Math.min(TILE, height - y) * PIXEL_BYTES };
        continue;
      }
      const colours = (kind & HEXTILE.background ? 1 : 0) + (kind & HEXTILE.foreground ? 1 : 0);
      if (colours > 0) yield { pass: colours * PIXEL_BYTES };
      if ((kind & HEXTILE.subrects) === 0) continue;
      const count = (yield { take: 1 })[0]!;
      yield { pass: count * (kind & HEXTILE.coloured ? PIXEL_BYTES + 2 : 2) };
    }
}

/** `x`: who asked for it. `y`: whether it was refused, to who asked. */
function* screens(sinks: HostSinks, x: number, y: number, width: number, height: number): Passing {
  const count = (yield { take: 4 })[0]!;
  const first = count > 0 ? (yield { take: 16 }).readUInt32BE(0) : 0;
  if (count > 1) yield { pass: 16 * (count - 1) };
  if (x !== 1 || y === 0) sinks.sized(sizeOf(width, height), first);
}

export function sizeOf(width: number, height: number): DesktopSize {
  if (width === 0 || height === 0 || Math.max(width, height) > MAX_SIDE || width * height > MAX_POINTS)
    throw malformed(`the host says that its desktop has ${width}×${height} points`);
  return { width, height };
}
