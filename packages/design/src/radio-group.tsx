/** One of a few, all of them in sight. */

import { type ReactNode, useId } from 'react';
import { classNames } from './class-names.ts';
import styles from './radio-group.module.css';

export interface RadioOption<V extends string> {
  value: V;
  label: ReactNode;
  hint?: ReactNode;
  disabled?: boolean;
}

export interface RadioGroupProps<V extends string> {
  label: ReactNode;
  options: readonly RadioOption<V>[];
  value: V | undefined;
  onValueChange: (value: V) => void;
  direction?: 'column' | 'row';
  disabled?: boolean;
}

export function RadioGroup<V extends string>({
  label,
  options,
  value,
  onValueChange,
  direction = 'column',
  disabled = false,
}: RadioGroupProps<V>) {
  const name = useId();
  return (
    <fieldset disabled={disabled}>
      <legend className={styles.legend}>{label}</legend>
      <div className={classNames(styles.group, direction === 'row' && styles.row)}>
        {options.map((option) => (
          <label key={option.value} className={styles.option} data-disabled={disabled || option.disabled || undefined}>
            <input
              type="radio"
              name={name}
              className={styles.input}
              checked={option.value === value}
              disabled={option.disabled}
              onChange={() => onValueChange(option.value)}
            />
            <span>
              {option.label}
              {option.hint && <span className={styles.hint}>{option.hint}</span>}
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
