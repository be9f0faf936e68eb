/** What lists look at of each resource of a kind, in memory: columns side by side, and for each order the resources in it. */
import { searchText } from '@gatehouse/contract/wire/filter';
import { z } from 'zod';
import type { SortColumn } from '../kind-fields.ts';
import { ChunkedTexts } from './chunked-texts.ts';
import { FlagArena, type Flags } from './flag-arena.ts';
import { LabelPairs } from './label-pairs.ts';
import { SlotOrder } from './slot-order.ts';

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

const KEYS = ['id', 'name', 'second_key', 'third_key'] as const;
const storedLabels = z.record(z.string(), z.string());
/** From here on the order of characters in memory is not that of their bytes. */
const HIGH = /[\ud800-\uffff]/;

export class IndexedResources {
  readonly #slots = new Map<number, number>();
  readonly #byId = new Map<string, number>();
  /** Without what was entered by hand, which is looked for by id. */
  readonly #byOwner = new Map<string, number[]>();
  readonly #free: number[] = [];
  readonly #orders = new Map<SortColumn, SlotOrder>();
  #hasHigh = false;

  readonly pairs = new LabelPairs();
  /** The numbers of each slot's pairs. */
  readonly labels: (readonly number[])[] = [];
  /** What a search looks in beside labels, one line each. */
  readonly searched = new ChunkedTexts();
  readonly seqs: number[] = [];
  readonly specs = new ChunkedTexts();
  readonly columns: Readonly<Record<SortColumn, string[]>> = { id: [], name: [], second_key: [], third_key: [] };
  readonly #owners: string[] = [];
  readonly #arena = new FlagArena();
  /** 0 for a slot that is free. */
  labelSets = new Int32Array(256);

  /** Slots in use and free ones. */
  get length(): number {
    return this.seqs.length;
  }

  /** A flag for each slot, all 0; good until the next question. */
  flags(): Flags {
    return this.#arena.take(this.length);
  }

  beginQuestion(): void {
    this.#arena.reset();
  }

  add(rows: readonly IndexedRow[]): void {
    this.#change([], rows);
  }

  /** What these owners have, and what has one of these ids, is from now on only what the rows say. */
  replace({ owners, ids, rows }: { owners: readonly string[]; ids: readonly string[]; rows: readonly IndexedRow[] }) {
    const given = new Set(rows.map(({ seq }) => seq));
    const named = [
      ...owners.flatMap((owner) => this.#byOwner.get(owner) ?? []),
      ...ids.flatMap((id) => this.#byId.get(id) ?? []),
    ];
    this.#change(
      [...new Set(named)].filter((slot) => !given.has(this.seqs[slot]!)),
      rows,
    );
  }

  /** The slots in ascending order of a column, equal ones by id. */
  ordered(column: SortColumn): SlotOrder {
    const known = this.#orders.get(column);
    if (known) return known;
    const order = new SlotOrder(this.#comparer(column));
    order.insert([...this.#slots.values()]);
    this.#orders.set(column, order);
    return order;
  }

  /** How many in the order come before a place. */
  countBefore(column: SortColumn, value: string, id: string): number {
    const keys = this.columns[column];
    return this.ordered(column).countBefore(
      (slot) => this.#compare(keys[slot]!, value) || this.#compare(this.columns.id[slot]!, id),
    );
  }

  #change(gone: readonly number[], rows: readonly IndexedRow[]): void {
    // What keeps its keys keeps its place, which is so for most changes: of labels, of versions.
    const moving = rows.filter((row) => this.#isMoved(row));
    const leaving = new Set([...gone, ...moving.flatMap(({ seq }) => this.#slots.get(seq) ?? [])]);
    for (const order of this.#orders.values()) order.remove(leaving);
    const hadHigh = this.#hasHigh;
    for (const slot of gone) this.#clear(slot);
    for (const row of rows) this.#put(row);
    // They were made by the quicker comparison, which no longer holds.
    if (this.#hasHigh !== hadHigh) this.#orders.clear();
    const arriving = moving.map(({ seq }) => this.#slots.get(seq)!);
    for (const order of this.#orders.values()) order.insert(arriving);
  }

  #isMoved(row: IndexedRow): boolean {
    const slot = this.#slots.get(row.seq);
    return slot === undefined || KEYS.some((column) => this.columns[column][slot] !== row[column]);
  }

  #put(row: IndexedRow): void {
    const known = this.#slots.get(row.seq);
    const slot = known ?? this.#free.pop() ?? this.seqs.length;
    if (known !== undefined) this.#forget(slot);
    const labels = storedLabels.parse(JSON.parse(row.labels));
    this.#slots.set(row.seq, slot);
    this.#byId.set(row.id, slot);
    if (row.owner !== '') this.#byOwner.set(row.owner, [...(this.#byOwner.get(row.owner) ?? []), slot]);
    this.seqs[slot] = row.seq;
    if (slot >= this.labelSets.length) this.labelSets = grown(this.labelSets, slot + 1);
    this.labelSets[slot] = row.label_set;
    this.#owners[slot] = row.owner;
    this.specs.set(slot, row.spec);
    this.searched.set(slot, withoutLabels(row.search, labels));
    this.#setLabels(
      slot,
      Object.entries(labels).map(([key, value]) => this.pairs.number(key, value)),
    );
    for (const column of KEYS) {
      this.columns[column][slot] = row[column];
      this.#hasHigh ||= HIGH.test(row[column]);
    }
  }

  #setLabels(slot: number, pairs: readonly number[]): void {
    const before = this.labels[slot] ?? [];
    for (const pair of pairs) if (!before.includes(pair)) this.pairs.add(pair, slot);
    for (const pair of before) if (!pairs.includes(pair)) this.pairs.remove(pair, slot);
    this.labels[slot] = pairs;
  }

  #clear(slot: number): void {
    this.#forget(slot);
    this.seqs[slot] = 0;
    this.labelSets[slot] = 0;
    this.#setLabels(slot, []);
    this.searched.set(slot, '');
    this.specs.set(slot, '');
    this.#owners[slot] = '';
    for (const column of KEYS) this.columns[column][slot] = '';
    this.#free.push(slot);
  }

  #forget(slot: number): void {
    const owner = this.#owners[slot]!;
    const others = (this.#byOwner.get(owner) ?? []).filter((each) => each !== slot);
    if (others.length > 0) this.#byOwner.set(owner, others);
    else this.#byOwner.delete(owner);
    this.#byId.delete(this.columns.id[slot]!);
    this.#slots.delete(this.seqs[slot]!);
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

function grown(array: Int32Array, least: number): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(Math.max(array.length * 2, least));
  larger.set(array);
  return larger;
}
