/** How wide each column is: as somebody made it, else by what stands in its first rows, within limits. */
import type { Cell } from '../bench/row-buffer.ts';

const CHARACTER_PX = 7.3;
const PADDING_PX = 26;
const MIN_PX = 72;
const MAX_PX = 340;
/** Made wider than this by hand, a column would hide all others. */
const MAX_MADE_PX = 2_000;
const MIN_MADE_PX = 40;
const LOOKED_AT = 50;

export interface Columns {
  /** Where each begins; one more than there are, the last is where all end. */
  edges: readonly number[];
  /** Characters of each, of its first rows. */
  longest: readonly number[];
}

export function clampWidth(px: number): number {
  return Math.round(Math.min(MAX_MADE_PX, Math.max(MIN_MADE_PX, px)));
}

/** As wide as the longest of its first rows. */
export function fittingWidth(longest: number): number {
  return clampWidth(longest * CHARACTER_PX + PADDING_PX);
}

export function columnsOf(
  names: readonly string[],
  types: readonly string[],
  rowAt: (index: number) => readonly Cell[] | undefined,
  start: number,
  made: Readonly<Record<number, number>> = {},
): Columns {
  const longest = names.map((name, column) => Math.max(name.length + 2, (types[column] ?? '').length));
  for (let index = 0; index < LOOKED_AT; index += 1) {
    const row = rowAt(index);
    if (!row) break;
    for (const [column, cell] of row.entries())
      longest[column] = Math.max(longest[column] ?? 0, cell === null ? 4 : cell.length);
  }
  const edges = [start];
  for (const [column, length] of longest.entries()) {
    const width = made[column] ?? Math.min(MAX_PX, Math.max(MIN_PX, fittingWidth(length)));
    edges.push((edges.at(-1) ?? 0) + width);
  }
  return { edges, longest };
}

/** The columns that are in sight between two places, and one more on either side. */
export function columnsBetween(
  { edges }: Pick<Columns, 'edges'>,
  left: number,
  right: number,
): { first: number; last: number } {
  const count = edges.length - 1;
  let first = 0;
  while (first < count && (edges[first + 1] ?? 0) < left) first += 1;
  let last = first;
  while (last < count && (edges[last] ?? 0) <= right) last += 1;
  return { first: Math.max(0, first - 1), last: Math.min(count, last + 1) };
}
