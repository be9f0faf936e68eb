/** Which rows and columns of a grid are in sight, from where its box is scrolled to. */
import { scrolledTo, useScrolledBox } from '@gatehouse/design/use-scrolled-box';
import { type RefObject, useCallback, useState } from 'react';
import { type Columns, columnsBetween } from './column-widths.ts';

export const ROW_PX = 28;
export const HEAD_PX = 40;
/** Where nothing is laid out, as in tests. */
const BOX_PX = { width: 1_000, height: 600 };
/** Beyond what is in sight, so that a quick hand does not see them being made. */
const MORE_ROWS = 8;
/** The window moves in steps, so that most turns of the wheel change nothing. */
const STEP = 4;

export interface GridWindow {
  firstRow: number;
  lastRow: number;
  firstColumn: number;
  lastColumn: number;
}

export function useGridWindow(box: RefObject<HTMLElement | null>, count: number, columns: Columns) {
  const [at, setAt] = useState({ top: 0, left: 0, ...BOX_PX });

  const look = useCallback(() => {
    const host = box.current;
    if (!host) return;
    const next = {
      top: Math.floor(host.scrollTop / (ROW_PX * STEP)) * ROW_PX * STEP,
      left: Math.floor(host.scrollLeft / 40) * 40,
      width: host.clientWidth || BOX_PX.width,
      height: host.clientHeight || BOX_PX.height,
    };
    setAt((before) =>
      before.top === next.top &&
      before.left === next.left &&
      before.width === next.width &&
      before.height === next.height
        ? before
        : next,
    );
  }, [box]);

  useScrolledBox(box, look);

  /** Scrolls no further than it must. */
  const reveal = useCallback(
    (row: number, column: number) => {
      const host = box.current;
      if (!host) return;
      const height = host.clientHeight || BOX_PX.height;
      const width = host.clientWidth || BOX_PX.width;
      const top = row * ROW_PX;
      host.scrollTop = scrolledTo(host.scrollTop, height, { start: top, end: top + ROW_PX + HEAD_PX });
      const [before = 0] = columns.edges;
      const left = (columns.edges[column] ?? 0) - before;
      host.scrollLeft = scrolledTo(host.scrollLeft, width, { start: left, end: columns.edges[column + 1] ?? 0 });
      look();
    },
    [box, columns, look],
  );

  const firstRow = Math.max(0, Math.min(Math.floor(at.top / ROW_PX), count) - MORE_ROWS);
  const lastRow = Math.min(count, Math.ceil((at.top + at.height) / ROW_PX) + STEP + MORE_ROWS);
  const { first, last } = columnsBetween(columns, at.left, at.left + at.width + 40);
  const shown: GridWindow = { firstRow, lastRow, firstColumn: first, lastColumn: last };
  /** How many rows fit. */
  const fit = Math.max(1, Math.floor((at.height - HEAD_PX) / ROW_PX) - 1);
  return { shown, fit, reveal };
}
