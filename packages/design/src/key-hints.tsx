/** Keys and what they do, standing where they can be used. Hidden on a phone, which has none. */

import { classNames } from './class-names.ts';
import { KeyCaps } from './key-cap.tsx';
import styles from './key-hints.module.css';

export interface KeyHint {
  keys: readonly string[];
  word: string;
}

export function KeyHints({ hints, align = 'start' }: { hints: readonly KeyHint[]; align?: 'start' | 'end' }) {
  return (
    <span className={classNames(styles.hints, align === 'end' && styles.end)}>
      {hints.map((hint) => (
        <span key={hint.word} className={styles.hint}>
          <KeyCaps keys={hint.keys} /> {hint.word}
        </span>
      ))}
    </span>
  );
}
