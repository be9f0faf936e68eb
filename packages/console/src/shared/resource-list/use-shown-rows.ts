/** Rows that fit a search, in order, a screenful at a time; for lists that arrive whole. */
import type { Sort } from '@gatehouse/design/table-head';
import { useDeferredValue, useMemo, useState } from 'react';

const PAGE_ROWS = 200;

export interface RowRules<Row> {
  /** Everything about a row that a search may meet. */
  texts: (row: Row) => readonly string[];
  /** What each sort key compares. Rows without a value come last, whichever the direction. */
  sortValues: Record<string, (row: Row) => string | number | undefined>;
}

export function useShownRows<Row>(rows: readonly Row[], search: string, sort: Sort, rules: RowRules<Row>) {
  const wanted = useDeferredValue(search);
  const [limit, setLimit] = useState(PAGE_ROWS);
  const found = useMemo(() => sortRows(searchRows(rows, wanted, rules), sort, rules), [rows, wanted, sort, rules]);
  return {
    shown: found.slice(0, limit),
    found: found.length,
    showMore: found.length > limit ? () => setLimit(limit + PAGE_ROWS) : undefined,
  };
}

/** Every word must be met somewhere; upper and lower case are the same. */
export function searchRows<Row>(rows: readonly Row[], search: string, { texts }: Pick<RowRules<Row>, 'texts'>): Row[] {
  const words = search.toLocaleLowerCase().split(/\s+/).filter(Boolean);
  return rows.filter((row) => {
    const all = texts(row).join('\n').toLocaleLowerCase();
    return words.every((word) => all.includes(word));
  });
}

export function sortRows<Row>(
  rows: readonly Row[],
  { key, direction }: Sort,
  { sortValues }: Pick<RowRules<Row>, 'sortValues'>,
): Row[] {
  const value = sortValues[key];
  if (!value) return [...rows];
  const sign = direction === 'desc' ? -1 : 1;
  return rows.toSorted((a, b) => {
    const [x, y] = [value(a), value(b)];
    if (x === undefined || y === undefined) return Number(x === undefined) - Number(y === undefined);
    return sign * (typeof x === 'number' && typeof y === 'number' ? x - y : compareTexts(String(x), String(y)));
  });
}

function compareTexts(a: string, b: string): number {
  return a.localeCompare(b, undefined, { numeric: true, sensitivity: 'base' });
}
