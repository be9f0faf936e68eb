/** A tile of RemoteFX: brightness and two kinds of colour, each packed by itself, become points. */
import { COEFFICIENTS, type Entropy, readCoefficients } from './coefficients.ts';
import { type Quant, unfold } from './wavelet.ts';

export const TILE = 64;

/** What a tile is made of: brightness, blue, red. */
export interface PackedTile {
  /** In tiles. */
  x: number;
  y: number;
  parts: readonly [PackedPart, PackedPart, PackedPart];
}

export interface PackedPart {
  quant: Quant;
  bytes: Uint8Array;
}

/** Of all values: they have five bits behind the point. */
const MIDDLE = 4096;
const FRACTION = 16;
const SHIFT = FRACTION + 5;
const RED_BY_RED = 91_915;
const GREEN_BY_BLUE = 22_526;
const GREEN_BY_RED = 46_818;
const BLUE_BY_BLUE = 115_992;
const OPAQUE = 0xff00_0000;

const planes = [0, 1, 2].map(() => new Int16Array(COEFFICIENTS)) as [Int16Array, Int16Array, Int16Array];
/** Empty parts of a screen are packed into a few bytes, the same ones everywhere: what they look like is kept. */
const SMALL_BYTES = 12;
const MAX_SMALL = 64;
const small = new Map<string, Int16Array>();
/** As bytes: red, green, blue, opaque. The tile that was read last. */
export const points = new Uint32Array(COEFFICIENTS);

/** Of all three parts of a tile that is known again: backgrounds and edges lie beside each other many times. */
const MAX_KNOWN_BYTES = 2_048;
/** Whose points `points` are. */
const known = { bytes: new Uint8Array(MAX_KNOWN_BYTES), lengths: [0, 0, 0], quants: [] as Quant[], entropy: '' };
/** A part without any number in it. */
const NOTHING = new Int16Array(COEFFICIENTS);

/** Into `points`. False where its bytes are none that any host makes. */
export function readTile({ parts }: PackedTile, entropy: Entropy): boolean {
  if (isKnown(parts, entropy)) return true;
  known.entropy = '';
  const brightness = readPart(parts[0], entropy, planes[0]);
  const blue = readPart(parts[1], entropy, planes[1]);
  const red = readPart(parts[2], entropy, planes[2]);
  if (!brightness || !blue || !red) return false;
  if (blue === NOTHING && red === NOTHING) paintGrey(brightness);
  else paint(brightness, blue, red);
  know(parts, entropy);
  return true;
}

function isKnown(parts: PackedTile['parts'], entropy: Entropy): boolean {
  if (known.entropy !== entropy) return false;
  let from = 0;
  for (let part = 0; part < 3; part += 1) {
    const { quant, bytes } = parts[part] as PackedPart;
    if (known.lengths[part] !== bytes.length || known.quants[part] !== quant) return false;
    for (let at = 0; at < bytes.length; at += 1) if (known.bytes[from + at] !== bytes[at]) return false;
    from += bytes.length;
  }
  return true;
}

function know(parts: PackedTile['parts'], entropy: Entropy): void {
  let from = 0;
  for (const [part, { quant, bytes }] of parts.entries()) {
    if (from + bytes.length > MAX_KNOWN_BYTES) return;
    known.bytes.set(bytes, from);
    known.lengths[part] = bytes.length;
    known.quants[part] = quant;
    from += bytes.length;
  }
  known.entropy = entropy;
}

function readPart({ bytes, quant }: PackedPart, entropy: Entropy, plane: Int16Array): Int16Array | undefined {
  const key = bytes.length <= SMALL_BYTES ? `${entropy}${quant}:${bytes}` : undefined;
  const known = key === undefined ? undefined : small.get(key);
  if (known) return known;
  const extent = readCoefficients(bytes, entropy, plane);
  if (!extent) return undefined;
  if (extent.last < 0) return NOTHING;
  unfold(plane, quant, extent);
  if (key === undefined) return plane;
  // Hostile ones are all different: nothing grows by them.
  if (small.size >= MAX_SMALL) small.clear();
  small.set(key, plane.slice());
  return plane;
}

function paint(brightness: Int16Array, blue: Int16Array, red: Int16Array): void {
  for (let at = 0; at < COEFFICIENTS; at += 1) {
    const light = ((brightness[at] as number) + MIDDLE) << FRACTION;
    const u = blue[at] as number;
    const v = red[at] as number;
    const r = (light + Math.imul(v, RED_BY_RED)) >> SHIFT;
    const g = (light - Math.imul(u, GREEN_BY_BLUE) - Math.imul(v, GREEN_BY_RED)) >> SHIFT;
    const b = (light + Math.imul(u, BLUE_BY_BLUE)) >> SHIFT;
    points[at] =
      ((r | g | b) & ~0xff) === 0
        ? OPAQUE | (b << 16) | (g << 8) | r
        : OPAQUE | (inByte(b) << 16) | (inByte(g) << 8) | inByte(r);
  }
}

/** Text is, mostly. */
function paintGrey(brightness: Int16Array): void {
  for (let at = 0; at < COEFFICIENTS; at += 1) {
    const light = inByte((((brightness[at] as number) + MIDDLE) << FRACTION) >> SHIFT);
    points[at] = OPAQUE | (light << 16) | (light << 8) | light;
  }
}

function inByte(value: number): number {
  return Math.max(0, Math.min(0xff, value));
}
