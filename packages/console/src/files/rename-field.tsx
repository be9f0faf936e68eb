/** A name that is being changed in its place: Enter takes it, Escape leaves it as it was. */
import { shownName, whyNotName } from '@gatehouse/contract/files/paths';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { useWords } from '../words/words.ts';
import styles from './files.module.css';

interface RenameFieldProps {
  name: string;
  /** Without a name: it stays as it is. */
  onDone: (name: string | undefined) => void;
}

export function RenameField({ name, onDone }: RenameFieldProps) {
  const t = useWords();
  const field = useRef<HTMLInputElement>(null);
  const [value, setValue] = useState(name);
  const isWrong = whyNotName(value) !== undefined;
  useEffect(() => {
    // The menu that was pressed gives the focus back to its button first.
    const frame = requestAnimationFrame(() => {
      const dot = name.lastIndexOf('.');
      field.current?.focus();
      field.current?.setSelectionRange(0, dot > 0 ? dot : name.length);
    });
    return () => cancelAnimationFrame(frame);
  }, [name]);
  const press = (event: KeyboardEvent) => {
    event.stopPropagation();
    if (event.key === 'Escape') onDone(undefined);
    if (event.key === 'Enter' && !isWrong) onDone(value);
  };
  return (
    <input
      ref={field}
      className={styles.rename}
      aria-label={t('files.rename-label', { name: shownName(name) })}
      aria-invalid={isWrong || undefined}
      value={value}
      spellCheck={false}
      autoComplete="off"
      onChange={({ target }) => setValue(target.value)}
      onKeyDown={press}
      onBlur={() => onDone(isWrong ? undefined : value)}
    />
  );
}
