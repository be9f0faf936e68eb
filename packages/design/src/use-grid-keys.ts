/** Moves through rows that need not be on the page: arrows, pages, Home and End on a row, j and k from anywhere. One stop for Tab. */

import { type FocusEvent, type KeyboardEvent, type RefObject, useLayoutEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { useKey } from './use-key.ts';
import type { RowWindow } from './use-row-window.ts';

const CONTROLS = 'a[href], button:not(:disabled), input, select, textarea';

interface GridKeysOptions {
  body: RefObject<HTMLElement | null>;
  /** Places before and after the rows, from which Tab goes on. */
  edges: { before: RefObject<HTMLElement | null>; after: RefObject<HTMLElement | null> };
  window: RowWindow;
  count: number;
  enabled: boolean;
  onOpen: (index: number) => void;
}

export interface GridKeys {
  /** The row that has the focus or had it last; always kept on the page. */
  active: number | undefined;
  setActive: (index: number | undefined) => void;
  onKeyDown: (event: KeyboardEvent<HTMLElement>) => void;
  onFocus: (event: FocusEvent<HTMLElement>) => void;
  onBlur: (event: FocusEvent<HTMLElement>) => void;
}

export function useGridKeys({ body, edges, window, count, enabled, onOpen }: GridKeysOptions): GridKeys {
  const [active, setActive] = useState<number>();
  const hasFocus = useRef(false);
  /** The row whose action was pressed by Enter: what opened gives the focus back to the action, but it came from the row. */
  const entered = useRef<HTMLElement>(undefined);
  const rowAt = (index: number | undefined) =>
    body.current?.querySelector<HTMLElement>(`[data-index="${index}"]`) ?? undefined;

  const goTo = (wanted: number) => {
    if (count === 0) return;
    const index = Math.max(0, Math.min(wanted, count - 1));
    window.reveal(index);
    // The row may not be on the page yet, and only what is on the page can take the focus.
    flushSync(() => setActive(index));
    rowAt(index)?.focus({ preventScroll: true });
  };
  useKey(['j', 'k'], (key) => goTo(next(active, window, key === 'j' ? 1 : -1)), enabled);

  // A row that is drawn anew, because it was waiting or has moved, must not drop the focus on the floor.
  useLayoutEffect(() => {
    if (hasFocus.current && document.activeElement === document.body) rowAt(active)?.focus({ preventScroll: true });
  });

  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const target = event.target instanceof HTMLElement ? event.target : undefined;
    // What opens over a row belongs to it for React, but not on the page.
    if (!target || !body.current?.contains(target) || event.ctrlKey || event.metaKey || event.altKey) return;
    const row = target.closest<HTMLElement>('[data-index]');
    if (!row) return;
    const index = Number(row.dataset.index);
    if (event.key === 'Tab') return leave(event.shiftKey, target, row);
    if (event.shiftKey) return;
    const to = destination(event.key, index, window.fit, count);
    if (to !== undefined) goTo(to);
    else if (target !== row) return;
    else if (event.key === 'Enter') {
      press(row, '[data-row-action]');
    } else if (event.key === 'l' && row.querySelector('[data-row-choice]')) press(row, '[data-row-choice]');
    else if (event.key === ' ') onOpen(index);
    else return;
    event.preventDefault();
  };

  const press = (row: HTMLElement, action: string) => {
    const pressed = row.querySelector<HTMLElement>(action);
    // A link leads away: nothing opens here that would give the focus back.
    entered.current = pressed?.matches('a') ? undefined : row;
    pressed?.click();
  };

  /** The browser's own Tab goes on from where the focus is put, past all the other rows. */
  const leave = (backwards: boolean, from: HTMLElement, row: HTMLElement) => {
    const controls = Array.from(row.querySelectorAll<HTMLElement>(CONTROLS)).filter(({ tabIndex }) => tabIndex >= 0);
    if (backwards && from === row) edges.before.current?.focus({ preventScroll: true });
    if (!backwards && from === (controls.at(-1) ?? row)) edges.after.current?.focus({ preventScroll: true });
  };

  const onFocus = (event: FocusEvent<HTMLElement>) => {
    const row = event.target.closest<HTMLElement>('[data-index]');
    if (!row || !body.current?.contains(row)) return;
    const isBack = entered.current === row && event.target.matches('[data-row-action], [data-row-choice]');
    entered.current = undefined;
    if (isBack) return row.focus({ preventScroll: true });
    const cameByTab = !hasFocus.current && event.target !== row && isFocusVisible(event.target);
    hasFocus.current = true;
    const kept = rowAt(active);
    if (cameByTab && kept && kept !== row) kept.focus();
    else setActive(Number(row.dataset.index));
  };
  const onBlur = ({ relatedTarget, target }: FocusEvent<HTMLElement>) => {
    if (relatedTarget instanceof Node ? !body.current?.contains(relatedTarget) : target.isConnected) {
      hasFocus.current = false;
    }
  };
  return { active, setActive, onKeyDown, onFocus, onBlur };
}

function next(active: number | undefined, { first }: RowWindow, by: 1 | -1): number {
  return active === undefined ? first : active + by;
}

function destination(key: string, at: number, page: number, count: number): number | undefined {
  return {
    ArrowDown: at + 1,
    ArrowUp: at - 1,
    PageDown: at + page,
    PageUp: at - page,
    Home: 0,
    End: count - 1,
  }[key];
}

function isFocusVisible(element: Element): boolean {
  return element.matches(':focus-visible');
}
