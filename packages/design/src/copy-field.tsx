/** A value to take away: shown in mono, copied by one press, which says that it did. */

import Check from 'lucide-react/icons/check';
import Copy from 'lucide-react/icons/copy';
import { type ReactNode, useId } from 'react';
import styles from './copy-field.module.css';
import field from './field.module.css';
import { Icon } from './icon.tsx';
import { IconButton } from './icon-button.tsx';
import { useCopy } from './use-copy.ts';
import { useWords } from './words.tsx';

export interface CopyFieldProps {
  label?: ReactNode;
  value: string;
  /** What the screen reader hears instead of the label when there is none. */
  name?: string;
}

export function CopyField({ label, value, name }: CopyFieldProps) {
  const words = useWords();
  const { state, copy } = useCopy();
  const labelId = useId();
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would be read as a form's part
    <div className={field.field} role="group" aria-labelledby={label ? labelId : undefined} aria-label={name}>
      {label && (
        <span id={labelId} className={field.label}>
          {label}
        </span>
      )}
      <div className={styles.copy}>
        <code className={styles.value} title={value}>
          {value}
        </code>
        <span role="status">
          {state === 'copied' && (
            <span className={styles.copied}>
              <Icon of={Check} size={14} />
              {words.copied}
            </span>
          )}
        </span>
        <IconButton
          icon={Copy}
          size="small"
          label={words.copy}
          className={styles.button}
          onClick={() => void copy(value)}
        />
      </div>
      {state === 'failed' && (
        <p role="alert" className={field.error}>
          {words.copyFailed}
        </p>
      )}
    </div>
  );
}
