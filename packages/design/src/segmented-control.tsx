/** A few ways to see the same thing; one is always on. */

import { useId } from 'react';
import { classNames } from './class-names.ts';
import { Icon, type IconComponent } from './icon.tsx';
import styles from './segmented-control.module.css';
import { VisuallyHidden } from './visually-hidden.tsx';

export interface Segment<V extends string> {
  value: V;
  label: string;
  icon?: IconComponent;
  disabled?: boolean;
}

export interface SegmentedControlProps<V extends string> {
  label: string;
  segments: readonly Segment<V>[];
  value: V;
  onValueChange: (value: V) => void;
  size?: 'small' | 'medium';
}

export function SegmentedControl<V extends string>({
  label,
  segments,
  value,
  onValueChange,
  size = 'medium',
}: SegmentedControlProps<V>) {
  const name = useId();
  return (
    <fieldset className={classNames(styles.segments, size === 'small' && styles.small)}>
      <legend>
        <VisuallyHidden>{label}</VisuallyHidden>
      </legend>
      {segments.map((segment) => (
        <label key={segment.value} className={styles.segment}>
          <input
            type="radio"
            name={name}
            className={styles.input}
            checked={segment.value === value}
            disabled={segment.disabled}
            onChange={() => onValueChange(segment.value)}
          />
          {segment.icon && <Icon of={segment.icon} size={14} />}
          <span className={styles.word} data-word={segment.label}>
            {segment.label}
          </span>
        </label>
      ))}
    </fieldset>
  );
}
