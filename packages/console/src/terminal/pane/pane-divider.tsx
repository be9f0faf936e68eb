/** The edge between two panes: dragged with the pointer, moved with the arrow keys, evened out with a double click. */
import type { KeyboardEvent, PointerEvent } from 'react';
import { useWords } from '../../words/words.ts';
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
  const t = useWords();
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'ArrowLeft' || event.key === 'ArrowUp') onMove(-KEY_STEP);
    else if (event.key === 'ArrowRight' || event.key === 'ArrowDown') onMove(KEY_STEP);
    else if (event.key === 'Enter') onEven();
    else return;
    event.preventDefault();
  };
  const onPointerMove = (event: PointerEvent<HTMLElement>) => {
    if (!event.currentTarget.hasPointerCapture(event.pointerId)) return;
    const edge = event.currentTarget.getBoundingClientRect();
    const whole = event.currentTarget.parentElement?.getBoundingClientRect();
    if (!whole) return;
    // On a phone panes lie below each other, however they were split.
    const isUpright = edge.height > edge.width;
    onMove(isUpright ? (event.clientX - edge.left) / whole.width : (event.clientY - edge.top) / whole.height);
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
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        event.preventDefault();
        event.currentTarget.focus();
      }}
      onPointerMove={onPointerMove}
    />
  );
}
