/** Several short words in one field, each a chip: Enter or a comma adds, Backspace takes the last one back. */

import { type ComponentProps, type KeyboardEvent, type ReactNode, useState } from 'react';
import { classNames } from './class-names.ts';
import field from './field.module.css';
import { Field, type FieldLook } from './field.tsx';
import { LabelChip } from './label-chip.tsx';
import styles from './token-input.module.css';

export interface TokenInputProps extends FieldLook, Pick<ComponentProps<'input'>, 'id' | 'disabled' | 'placeholder'> {
  value: readonly string[];
  onValueChange: (value: string[]) => void;
  /** Where a word may hold spaces, only a comma or a line's end parts one from the next. */
  spaced?: boolean;
  /** What to show in place of a value that nobody should have to read as it is written. */
  shownAs?: (token: string) => string | undefined;
  /** Under the field, such as a button that adds what is often meant. */
  after?: ReactNode;
  className?: string;
}

export function TokenInput({
  label,
  labelHidden,
  hint,
  error,
  optional,
  id,
  className,
  value,
  onValueChange,
  disabled,
  placeholder,
  spaced = false,
  shownAs,
  after,
}: TokenInputProps) {
  const [draft, setDraft] = useState('');
  const add = (text: string) => {
    const tokens = text
      .split(spaced ? /[,\n\r]+/ : /[,\s]+/)
      .map((token) => token.trim())
      .filter((token) => token !== '' && !value.includes(token));
    if (tokens.length > 0) onValueChange([...value, ...new Set(tokens)]);
    setDraft('');
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'Backspace' && draft === '' && value.length > 0) onValueChange(value.slice(0, -1));
    // An empty Enter is left alone: it sends the form.
    if ((event.key === 'Enter' || event.key === ',') && draft.trim() !== '') {
      event.preventDefault();
      add(draft);
    }
  };
  return (
    <Field {...{ label, labelHidden, hint, error, optional, id, className }}>
      {(wiring) => (
        <>
          <span
            className={classNames(field.control, styles.tokens)}
            data-invalid={wiring['aria-invalid']}
            data-disabled={disabled || undefined}
          >
            {value.map((token) => (
              <LabelChip
                key={token}
                value={shownAs?.(token) ?? token}
                written={token}
                disabled={disabled}
                onRemove={() => onValueChange(value.filter((other) => other !== token))}
              />
            ))}
            <input
              {...wiring}
              className={classNames(field.input, styles.input)}
              value={draft}
              disabled={disabled}
              placeholder={placeholder}
              autoComplete="off"
              spellCheck={false}
              // Keyboards on a screen do not always tell which key it was: the comma is seen here at the latest.
              onChange={({ target }) => (target.value.includes(',') ? add(target.value) : setDraft(target.value))}
              onKeyDown={onKeyDown}
              onPaste={(event) => {
                const text = event.clipboardData.getData('text');
                if (!(spaced ? /[,\n\r]/ : /[,\s]/).test(text.trim())) return;
                event.preventDefault();
                add(text);
              }}
              onBlur={() => draft.trim() !== '' && add(draft)}
            />
          </span>
          {after}
        </>
      )}
    </Field>
  );
}
