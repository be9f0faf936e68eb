/** How high a row is where it is a card: all of one list are alike, so that none of them can be measured by what it holds. */
import type { CardSlot, Column } from './table-head.tsx';

const PADDING_PX = 12;
const LINE_PX = 28;
/** No card is lower than this: of three lines. */
const MIN_LINES = 3;
/** What is pressed stands beside the first two lines. */
const ACTION_LINES = 2;

/** In pixels, with room for every line that its columns can have. */
export function cardHeight<T>(columns: readonly Column<T>[]): number {
  const count = (...slots: readonly CardSlot[]) =>
    columns.filter(({ card }, index) => slots.includes(card ?? (index === 0 ? 'title' : 'line'))).length;
  const left = count('title', 'subtitle', 'start');
  const right = (count('action') > 0 ? ACTION_LINES : 0) + count('end');
  const lines = Math.max(left, right) + count('wide', 'line');
  return PADDING_PX + LINE_PX * Math.max(lines, MIN_LINES);
}
