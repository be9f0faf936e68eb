/** A name that is being changed in its place: Enter takes it, Escape leaves it as it was. */
import { shownName, whyNotName } from '@gatehouse/contract/kinds/node/files/paths';
import { type FocusEvent, type KeyboardEvent, useLayoutEffect, useRef, useState } from 'react';
import { useTranslate } from '../../../platform/i18n/words.ts';
import styles from './files.module.css';

/** What somebody leaves a field by. */
const PRESSES = ['keydown', 'pointerdown'] as const;

interface RenameFieldProps {
  name: string;
  /** Without a name: it stays as it is. */
  onDone: (name: string | undefined) => void;
}

export function RenameField({ name, onDone }: RenameFieldProps) {
  const t = useTranslate();
  const field = useRef<HTMLInputElement>(null);
  const [value, setValue] = useState(name);
  const isWrong = whyNotName(value) !== undefined;
  // At once, and not with the next frame: what is typed right behind F2 would be lost till then.
  useLayoutEffect(() => {
    const dot = name.lastIndexOf('.');
    field.current?.focus();
    field.current?.setSelectionRange(0, dot > 0 ? dot : name.length);
  }, [name]);
  const isPressed = useRef(false);
  useLayoutEffect(() => {
    const note = () => {
      isPressed.current = true;
    };
    for (const kind of PRESSES) document.addEventListener(kind, note, true);
    return () => {
      for (const kind of PRESSES) document.removeEventListener(kind, note, true);
    };
  }, []);
  const press = (event: KeyboardEvent) => {
    event.stopPropagation();
    if (event.key === 'Escape') onDone(undefined);
    if (event.key === 'Enter' && !isWrong) onDone(value);
  };
  const leave = ({ relatedTarget }: FocusEvent) => {
    // The menu it was chosen from gives the focus back to its button as it closes, however late: nobody has pressed anything for that.
    const isMenu = relatedTarget instanceof Element && relatedTarget.matches('[aria-haspopup=menu]');
    if (isMenu && !isPressed.current) requestAnimationFrame(() => field.current?.focus());
    else onDone(isWrong ? undefined : value);
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
      onBlur={leave}
    />
  );
}
