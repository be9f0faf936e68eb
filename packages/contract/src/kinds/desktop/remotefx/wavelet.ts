/** Makes of the coefficients of a component what it looks like: each level from its smaller self and three kinds of detail. */
import { COEFFICIENTS, type Extent } from './coefficients.ts';

/** In the order of the wire, four bits each. */
export type Quant = readonly number[];

/** Where the bands lie, how long they are, and which number of a `Quant` is theirs. */
const BANDS: readonly (readonly [from: number, length: number, quant: number])[] = [
  [0, 1024, 8],
  [1024, 1024, 7],
  [2048, 1024, 9],
  [3072, 256, 5],
  [3328, 256, 4],
  [3584, 256, 6],
  [3840, 64, 2],
  [3904, 64, 1],
  [3968, 64, 3],
  [4032, 64, 0],
];
/** Of the smallest picture, in which each number is the difference to the one before it. */
const SMALLEST = 4032;
const LEVELS: readonly (readonly [from: number, half: number])[] = [
  [3840, 8],
  [3072, 16],
  [0, 32],
];

const rows = new Int16Array(COEFFICIENTS);

/** In place. Bands without any number in them are passed over. */
export function unfold(values: Int16Array, quant: Quant, { first, last }: Extent): void {
  for (let at = SMALLEST + 1; at < COEFFICIENTS; at += 1)
    values[at] = (values[at] as number) + (values[at - 1] as number);
  for (const [from, length, number] of BANDS) {
    const shift = (quant[number] as number) - 1;
    if (shift <= 0 || (from !== SMALLEST && (from > last || from + length <= first))) continue;
    for (let at = from; at < from + length; at += 1) values[at] = (values[at] as number) << shift;
  }
  for (const [from, half] of LEVELS) grow(values, from, half);
}

/** Four bands of `half` by `half`, detail to the right, below, both, then the smaller picture, become one of twice that. */
function grow(values: Int16Array, from: number, half: number): void {
  const area = half * half;
  for (let row = 0; row < half; row += 1) {
    const at = from + row * half;
    widen(values, at + 3 * area, at, half, row * half * 2);
    widen(values, at + area, at + 2 * area, half, (half + row) * half * 2);
  }
  heighten(values, from, half);
}

/** A row of averages and one of details become one of twice the length. Plain assignments: these loops are most of what a picture costs. */
function widen(values: Int16Array, averages: number, details: number, half: number, to: number): void {
  let before = values[details] as number;
  let even = (values[averages] as number) - ((before + before + 1) >> 1);
  let put = to;
  rows[put] = even;
  for (let at = 1; at < half; at += 1) {
    const detail = values[details + at] as number;
    const next = (values[averages + at] as number) - ((before + detail + 1) >> 1);
    rows[put + 1] = (before << 1) + ((even + next) >> 1);
    put += 2;
    rows[put] = next;
    before = detail;
    even = next;
  }
  rows[put + 1] = (before << 1) + even;
}

function heighten(values: Int16Array, from: number, half: number): void {
  const wide = half * 2;
  const lower = half * wide;
  for (let column = 0; column < wide; column += 1) {
    const detail = rows[lower + column] as number;
    values[from + column] = (rows[column] as number) - ((2 * detail + 1) >> 1);
  }
  for (let row = 1; row < half; row += 1) {
    const average = row * wide;
    const before = lower + average - wide;
    const above = from + 2 * (average - wide);
    for (let column = 0; column < wide; column += 1) {
      const last = rows[before + column] as number;
      const detail = rows[before + wide + column] as number;
      const next = (rows[average + column] as number) - ((last + detail + 1) >> 1);
      values[above + 2 * wide + column] = next;
      values[above + wide + column] = (last << 1) + (((values[above + column] as number) + next) >> 1);
    }
  }
  const end = from + (wide - 1) * wide;
  for (let column = 0; column < wide; column += 1) {
    const detail = rows[lower + lower - wide + column] as number;
    values[end + column] = (detail << 1) + (values[end - wide + column] as number);
  }
}
