/** What every form field has: a label above, a hint or an error below, and the wiring between them. */

import CircleAlert from 'lucide-react/icons/circle-alert';
import { type ReactNode, useId } from 'react';
import styles from './field.module.css';
import { Icon } from './icon.tsx';
import { VisuallyHidden } from './visually-hidden.tsx';
import { useWords } from './words.tsx';

export interface FieldLook {
  label: ReactNode;
  /** The label is read but not seen: only where the place says it, as in a toolbar. */
  labelHidden?: boolean;
  hint?: ReactNode;
  /** A sentence that says what to do. Show it on leaving the field; it takes the hint's place. */
  error?: ReactNode;
  optional?: boolean;
}

/** Attributes for the control itself. */
export interface FieldWiring {
  id: string;
  'aria-invalid': true | undefined;
  'aria-describedby': string | undefined;
}

interface FieldProps extends FieldLook {
  /** The control's id, where the caller needs to know it. */
  id?: string;
  className?: string;
  children: (wiring: FieldWiring) => ReactNode;
}

/** For ids, addresses and codes: no word of them is one that a browser could know better. What a field says for itself goes before. */
export const AS_TYPED = { autoComplete: 'off', autoCapitalize: 'off', spellCheck: false } as const;

export function Field({ label, labelHidden, hint, error, optional, id, className, children }: FieldProps) {
  const words = useWords();
  const ownId = useId();
  const controlId = id ?? ownId;
  const noteId = `${controlId}-note`;
  const failed = Boolean(error);
  const note = error || hint;
  return (
    <div className={className ?? styles.field}>
      {labelHidden ? (
        <label htmlFor={controlId}>
          <VisuallyHidden>{label}</VisuallyHidden>
        </label>
      ) : (
        <label htmlFor={controlId} className={styles.label}>
          {label}
          {optional && ' '}
          {optional && <span className={styles.optional}>{words.optional}</span>}
        </label>
      )}
      {children({
        id: controlId,
        'aria-invalid': failed || undefined,
        'aria-describedby': note ? noteId : undefined,
      })}
      {note && (
        <p id={noteId} className={failed ? styles.error : styles.hint}>
          {failed && <Icon of={CircleAlert} size={14} />}
          <span>{note}</span>
        </p>
      )}
    </div>
  );
}
