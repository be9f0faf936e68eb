/** One line of text: plain, password with reveal, or search with its key. */

import Eye from 'lucide-react/icons/eye';
import EyeOff from 'lucide-react/icons/eye-off';
import Search from 'lucide-react/icons/search';
import X from 'lucide-react/icons/x';
import { type ChangeEvent, type ComponentProps, type ReactNode, useRef, useState } from 'react';
import { classNames } from './class-names.ts';
import field from './field.module.css';
import { AS_TYPED, Field, type FieldLook } from './field.tsx';
import { Icon, type IconComponent } from './icon.tsx';
import { IconButton } from './icon-button.tsx';
import { KeyCap } from './key-cap.tsx';
import { SpinnerRing } from './spinner.tsx';
import styles from './text-field.module.css';
import { useKey } from './use-key.ts';
import { useWords } from './words.tsx';

type TextType = 'text' | 'password' | 'search' | 'email' | 'url' | 'tel' | 'number' | 'datetime-local';

export interface TextFieldProps extends FieldLook, Omit<ComponentProps<'input'>, 'size' | 'type'> {
  type?: TextType;
  /** 32 or 40 px. */
  size?: 'medium' | 'large';
  icon?: IconComponent;
  /** For ids, addresses and codes: nothing is offered for them, and nothing corrected. */
  mono?: boolean;
  /** A key that brings the focus here from anywhere on the page; shown in the field. */
  focusKey?: string;
  /** Shows a spinner at the end of the field. */
  busy?: boolean;
  onValueChange?: (value: string) => void;
  /** Shows a button that empties the field; works with a controlled value. */
  onClear?: () => void;
  /** Something at the end of the field, such as a unit. */
  end?: ReactNode;
}

export function TextField({
  label,
  labelHidden,
  hint,
  error,
  optional,
  type = 'text',
  size = 'medium',
  icon,
  mono = false,
  focusKey,
  busy = false,
  onValueChange,
  onClear,
  end,
  id,
  className,
  disabled,
  onChange,
  ...rest
}: TextFieldProps) {
  const words = useWords();
  const control = useRef<HTMLSpanElement>(null);
  const [revealed, setRevealed] = useState(false);
  const focusInput = () => control.current?.querySelector('input')?.focus();
  useKey(focusKey === undefined ? [] : [focusKey], focusInput, focusKey !== undefined && !disabled);

  const shownIcon = icon ?? (type === 'search' ? Search : undefined);
  const clearable = onClear !== undefined && rest.value !== undefined && rest.value !== '';
  const change = (event: ChangeEvent<HTMLInputElement>) => {
    onChange?.(event);
    onValueChange?.(event.target.value);
  };
  return (
    <Field {...{ label, labelHidden, hint, error, optional, id, className }}>
      {(wiring) => (
        <span
          ref={control}
          className={classNames(
            field.control,
            size === 'large' && field.large,
            type === 'search' && labelHidden && field.quiet,
          )}
          data-invalid={wiring['aria-invalid']}
          data-disabled={disabled || undefined}
        >
          {shownIcon && <Icon of={shownIcon} />}
          <input
            {...(mono && AS_TYPED)}
            {...rest}
            {...wiring}
            type={type === 'password' && revealed ? 'text' : type}
            disabled={disabled}
            className={classNames(field.input, mono && styles.mono)}
            onChange={change}
          />
          {(busy || clearable || focusKey || type === 'password' || end) && (
            <span className={styles.end}>
              {busy && (
                <span className={styles.cap}>
                  <SpinnerRing size="small" />
                </span>
              )}
              {end}
              {clearable && (
                <IconButton
                  icon={X}
                  size="small"
                  label={words.clear}
                  onClick={() => {
                    onClear();
                    focusInput();
                  }}
                />
              )}
              {focusKey && !clearable && (
                <span className={styles.cap} aria-hidden="true">
                  <KeyCap>{focusKey}</KeyCap>
                </span>
              )}
              {type === 'password' && (
                <IconButton
                  icon={revealed ? EyeOff : Eye}
                  size="small"
                  label={revealed ? words.hidePassword : words.showPassword}
                  disabled={disabled}
                  onClick={() => setRevealed(!revealed)}
                />
              )}
            </span>
          )}
        </span>
      )}
    </Field>
  );
}
