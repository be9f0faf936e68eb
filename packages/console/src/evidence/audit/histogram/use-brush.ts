/** Choosing a part of a chart: by dragging over its bars, or with the arrows, Shift, Enter and Escape. */
import { type KeyboardEvent, type PointerEvent, useRef, useState } from 'react';
import type { Span } from '../../../shared/time-range/time-span.ts';
import { type Bar, barAt, spanOfBars } from './bars.ts';

interface BrushOptions {
  bars: readonly Bar[];
  /** What is chosen now. */
  selected: { first: number; last: number } | undefined;
  onZoom: (zoom: Span | undefined) => void;
  onPoint: (bar: Bar | undefined) => void;
}

/** From one bar to another, in either order. */
interface Meant {
  from: number;
  to: number;
}

export function useBrush({ bars, selected, onZoom, onPoint }: BrushOptions) {
  const box = useRef<HTMLDivElement>(null);
  const [dragged, setDragged] = useState<Meant>();
  const [held, setHeld] = useState<Meant>();
  const [place, setPlace] = useState<number>();
  const cursor = Math.min(place ?? bars.length - 1, Math.max(0, bars.length - 1));
  const meant = dragged ?? held;

  const pointed = (event: PointerEvent) => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    return barAt((event.clientX - left) / (width || 1), bars.length);
  };
  const choose = ({ from, to }: Meant) => {
    const isAll = Math.abs(to - from) + 1 >= bars.length;
    onZoom(isAll ? undefined : spanOfBars(bars, from, to));
  };
  const point = (index: number) => {
    setPlace(index);
    onPoint(bars[index]);
  };

  const onKeyDown = (event: KeyboardEvent) => {
    const to = destination(event.key, cursor, bars.length);
    if (to !== undefined && bars.length > 0) {
      setHeld(event.shiftKey ? { from: held?.from ?? cursor, to } : undefined);
      point(to);
    } else if (event.key === 'Enter' || event.key === ' ') {
      choose(held ?? { from: cursor, to: cursor });
      setHeld(undefined);
    } else if (event.key === 'Escape' && (meant || selected)) {
      if (!meant) onZoom(undefined);
      setHeld(undefined);
      setDragged(undefined);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };

  return {
    box,
    cursor: Math.max(0, cursor),
    drawn: meant ? { first: Math.min(meant.from, meant.to), last: Math.max(meant.from, meant.to) } : selected,
    handlers: {
      onKeyDown,
      onFocus: () => onPoint(bars[cursor]),
      onBlur: () => {
        setHeld(undefined);
        onPoint(undefined);
      },
      onPointerDown: (event: PointerEvent<HTMLElement>) => {
        if (event.button !== 0 || bars.length === 0) return;
        event.currentTarget.setPointerCapture?.(event.pointerId);
        const index = pointed(event);
        setHeld(undefined);
        setDragged({ from: index, to: index });
        point(index);
      },
      onPointerMove: (event: PointerEvent<HTMLElement>) => {
        if (bars.length === 0) return;
        const index = pointed(event);
        if (dragged) setDragged({ ...dragged, to: index });
        onPoint(bars[index]);
      },
      onPointerUp: () => {
        if (dragged) choose(dragged);
        setDragged(undefined);
      },
      onPointerCancel: () => setDragged(undefined),
      onPointerLeave: () => onPoint(undefined),
    },
  };
}

function destination(key: string, at: number, count: number): number | undefined {
  const to = { ArrowLeft: at - 1, ArrowRight: at + 1, PageUp: at - 10, PageDown: at + 10, Home: 0, End: count - 1 }[
    key
  ];
  return to === undefined ? undefined : Math.max(0, Math.min(count - 1, to));
}
