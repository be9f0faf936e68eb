/** Yes or no, or some of those below. */

import Check from 'lucide-react/icons/check';
import Minus from 'lucide-react/icons/minus';
import { type ComponentProps, type ReactNode, useEffect, useId, useRef } from 'react';
import styles from './checkbox.module.css';
import { Icon } from './icon.tsx';

export interface CheckboxProps extends Omit<ComponentProps<'input'>, 'type' | 'ref'> {
  label: ReactNode;
  hint?: ReactNode;
  /** Some, but not all, of what it stands for. */
  mixed?: boolean;
  onCheckedChange?: (checked: boolean) => void;
}

export function Checkbox({ label, hint, mixed = false, onCheckedChange, onChange, className, ...rest }: CheckboxProps) {
  const input = useRef<HTMLInputElement>(null);
  const hintId = useId();
  useEffect(() => {
    if (input.current) input.current.indeterminate = mixed;
  }, [mixed]);

  return (
    <label className={className ?? styles.check} data-disabled={rest.disabled || undefined}>
      <span className={styles.box}>
        <input
          {...rest}
          ref={input}
          type="checkbox"
          className={styles.input}
          aria-describedby={hint ? hintId : undefined}
          onChange={(event) => {
            onChange?.(event);
            onCheckedChange?.(event.target.checked);
          }}
        />
        <Icon of={mixed ? Minus : Check} size={12} />
      </span>
      <span>
        {label}
        {hint && (
          <span id={hintId} className={styles.hint}>
            {hint}
          </span>
        )}
      </span>
    </label>
  );
}
