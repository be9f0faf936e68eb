/** Moves through the rows of a table: j and k from anywhere, arrows, Home and End once a row has the focus. */

import { type KeyboardEvent, type RefObject, useRef } from 'react';
import { useKey } from './use-key.ts';

export function useRowKeys(body: RefObject<HTMLElement | null>, enabled: boolean): (event: KeyboardEvent) => void {
  const last = useRef(-1);

  const controls = () => Array.from(body.current?.querySelectorAll<HTMLElement>('[data-row-control]') ?? []);
  const currentIndex = (all: HTMLElement[]) => {
    const row = document.activeElement?.closest('tr');
    const focused = all.findIndex((control) => control.closest('tr') === row);
    return focused === -1 ? last.current : focused;
  };
  const goTo = (all: HTMLElement[], index: number) => {
    last.current = Math.max(0, Math.min(index, all.length - 1));
    all[last.current]?.focus();
    all[last.current]?.closest('tr')?.scrollIntoView({ block: 'nearest' });
  };

  useKey(
    ['j', 'k'],
    (key) => {
      const all = controls();
      goTo(all, currentIndex(all) + (key === 'j' ? 1 : -1));
    },
    enabled,
  );

  return (event) => {
    if (!enabled || !(event.target instanceof Element) || !event.target.matches('[data-row-control]')) return;
    const all = controls();
    const at = currentIndex(all);
    const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    goTo(all, next);
  };
}
