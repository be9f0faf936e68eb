/** Several lines of text. */

import type { ChangeEvent, ComponentProps } from 'react';
import { classNames } from './class-names.ts';
import field from './field.module.css';
import { AS_TYPED, Field, type FieldLook } from './field.tsx';
import styles from './text-area.module.css';

export interface TextAreaProps extends FieldLook, ComponentProps<'textarea'> {
  /** For what is no prose: nothing is corrected. */
  mono?: boolean;
  onValueChange?: (value: string) => void;
}

export function TextArea({
  label,
  labelHidden,
  hint,
  error,
  optional,
  id,
  className,
  mono = false,
  rows = 3,
  disabled,
  onChange,
  onValueChange,
  ...rest
}: TextAreaProps) {
  const change = (event: ChangeEvent<HTMLTextAreaElement>) => {
    onChange?.(event);
    onValueChange?.(event.target.value);
  };
  return (
    <Field {...{ label, labelHidden, hint, error, optional, id, className }}>
      {(wiring) => (
        <textarea
          {...(mono && AS_TYPED)}
          {...rest}
          {...wiring}
          rows={rows}
          disabled={disabled}
          data-invalid={wiring['aria-invalid']}
          data-disabled={disabled || undefined}
          className={classNames(field.control, styles.area, mono && styles.mono)}
          onChange={change}
        />
      )}
    </Field>
  );
}
