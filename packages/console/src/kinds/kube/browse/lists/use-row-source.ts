/** Rows that are all here, as tables take them. */
import type { RowSource } from '@gatehouse/design/virtual-table';
import { useMemo } from 'react';

export function useRowSource<T extends { uid: string }>(rows: readonly T[], list: string): RowSource<T> {
  return useMemo(() => {
    let places: Map<string, number> | undefined;
    return {
      list,
      count: rows.length,
      rowAt: (index) => rows[index],
      indexOf(key) {
        places ??= new Map(rows.map(({ uid }, at) => [uid, at]));
        return places.get(key);
      },
    };
  }, [rows, list]);
}
