/** Rows that are all here, as tables take them. */
import type { RowSource } from '@gatehouse/design/virtual-table';
import { useMemo, useRef } from 'react';

export function useRowSource<T extends { uid: string }>(rows: readonly T[], list: string): RowSource<T> {
  const found = useRef(0);
  return useMemo(
    () => ({
      list,
      count: rows.length,
      rowAt: (index) => rows[index],
      indexOf(key) {
        const at = nearest(rows, key, found.current);
        if (at !== undefined) found.current = at;
        return at;
      },
    }),
    [rows, list],
  );
}

/** Outwards from where the last one was: those that are asked for stand beside each other, and few of them have moved far. */
export function nearest(rows: readonly { uid: string }[], key: string, from: number): number | undefined {
  const start = Math.min(from, rows.length);
  for (let down = start - 1, up = start; down >= 0 || up < rows.length; down -= 1, up += 1) {
    if (rows[up]?.uid === key) return up;
    if (rows[down]?.uid === key) return down;
  }
  return undefined;
}
