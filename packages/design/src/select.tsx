/** One of several. The browser's own select, drawn like our menus where it lets us: no script, forms and phones included. */

import ChevronDown from 'lucide-react/icons/chevron-down';
import type { ComponentProps } from 'react';
import { classNames } from './class-names.ts';
import field from './field.module.css';
import { Field, type FieldLook } from './field.tsx';
import { Icon } from './icon.tsx';
import styles from './select.module.css';

export interface SelectOption<V extends string> {
  value: V;
  label: string;
  disabled?: boolean;
}

export interface SelectProps<V extends string>
  extends FieldLook,
    Omit<ComponentProps<'select'>, 'size' | 'value' | 'defaultValue' | 'children'> {
  options: readonly SelectOption<V>[];
  value?: V | '';
  defaultValue?: V | '';
  onValueChange?: (value: V) => void;
  /** Shown while nothing is chosen. */
  placeholder?: string;
  size?: 'medium' | 'large';
}

export function Select<V extends string>({
  label,
  labelHidden,
  hint,
  error,
  optional,
  id,
  className,
  options,
  onValueChange,
  placeholder,
  size = 'medium',
  disabled,
  ...rest
}: SelectProps<V>) {
  return (
    <Field {...{ label, labelHidden, hint, error, optional, id, className }}>
      {(wiring) => (
        <span
          className={classNames(field.control, styles.box, size === 'large' && field.large)}
          data-invalid={wiring['aria-invalid']}
          data-disabled={disabled || undefined}
        >
          <select
            {...rest}
            {...wiring}
            disabled={disabled}
            className={styles.select}
            onChange={(event) => {
              const chosen = options.find((option) => option.value === event.target.value);
              if (chosen) onValueChange?.(chosen.value);
            }}
          >
            {placeholder !== undefined && (
              <option value="" disabled hidden>
                {placeholder}
              </option>
            )}
            {options.map((option) => (
              <option key={option.value} value={option.value} disabled={option.disabled}>
                {option.label}
              </option>
            ))}
          </select>
          <Icon of={ChevronDown} size={14} />
        </span>
      )}
    </Field>
  );
}
