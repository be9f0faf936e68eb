/** Rows in their order, kept from one look to the next: of 50,000 only those that have changed are put in their places anew. */
import type { ShownRow } from '../rows/row-store.ts';

/** What a row is sorted by first. */
export type RowValue = (row: ShownRow) => string | number;

export interface WantedOrder {
  /** Names it: another one is sorted from the beginning. */
  key: string;
  value: RowValue;
  isDescending: boolean;
}

interface Placed {
  row: ShownRow;
  value: string | number;
}

export class RowOrder {
  #key: string | undefined;
  #placed: Placed[] = [];
  #rows: readonly ShownRow[] = [];

  rows(all: ReadonlyMap<string, ShownRow>, { key, value, isDescending }: WantedOrder): readonly ShownRow[] {
    const order = orderOf(isDescending ? -1 : 1);
    const placed = key === this.#key ? this.#kept(all, value, order) : undefined;
    if (placed === this.#placed) return this.#rows;
    this.#placed = placed ?? [...all.values()].map((row) => ({ row, value: value(row) })).sort(order);
    this.#key = key;
    this.#rows = this.#placed.map(({ row }) => row);
    return this.#rows;
  }

  #kept(all: ReadonlyMap<string, ShownRow>, value: RowValue, order: Order): Placed[] {
    const stay: Placed[] = [];
    const moved: Placed[] = [];
    for (const each of this.#placed) {
      const row = all.get(each.row.uid);
      if (row === each.row) stay.push(each);
      else if (row) moved.push({ row, value: value(row) });
    }
    if (stay.length + moved.length < all.size) {
      const known = new Set(this.#placed.map(({ row }) => row.uid));
      for (const row of all.values()) if (!known.has(row.uid)) moved.push({ row, value: value(row) });
    }
    if (moved.length === 0) return stay.length === this.#placed.length ? this.#placed : stay;
    return merged(stay, moved.sort(order), order);
  }
}

type Order = (a: Placed, b: Placed) => number;

function orderOf(sign: number): Order {
  return (a, b) =>
    sign * compare(a.value, b.value) || compare(a.row.name, b.row.name) || compare(a.row.namespace, b.row.namespace);
}

/** Places are looked for by halves: few have changed, and to compare each of the others would take as long as to sort. */
function merged(a: readonly Placed[], b: readonly Placed[], order: Order): Placed[] {
  const all: Placed[] = [];
  let from = 0;
  for (const each of b) {
    const to = placeOf(a, each, from, order);
    for (let at = from; at < to; at += 1) all.push(a[at] as Placed);
    all.push(each);
    from = to;
  }
  for (let at = from; at < a.length; at += 1) all.push(a[at] as Placed);
  return all;
}

function placeOf(sorted: readonly Placed[], wanted: Placed, from: number, order: Order): number {
  let [low, high] = [from, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (order(sorted[middle] as Placed, wanted) <= 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Plain, and not by the rules of a language: a list of 50,000 is sorted while somebody looks. */
export function compare(a: string | number, b: string | number): number {
  if (typeof a === typeof b) return a < b ? -1 : a > b ? 1 : 0;
  return typeof a === 'number' ? -1 : 1;
}
