/** On or off, at once and without a Save button. */

import type { ComponentProps, ReactNode } from 'react';
import styles from './switch.module.css';

export interface SwitchProps extends Omit<ComponentProps<'input'>, 'type' | 'role' | 'onChange'> {
  label: ReactNode;
  onCheckedChange: (checked: boolean) => void;
}

export function Switch({ label, onCheckedChange, className, ...rest }: SwitchProps) {
  return (
    <label className={className ?? styles.switch} data-disabled={rest.disabled || undefined}>
      <input
        {...rest}
        type="checkbox"
        role="switch"
        aria-checked={rest.checked}
        className={styles.input}
        onChange={(event) => onCheckedChange(event.target.checked)}
      />
      {label}
    </label>
  );
}
