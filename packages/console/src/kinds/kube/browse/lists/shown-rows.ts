/** Which rows are shown in which order: found, in trouble, sorted, and pods under what runs them. */
import type { KubeColumn } from '@gatehouse/contract/kinds/kube/browse';
import type { Sort } from '@gatehouse/design/table-head';
import type { RowList, ShownRow } from '../rows/row-store.ts';
import { isTrouble } from './row-facts.ts';
import { compare, RowOrder, type RowValue, type WantedOrder } from './row-order.ts';

export interface Narrowing {
  search: string;
  isTrouble: boolean;
  sort: Sort | undefined;
}

export const NAME_SORT = 'name';
export const NAMESPACE_SORT = 'namespace';
export const AGE_SORT = 'age';

/** `order` is kept by whoever shows the list. */
export function shownRows(list: RowList, { search, isTrouble: only, sort }: Narrowing, order = new RowOrder()) {
  const rows = order.rows(list.rows, wantedOrder(list.columns, sort));
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0 && !only) return rows;
  return rows.filter((row) => isFound(row, words) && (!only || isTrouble(list.columns, row)));
}

/** What is looked for is typed letter by letter, in rows that are the same each time. */
const texts = new WeakMap<ShownRow, string>();

/** In its name, its namespace, its labels or what is printed of it. */
function isFound(row: ShownRow, words: readonly string[]): boolean {
  if (words.length === 0) return true;
  let text = texts.get(row);
  if (text === undefined) {
    const labels = Object.entries(row.labels).map(([key, value]) => `${key}=${value}`);
    text = `${row.name} ${row.namespace} ${row.cells.join(' ')} ${labels.join(' ')}`.toLowerCase();
    texts.set(row, text);
  }
  return words.every((word) => text.includes(word));
}

function wantedOrder(columns: readonly KubeColumn[], sort: Sort | undefined): WantedOrder {
  const { key, direction } = sort ?? { key: NAME_SORT, direction: 'asc' };
  const at = columns.findIndex(({ name }) => name === key);
  return { key: `${key} ${direction} ${at}`, value: valueFor(key, at), isDescending: direction === 'desc' };
}

function valueFor(key: string, at: number): RowValue {
  if (key === NAMESPACE_SORT) return ({ namespace }) => namespace;
  // The oldest is the greatest age.
  if (key === AGE_SORT) return ({ created }) => -Date.parse(created) || 0;
  if (key === NAME_SORT || at === -1) return ({ name }) => name;
  return ({ cells }) => {
    const cell = cells[at];
    if (typeof cell === 'number') return cell;
    const text = String(cell ?? '');
    // `8 (2m ago)`, `5/6`: by the number it begins with.
    const [number] = /^\d+/.exec(text) ?? [];
    return number === undefined ? text : Number(number);
  };
}

/** What a pod, or a job, is part of, as far as its own row tells. */
export function ownerKey({ namespace, owner, labels }: ShownRow): string | undefined {
  const [kind = '', name = ''] = owner.split('/', 2);
  if (name === '') return undefined;
  // A deployment has its pods by a set that is called after it and after its template.
  if (kind === 'ReplicaSet') {
    const hash = labels['pod-template-hash'];
    const end = hash && name.endsWith(`-${hash}`) ? hash.length + 1 : name.length - name.lastIndexOf('-');
    return `${namespace} Deployment/${name.slice(0, -end)}`;
  }
  return `${namespace} ${kind}/${name}`;
}

export function ownKey({ namespace, kind, name }: ShownRow): string {
  return `${namespace} ${kind.kind}/${name}`;
}

/** By what they are part of, in no order: most are only counted. */
export function byOwner(rows: Iterable<ShownRow>): Map<string, ShownRow[]> {
  const owned = new Map<string, ShownRow[]>();
  for (const row of rows) {
    const key = ownerKey(row);
    if (key === undefined) continue;
    const others = owned.get(key);
    if (others) others.push(row);
    else owned.set(key, [row]);
  }
  return owned;
}

export function byName(rows: readonly ShownRow[]): ShownRow[] {
  return rows.toSorted((a, b) => compare(a.name, b.name));
}
