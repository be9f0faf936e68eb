/** A short word beside what is pointed at or focused. Stands in the browser's top layer, so nothing clips it. */

import { type ReactNode, useEffect, useId, useLayoutEffect, useRef, useState } from 'react';
import styles from './tooltip.module.css';

const POINT_MS = 400;
/** Long enough to cross the gap from the thing to its tip. */
const LEAVE_MS = 120;
const GAP_PX = 6;
const EDGE_PX = 8;

/** The focus moves because somebody walks through the page with the keyboard, and not because something gave it back. */
let walksByKey = false;
globalThis.document?.addEventListener(
  'keydown',
  ({ key }) => {
    walksByKey = key === 'Tab' || key.startsWith('Arrow') || key === 'Home' || key === 'End';
  },
  { capture: true },
);
globalThis.document?.addEventListener(
  'pointerdown',
  () => {
    walksByKey = false;
  },
  { capture: true },
);

interface TooltipProps {
  /** Nothing is shown when undefined. */
  content: ReactNode;
  side?: 'top' | 'bottom';
  /** 'label' when the tip only repeats the accessible name and need not be read again. */
  says?: 'description' | 'label';
  children: ReactNode;
}

function place(tip: HTMLElement, thing: DOMRect, side: 'top' | 'bottom'): void {
  const { width, height } = tip.getBoundingClientRect();
  const above = thing.top - GAP_PX - height;
  const below = thing.bottom + GAP_PX;
  const fitsBelow = below + height + EDGE_PX <= window.innerHeight;
  const wantsAbove = side === 'top' ? above >= EDGE_PX : !fitsBelow;
  const left = thing.left + thing.width / 2 - width / 2;
  tip.style.top = `${Math.round(wantsAbove ? above : below)}px`;
  tip.style.left = `${Math.round(Math.max(EDGE_PX, Math.min(left, window.innerWidth - width - EDGE_PX)))}px`;
}

export function Tooltip({ content, side = 'top', says = 'description', children }: TooltipProps) {
  const anchor = useRef<HTMLSpanElement>(null);
  const tip = useRef<HTMLSpanElement>(null);
  const [open, setOpen] = useState(false);
  const id = useId();
  const shown = open && content !== undefined && content !== '';

  useEffect(() => {
    const host = anchor.current;
    if (!host) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const later = (next: boolean, ms: number) => {
      clearTimeout(timer);
      timer = setTimeout(() => setOpen(next), ms);
    };
    const hide = () => later(false, 0);
    const onEnter = (event: PointerEvent) => event.pointerType !== 'touch' && later(true, POINT_MS);
    const onLeave = () => later(false, LEAVE_MS);
    const onFocus = (event: FocusEvent) => {
      // A button that gets the focus back after a menu or a dialog was pointed at before: its tip would stay, and cover things.
      const isVisible = event.target instanceof Element && event.target.matches(':focus-visible');
      if (isVisible && walksByKey) later(true, 0);
    };
    const onKey = (event: KeyboardEvent) => event.key === 'Escape' && hide();
    host.addEventListener('pointerenter', onEnter);
    host.addEventListener('pointerleave', onLeave);
    host.addEventListener('pointerdown', hide);
    host.addEventListener('click', hide);
    host.addEventListener('focusin', onFocus);
    host.addEventListener('focusout', hide);
    document.addEventListener('keydown', onKey);
    return () => {
      clearTimeout(timer);
      host.removeEventListener('pointerenter', onEnter);
      host.removeEventListener('pointerleave', onLeave);
      host.removeEventListener('pointerdown', hide);
      host.removeEventListener('click', hide);
      host.removeEventListener('focusin', onFocus);
      host.removeEventListener('focusout', hide);
      document.removeEventListener('keydown', onKey);
    };
  }, []);

  useLayoutEffect(() => {
    const thing = anchor.current?.firstElementChild;
    if (!shown || !tip.current || !thing) return;
    tip.current.showPopover?.();
    place(tip.current, thing.getBoundingClientRect(), side);
    if (says === 'label') return;
    const before = thing.getAttribute('aria-describedby');
    thing.setAttribute('aria-describedby', before ? `${before} ${id}` : id);
    return () => {
      if (before) thing.setAttribute('aria-describedby', before);
      else thing.removeAttribute('aria-describedby');
    };
  }, [shown, side, says, id]);

  return (
    <span ref={anchor} className={styles.anchor}>
      {children}
      {shown && (
        <span ref={tip} id={id} role="tooltip" popover="manual" aria-hidden={says === 'label'} className={styles.tip}>
          {content}
        </span>
      )}
    </span>
  );
}
