/** Which rows of a long list are in sight, from where its box is scrolled to. All rows are of the same height. */

import { type RefObject, useCallback, useLayoutEffect, useState } from 'react';
import { scrolledTo, useScrolledBox } from './use-scrolled-box.ts';

/** The rows from `first` up to but not including `last`. */
export interface RowRange {
  first: number;
  last: number;
}

export interface RowWindow extends RowRange {
  rowHeight: number;
  /** How many rows fit the box. */
  fit: number;
  /** Scrolls no further than it must. */
  reveal: (index: number) => void;
}

/** Until the first row is measured, and where nothing is laid out, as in tests. */
const ROW_PX = 40;
const BOX_PX = 800;
/** The window moves in steps, so that most turns of the wheel change nothing. */
const STEP = 5;

export function useRowWindow(
  box: RefObject<HTMLElement | null>,
  body: RefObject<HTMLElement | null>,
  count: number,
): RowWindow {
  const [rowHeight, setRowHeight] = useState(ROW_PX);
  const [range, setRange] = useState<RowRange>({ first: 0, last: Math.ceil(BOX_PX / ROW_PX) });

  const look = useCallback(() => {
    const host = box.current;
    if (!host) return;
    const next = rangeInSight(host, rowHeight);
    setRange((before) => (before.first === next.first && before.last === next.last ? before : next));
  }, [box, rowHeight]);

  // Rows are higher where they are cards, and the same row may become one when the window is made narrower.
  useLayoutEffect(() => {
    const measured = body.current?.querySelector('[data-index]')?.getBoundingClientRect().height;
    if (measured && measured !== rowHeight) setRowHeight(measured);
  });

  useScrolledBox(box, look);

  const reveal = useCallback(
    (index: number) => {
      const host = box.current;
      if (!host) return;
      const start = index * rowHeight;
      const end = start + rowHeight + headHeight(host);
      host.scrollTop = scrolledTo(host.scrollTop, boxHeight(host), { start, end });
      look();
    },
    [box, rowHeight, look],
  );

  const first = Math.min(range.first, Math.max(0, count - (range.last - range.first)));
  const fit = Math.max(1, Math.floor((box.current ? boxHeight(box.current) : BOX_PX) / rowHeight) - 1);
  return { first, last: Math.min(range.last, count), rowHeight, fit, reveal };
}

function rangeInSight(host: HTMLElement, rowHeight: number): RowRange {
  const first = Math.floor(host.scrollTop / rowHeight);
  const last = Math.ceil((host.scrollTop + boxHeight(host)) / rowHeight);
  return { first: Math.floor(first / STEP) * STEP, last: Math.ceil(last / STEP) * STEP };
}

function boxHeight(host: HTMLElement): number {
  return host.clientHeight || BOX_PX;
}

/** What stays over the rows while they scroll below it. */
function headHeight(host: HTMLElement): number {
  return host.querySelector('thead')?.getBoundingClientRect().height ?? 0;
}
