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

/** Into `points`. False where its bytes are none that any host makes. */
export function readTile({ parts }: PackedTile, entropy: Entropy): boolean {
  const brightness = readPart(parts[0], entropy, planes[0]);
  const blue = readPart(parts[1], entropy, planes[1]);
  const red = readPart(parts[2], entropy, planes[2]);
  if (!brightness || !blue || !red) return false;
  for (let at = 0; at < COEFFICIENTS; at += 1)
    points[at] = pointOf(brightness[at] as number, blue[at] as number, red[at] as number);
  return true;
}

function readPart({ bytes, quant }: PackedPart, entropy: Entropy, plane: Int16Array): Int16Array | undefined {
  const key = bytes.length <= SMALL_BYTES ? `${entropy}${quant}:${bytes}` : undefined;
  const known = key === undefined ? undefined : small.get(key);
  if (known) return known;
  const extent = readCoefficients(bytes, entropy, plane);
  if (!extent) return undefined;
  unfold(plane, quant, extent);
  if (key === undefined) return plane;
  // Hostile ones are all different: nothing grows by them.
  if (small.size >= MAX_SMALL) small.clear();
  small.set(key, plane.slice());
  return plane;
}

function pointOf(brightness: number, blue: number, red: number): number {
  const light = (brightness + MIDDLE) << FRACTION;
  const r = (light + Math.imul(red, RED_BY_RED)) >> SHIFT;
  const g = (light - Math.imul(blue, GREEN_BY_BLUE) - Math.imul(red, GREEN_BY_RED)) >> SHIFT;
  const b = (light + Math.imul(blue, BLUE_BY_BLUE)) >> SHIFT;
  return OPAQUE | (inByte(b) << 16) | (inByte(g) << 8) | inByte(r);
}

function inByte(value: number): number {
  return Math.max(0, Math.min(255, value));
}
