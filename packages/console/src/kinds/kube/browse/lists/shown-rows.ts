/** Which rows are shown in which order: found, in trouble, sorted, and pods under what runs them. */
import type { KubeColumn } from '@gatehouse/contract/kinds/kube/browse';
import type { Sort } from '@gatehouse/design/table-head';
import type { RowList, ShownRow } from '../rows/row-store.ts';
import { isTrouble } from './row-facts.ts';

export interface Narrowing {
  search: string;
  isTrouble: boolean;
  sort: Sort | undefined;
}

export const NAME_SORT = 'name';
export const NAMESPACE_SORT = 'namespace';
export const AGE_SORT = 'age';

export function shownRows(list: RowList, { search, isTrouble: only, sort }: Narrowing): ShownRow[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const found: ShownRow[] = [];
  for (const row of list.rows.values()) {
    if (words.length > 0 && !isFound(row, words)) continue;
    if (only && !isTrouble(list.columns, row)) continue;
    found.push(row);
  }
  return found.sort(orderOf(list.columns, sort));
}

/** In its name, its namespace, its labels or what is printed of it. */
function isFound(row: ShownRow, words: readonly string[]): boolean {
  const text = `${row.name} ${row.namespace} ${row.cells.join(' ')} ${Object.entries(row.labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(' ')}`.toLowerCase();
  return words.every((word) => text.includes(word));
}

type Order = (a: ShownRow, b: ShownRow) => number;

export function orderOf(columns: readonly KubeColumn[], sort: Sort | undefined): Order {
  const { key, direction } = sort ?? { key: NAME_SORT, direction: 'asc' };
  const sign = direction === 'asc' ? 1 : -1;
  const value = valueFor(columns, key);
  return (a, b) => sign * compare(value(a), value(b)) || compare(a.name, b.name) || compare(a.namespace, b.namespace);
}

function valueFor(columns: readonly KubeColumn[], key: string): (row: ShownRow) => string | number {
  if (key === NAMESPACE_SORT) return ({ namespace }) => namespace;
  // The oldest is the greatest age.
  if (key === AGE_SORT) return ({ created }) => -Date.parse(created) || 0;
  const at = columns.findIndex(({ name }) => name === key);
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

/** Plain, and not by the rules of a language: a list of 50,000 is sorted while somebody looks. */
function compare(a: string | number, b: string | number): number {
  if (typeof a === typeof b) return a < b ? -1 : a > b ? 1 : 0;
  return typeof a === 'number' ? -1 : 1;
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

/** By what they are part of, each by name. */
export function byOwner(rows: Iterable<ShownRow>): Map<string, ShownRow[]> {
  const owned = new Map<string, ShownRow[]>();
  for (const row of rows) {
    const key = ownerKey(row);
    if (key === undefined) continue;
    const others = owned.get(key);
    if (others) others.push(row);
    else owned.set(key, [row]);
  }
  for (const each of owned.values()) each.sort((a, b) => compare(a.name, b.name));
  return owned;
}
