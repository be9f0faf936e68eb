/** How wide each column is: by what stands in its first rows, within limits. */
import type { Cell } from '../bench/row-buffer.ts';

const CHARACTER_PX = 7.3;
const PADDING_PX = 26;
const MIN_PX = 72;
const MAX_PX = 340;
const LOOKED_AT = 50;

export interface Columns {
  /** Where each begins; one more than there are, the last is where all end. */
  edges: readonly number[];
}

export function columnsOf(
  names: readonly string[],
  types: readonly string[],
  rowAt: (index: number) => readonly Cell[] | undefined,
  start: number,
): Columns {
  const longest = names.map((name, column) => Math.max(name.length + 2, (types[column] ?? '').length));
  for (let index = 0; index < LOOKED_AT; index += 1) {
    const row = rowAt(index);
    if (!row) break;
    for (const [column, cell] of row.entries())
      longest[column] = Math.max(longest[column] ?? 0, cell === null ? 4 : cell.length);
  }
  const edges = [start];
  for (const length of longest) {
    const width = Math.round(Math.min(MAX_PX, Math.max(MIN_PX, length * CHARACTER_PX + PADDING_PX)));
    edges.push((edges.at(-1) ?? 0) + width);
  }
  return { edges };
}

/** The columns that are in sight between two places, and one more on either side. */
export function columnsBetween({ edges }: Columns, left: number, right: number): { first: number; last: number } {
  const count = edges.length - 1;
  let first = 0;
  while (first < count && (edges[first + 1] ?? 0) < left) first += 1;
  let last = first;
  while (last < count && (edges[last] ?? 0) <= right) last += 1;
  return { first: Math.max(0, first - 1), last: Math.min(count, last + 1) };
}
