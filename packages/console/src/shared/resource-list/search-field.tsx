/** The search field of a list. What is typed is shown at once and follows into the address. */
import { TextField } from '@gatehouse/design/text-field';
import { useState } from 'react';
import styles from './search-field.module.css';

interface SearchFieldProps {
  /** Says what is searched, such as "Name or role". */
  label: string;
  value: string;
  onSearch: (search: string) => void;
}

export function SearchField({ label, value, onSearch }: SearchFieldProps) {
  const [typed, setTyped] = useState(value);
  const [sent, setSent] = useState(value);
  // The address changed by itself: a link, or "clear".
  if (value !== sent) {
    setSent(value);
    if (value.trim() !== typed.trim()) setTyped(value);
  }
  const search = (text: string) => {
    setTyped(text);
    onSearch(text.trim());
  };
  return (
    <TextField
      type="search"
      label={label}
      labelHidden
      placeholder={label}
      focusKey="/"
      autoComplete="off"
      spellCheck={false}
      className={styles.search}
      value={typed}
      onValueChange={search}
      onClear={() => search('')}
    />
  );
}
