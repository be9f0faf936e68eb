/** Updates with RemoteFX as a host would send them, and as none would: lengths that fit around what is broken, so that what stands inside is read. */
import { recordedPdus } from '@gatehouse/gateway/testing/desktop/recorded-pdus';
import type { Random } from '../random.ts';

export const SURFACE = 4;
/** With headers and without, as xrdp sent them. */
const RECORDED = recordedPdus()
  .pdus.map(({ bytes }) => bytes)
  .filter((pdu) => pdu[0] === 0);
const PACKED = [Buffer.of(0), Buffer.alloc(3), Buffer.alloc(12, 0xff), Buffer.alloc(40, 0x55), Buffer.alloc(4, 0xf0)];

const u16 = (...values: readonly number[]) => Buffer.from(Uint16Array.from(values).buffer);
const u32 = (value: number) => Buffer.from(Uint32Array.of(value).buffer);
const block = (type: number, ...body: readonly Buffer[]) => {
  const bytes = Buffer.concat(body);
  return Buffer.concat([u16(type), u32(bytes.length + 6), bytes]);
};

export interface Screen {
  width: number;
  height: number;
}

/** Whole messages in the short form: one update, in one piece or in several. */
export function brokenUpdate(random: Random, screen: Screen): Buffer[] {
  const how = random.below(20);
  if (how < 4) return [random.chance(0.5) ? random.pick(RECORDED) : random.mutate(random.pick(RECORDED))];
  if (how === 4) return [shortForm(1, 0, bitmaps(random))];
  if (how === 5) return [shortForm(SURFACE, random.below(4), random.bytes(random.below(40)))];
  if (how === 6) return [shortForm(SURFACE, 0, u16(4, random.below(2), 9, 0))];
  const commands = Array.from({ length: 1 + random.below(3) }, () => command(random, screen));
  const data = Buffer.concat(random.chance(0.1) ? [...commands, random.bytes(random.below(30))] : commands);
  return inPieces(random.chance(0.1) ? random.mutate(data) : data, random);
}

/** Once, before all else, as a rule. */
export function headers(random: Random): Buffer {
  const properties = random.chance(0.9) ? (random.pick([1, 4]) << 9) | 0x28 : random.below(65_536);
  const side = random.chance(0.95) ? 64 : random.below(65_536);
  const told = [
    block(0xccc0, u32(0xcaccacca), u16(0x100)),
    block(0xccc1, Buffer.of(1, 0, 0, 1)),
    block(0xccc2, Buffer.of(1, 0), u16(64, 64)),
    block(0xccc3, Buffer.of(1, 0xff, 0), u16(side, properties)),
  ];
  return Buffer.concat(random.chance(0.95) ? told : told.filter(() => random.chance(0.7)));
}

export function withHeaders(random: Random, screen: Screen): Buffer {
  return shortForm(SURFACE, 0, surfaceBits({ left: 0, top: 0 }, screen, [headers(random), frame(random, screen)]));
}

function command(random: Random, screen: Screen): Buffer {
  if (random.chance(0.1)) return u16(4, random.below(2), 9, 0);
  const to = random.chance(0.7)
    ? { left: 0, top: 0 }
    : { left: random.below(screen.width * 2), top: random.below(65_536) };
  const made = frame(random, screen);
  const parts = random.chance(0.1) ? [headers(random), made] : [made];
  return surfaceBits(to, screen, random.chance(0.95) ? parts : parts.map((part) => random.mutate(part)));
}

function surfaceBits(
  { left, top }: { left: number; top: number },
  { width, height }: Screen,
  parts: readonly Buffer[],
) {
  const bytes = Buffer.concat(parts);
  const corner = [(left + width) & 0xffff, (top + height) & 0xffff];
  const head = Buffer.concat([u16(1, left & 0xffff, top & 0xffff, ...corner), Buffer.of(32, 0, 0, 3)]);
  return Buffer.concat([head, u16(width & 0xffff, height & 0xffff), u32(bytes.length), bytes]);
}

function frame(random: Random, screen: Screen): Buffer {
  // The same places over and over.
  const isWild = random.chance(0.01);
  const rectangles = Array.from({ length: isWild ? 256 : oddCount(random, 4, 300) }, () =>
    rectangle(random, screen, isWild),
  );
  const quants = random.chance(0.9) ? 1 : random.below(256);
  const made = Array.from({ length: oddCount(random, 12, 300) }, () => tile(random, screen, quants));
  const packed = Buffer.concat(isWild ? Array.from({ length: 20_000 }, () => random.pick(made)) : made);
  const count = random.chance(0.97) ? tilesIn(packed) : random.below(65_536);
  const head = [u16(0xcac2, 0, 0x5151), Buffer.of(quants, 64), u16(count), u32(packed.length)];
  const nibbles = Buffer.alloc(5 * quants, random.chance(0.7) ? 0x66 : random.below(256));
  return Buffer.concat([
    block(0xccc4, u32(0), u32(1), u16(1)),
    block(0xccc6, Buffer.of(1, 0, 1), u16(rectangles.length), ...rectangles, u16(0xcac1, 1)),
    block(0xccc7, Buffer.of(1, 0), ...head, nibbles, packed),
    block(0xccc5, Buffer.of(1, 0)),
  ]);
}

function rectangle(random: Random, { width, height }: Screen, isWhole: boolean): Buffer {
  if (isWhole || random.chance(0.4)) return u16(0, 0, width & 0xffff, height & 0xffff);
  return random.chance(0.9)
    ? u16(
        random.below(width + 1),
        random.below(height + 1),
        1 + random.below(width + 64),
        1 + random.below(height + 64),
      )
    : u16(...Array.from({ length: 4 }, () => random.pick([0, 1, 63, 64, 65, 0x7fff, 0xffff])));
}

function tile(random: Random, { width, height }: Screen, quants: number): Buffer {
  const parts = [0, 1, 2].map(() =>
    random.chance(0.5) ? random.pick(PACKED) : random.bytes(1 + random.below(random.chance(0.05) ? 4_000 : 60)),
  );
  const index = () => (random.chance(0.98) ? random.below(Math.max(1, quants)) : random.below(256));
  const place = random.chance(0.9)
    ? u16(random.below(1 + (width >> 6)), random.below(1 + (height >> 6)))
    : u16(random.below(65_536), random.below(65_536));
  const body = [Buffer.of(index(), index(), index()), place, u16(...parts.map(({ length }) => length)), ...parts];
  return block(0xcac3, ...body);
}

function tilesIn(packed: Buffer): number {
  let count = 0;
  for (let at = 0; at < packed.length; at += packed.readUInt32LE(at + 2)) count += 1;
  return count & 0xffff;
}

/** Few, and now and then far too many. */
function oddCount(random: Random, few: number, many: number): number {
  return random.chance(0.99) ? 1 + random.below(few) : random.below(many);
}

function bitmaps(random: Random): Buffer {
  const count = random.below(4);
  const one = Buffer.concat([u16(0, 0, 1, 1, 2, 2, 32, 0, 16), Buffer.alloc(16, random.below(256))]);
  return Buffer.concat([u16(1, count), ...Array.from({ length: count }, () => one)]);
}

const MAX_PIECE = 16_000;
const [LAST, FIRST, NEXT] = [1, 2, 3];

function inPieces(data: Buffer, random: Random): Buffer[] {
  const size = random.chance(0.7) ? MAX_PIECE : 1 + random.below(MAX_PIECE);
  if (data.length <= size) return [shortForm(SURFACE, 0, data)];
  const pieces: Buffer[] = [];
  for (let at = 0; at < data.length; at += size) {
    const isLast = at + size >= data.length;
    const fragment = isLast ? LAST : at === 0 ? FIRST : NEXT;
    pieces.push(shortForm(SURFACE, random.chance(0.99) ? fragment : random.below(4), data.subarray(at, at + size)));
  }
  return random.chance(0.97) ? pieces : pieces.filter(() => random.chance(0.9));
}

function shortForm(code: number, fragment: number, data: Buffer): Buffer {
  const head = Buffer.of(0, 0, 0, code | (fragment << 4), data.length & 0xff, (data.length >> 8) & 0xff);
  head.writeUInt16BE(0x8000 | ((head.length + data.length) & 0x7fff), 1);
  return Buffer.concat([head, data]);
}
