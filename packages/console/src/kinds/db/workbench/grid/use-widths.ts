/** Columns as wide as somebody made them: by dragging the edge of a title, by a double click on it, by + and -. */
import { type PointerEvent, useState } from 'react';
import { clampWidth } from './column-widths.ts';

/** What a press of a key adds or takes. */
const STEP_PX = 32;

export type Widths = Readonly<Record<number, number>>;

const NONE: Widths = {};

/** For the columns of one result; those of another begin anew. */
export function useWidths(names: readonly string[]) {
  const [made, setMade] = useState({ names, widths: NONE });
  const widths = made.names === names ? made.widths : NONE;
  const set = (column: number, width: number) =>
    setMade((before) => ({
      names,
      widths: { ...(before.names === names ? before.widths : NONE), [column]: clampWidth(width) },
    }));
  return {
    widths,
    set,
    step: (column: number, width: number, direction: number) => set(column, width + direction * STEP_PX),
    drag(event: PointerEvent<HTMLElement>, column: number, width: number) {
      const handle = event.currentTarget;
      const from = event.clientX;
      event.preventDefault();
      handle.setPointerCapture(event.pointerId);
      const move = ({ clientX }: { clientX: number }) => set(column, width + clientX - from);
      const end = () => {
        handle.removeEventListener('pointermove', move);
        handle.removeEventListener('pointerup', end);
        handle.removeEventListener('pointercancel', end);
      };
      handle.addEventListener('pointermove', move);
      handle.addEventListener('pointerup', end);
      handle.addEventListener('pointercancel', end);
    },
  };
}
