/** What lists look at of each resource of a kind, in memory: columns side by side, and for each order the resources in it. */
import { searchText } from '@gatehouse/contract/filter';
import { z } from 'zod';
import type { SortColumn } from '../kind-fields.ts';
import { LabelPairs } from './label-pairs.ts';

/** A row as the store has it; JSON columns still text. */
export interface IndexedRow {
  seq: number;
  id: string;
  name: string;
  owner: string;
  labels: string;
  label_set: number;
  spec: string;
  search: string;
  second_key: string;
  third_key: string;
}

const storedLabels = z.record(z.string(), z.string());
/** From here on the order of characters in memory is not that of their bytes. */
const HIGH = /[\ud800-\uffff]/;

export class IndexedResources {
  readonly #slots = new Map<number, number>();
  readonly #free: number[] = [];
  readonly #orders = new Map<SortColumn, Int32Array>();
  #hasHigh = false;

  readonly pairs = new LabelPairs();
  readonly seqs: number[] = [];
  readonly labelSets: number[] = [];
  readonly owners: string[] = [];
  /** What a search looks in beside labels, one line each. */
  readonly searched: string[] = [];
  readonly specs: string[] = [];
  readonly labels: (readonly number[])[] = [];
  readonly columns: Readonly<Record<SortColumn, string[]>> = { id: [], name: [], second_key: [], third_key: [] };

  get size(): number {
    return this.#slots.size;
  }

  add(rows: readonly IndexedRow[]): void {
    this.#reorder(rows.map((row) => this.#put(row)));
  }

  /** What these owners have, and what has one of these ids, is from now on only what the rows say. */
  replace({
    owners,
    ids,
    rows,
  }: {
    owners: ReadonlySet<string>;
    ids: ReadonlySet<string>;
    rows: readonly IndexedRow[];
  }) {
    const given = new Set(rows.map(({ seq }) => seq));
    const gone: number[] = [];
    for (const [seq, slot] of this.#slots) {
      if (given.has(seq)) continue;
      if (owners.has(this.owners[slot]!) || ids.has(this.columns.id[slot]!)) gone.push(slot);
    }
    for (const slot of gone) this.#clear(slot);
    this.#reorder([...gone, ...rows.map((row) => this.#put(row))]);
  }

  /** The slots in ascending order of a column, equal ones by id. */
  ordered(column: SortColumn): Int32Array {
    const known = this.#orders.get(column);
    if (known) return known;
    const order = Int32Array.from(this.#slots.values()).sort(this.#comparer(column));
    this.#orders.set(column, order);
    return order;
  }

  /** How many in the order come before a place. */
  countBefore(column: SortColumn, value: string, id: string): number {
    const order = this.ordered(column);
    let [low, high] = [0, order.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const slot = order[middle]!;
      const compared = this.#compare(this.columns[column][slot]!, value) || this.#compare(this.columns.id[slot]!, id);
      if (compared < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #put(row: IndexedRow): number {
    const known = this.#slots.get(row.seq);
    const slot = known ?? this.#free.pop() ?? this.seqs.length;
    const before = known === undefined ? [] : this.labels[slot]!;
    const labels = storedLabels.parse(JSON.parse(row.labels));
    this.#slots.set(row.seq, slot);
    this.seqs[slot] = row.seq;
    this.labelSets[slot] = row.label_set;
    this.owners[slot] = row.owner;
    this.specs[slot] = row.spec;
    this.searched[slot] = withoutLabels(row.search, labels);
    this.labels[slot] = Object.entries(labels).map(([key, value]) => this.pairs.take(key, value));
    for (const column of ['id', 'name', 'second_key', 'third_key'] as const) {
      this.columns[column][slot] = row[column];
      this.#hasHigh ||= HIGH.test(row[column]);
    }
    for (const pair of before) this.pairs.release(pair);
    return slot;
  }

  #clear(slot: number): void {
    this.#slots.delete(this.seqs[slot]!);
    for (const pair of this.labels[slot]!) this.pairs.release(pair);
    this.seqs[slot] = 0;
    this.labels[slot] = [];
    this.owners[slot] = this.searched[slot] = this.specs[slot] = '';
    for (const texts of Object.values(this.columns)) texts[slot] = '';
    this.#free.push(slot);
  }

  /** Puts changed slots where they belong now: sorting all anew would take as long as the first time. */
  #reorder(changed: readonly number[]): void {
    if (changed.length === 0 || this.#orders.size === 0) return;
    const isChanged = new Uint8Array(this.seqs.length);
    for (const slot of changed) isChanged[slot] = 1;
    const present = [...new Set(changed)].filter((slot) => this.#slots.get(this.seqs[slot]!) === slot);
    for (const [column, order] of this.#orders) {
      const compare = this.#comparer(column);
      const kept = order.filter((slot) => isChanged[slot] === 0);
      this.#orders.set(column, merged(kept, Int32Array.from(present).sort(compare), compare));
    }
  }

  #comparer(column: SortColumn): (a: number, b: number) => number {
    const keys = this.columns[column];
    const { id } = this.columns;
    return (a, b) => this.#compare(keys[a]!, keys[b]!) || this.#compare(id[a]!, id[b]!);
  }

  /** As the store does: by bytes. */
  #compare(a: string, b: string): number {
    if (a === b) return 0;
    if (this.#hasHigh) return Buffer.compare(Buffer.from(a), Buffer.from(b));
    return a < b ? -1 : 1;
  }
}

function withoutLabels(search: string, labels: Readonly<Record<string, string>>): string {
  const texts = new Set(Object.entries(labels).flat().map(searchText));
  return search
    .split('\n')
    .filter((line) => !texts.has(line))
    .join('\n');
}

function merged(a: Int32Array, b: Int32Array, compare: (x: number, y: number) => number): Int32Array {
  const both = new Int32Array(a.length + b.length);
  let [nextA, nextB] = [0, 0];
  for (let at = 0; at < both.length; at += 1) {
    const fromA = nextB >= b.length || (nextA < a.length && compare(a[nextA]!, b[nextB]!) <= 0);
    both[at] = fromA ? a[nextA++]! : b[nextB++]!;
  }
  return both;
}
