/** Keeps the rows in sight where they are while others come and go above them. */

import { type RefObject, useLayoutEffect, useRef } from 'react';

interface FocusedRow {
  box: RefObject<HTMLElement | null>;
  rowHeight: number;
  /** Another one means other rows altogether: those begin at the top. */
  list: string;
  /** The rows in sight by key, in order. */
  inSight: () => { key: string; index: number }[];
  /** Where a row is now. */
  indexOf: (key: string) => number | undefined;
  /** Changes when rows may have moved. */
  version: unknown;
  /** By how many places the rows in sight have moved. */
  onMoved: (places: number) => void;
}

export function useHeldPlace({ box, rowHeight, list, inSight, indexOf, version, onMoved }: FocusedRow): void {
  const before = useRef({ list, version, rows: inSight() });

  useLayoutEffect(() => {
    const { current: last } = before;
    const host = box.current;
    before.current = { list, version, rows: inSight() };
    if (!host || last.version === version) return;
    if (last.list !== list) {
      host.scrollTop = 0;
      return;
    }
    // At the very top nobody has a place to lose, and what is new should be seen.
    if (host.scrollTop < rowHeight) return;
    for (const { key, index } of last.rows) {
      const now = indexOf(key);
      if (now === undefined) continue;
      if (now !== index) {
        host.scrollTop += (now - index) * rowHeight;
        onMoved(now - index);
      }
      return;
    }
  });
}
