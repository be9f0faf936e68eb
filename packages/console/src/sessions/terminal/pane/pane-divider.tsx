/** The edge between two panes: dragged with the pointer, moved with the arrow keys, evened out with a double click. */
import type { KeyboardEvent, PointerEvent } from 'react';
import { useTranslate } from '../../../platform/i18n/words.ts';
import styles from './pane-divider.module.css';

const KEY_STEP = 0.05;

interface PaneDividerProps {
  split: 'row' | 'column';
  /** The share of the pane before it, of both. */
  share: number;
  /** By this part of the whole. */
  onMove: (part: number) => void;
  onEven: () => void;
}

export function PaneDivider({ split, share, onMove, onEven }: PaneDividerProps) {
  const t = useTranslate();
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'ArrowLeft' || event.key === 'ArrowUp') onMove(-KEY_STEP);
    else if (event.key === 'ArrowRight' || event.key === 'ArrowDown') onMove(KEY_STEP);
    else if (event.key === 'Enter') onEven();
    else return;
    event.preventDefault();
  };
  /** Follows the pointer itself: where the edge is drawn is late while two terminals are fitted to their new sizes. */
  const onPointerDown = (event: PointerEvent<HTMLElement>) => {
    const edge = event.currentTarget;
    const whole = edge.parentElement?.getBoundingClientRect();
    event.preventDefault();
    edge.focus();
    if (!whole) return;
    edge.setPointerCapture(event.pointerId);
    // On a phone panes lie below each other, however they were split.
    const isUpright = edge.offsetHeight > edge.offsetWidth;
    const placeOf = (of: { clientX: number; clientY: number }) =>
      isUpright ? of.clientX / whole.width : of.clientY / whole.height;
    let last = placeOf(event);
    const drag = new AbortController();
    const { signal } = drag;
    const follow = (moved: globalThis.PointerEvent) => {
      if (moved.pointerId !== event.pointerId) return;
      onMove(placeOf(moved) - last);
      last = placeOf(moved);
    };
    window.addEventListener('pointermove', follow, { signal });
    for (const end of ['pointerup', 'pointercancel'])
      window.addEventListener(end, () => drag.abort(), { signal, once: true });
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a rule in the text cannot be moved
    <div
      role="separator"
      className={styles.divider}
      aria-orientation={split === 'row' ? 'vertical' : 'horizontal'}
      aria-label={t('terminal.divider')}
      aria-valuenow={Math.round(share * 100)}
      aria-valuemin={10}
      aria-valuemax={90}
      tabIndex={0}
      onKeyDown={onKeyDown}
      onDoubleClick={onEven}
      onPointerDown={onPointerDown}
    />
  );
}
