/** A label as a chip. Clicked it filters; as a filter it can be taken away; in a field it is a token. */

import X from 'lucide-react/icons/x';
import type { ReactNode } from 'react';
import { classNames } from './class-names.ts';
import { Icon } from './icon.tsx';
import styles from './label-chip.module.css';
import { useWords } from './words.tsx';

export interface LabelChipProps {
  name?: string;
  value: string;
  /** The value as it is written, where `value` says it in words; told on hover. */
  written?: string;
  /** Part of the filter now. */
  active?: boolean;
  onClick?: () => void;
  onRemove?: () => void;
  disabled?: boolean;
}

export function LabelChip({ name, value, written, active = false, onClick, onRemove, disabled }: LabelChipProps) {
  const words = useWords();
  const text = name === undefined ? value : `${name}: ${value}`;
  const title = written !== undefined && written !== value ? `${text} ${written}` : text;
  const look = classNames(styles.chip, active && styles.active, onRemove && styles.removable);
  const content: ReactNode = (
    <>
      {name !== undefined && <span className={styles.name}>{name}:</span>}
      <span className={styles.value}>{value}</span>
    </>
  );
  if (onRemove) {
    return (
      <span className={look} title={title}>
        {content}
        <button
          type="button"
          className={styles.remove}
          aria-label={words.remove(text)}
          disabled={disabled}
          onClick={onRemove}
        >
          <Icon of={X} size={12} />
        </button>
      </span>
    );
  }
  if (!onClick) {
    return (
      <span className={look} title={title}>
        {content}
      </span>
    );
  }
  return (
    <button type="button" className={look} title={title} aria-pressed={active} onClick={onClick}>
      {content}
    </button>
  );
}
