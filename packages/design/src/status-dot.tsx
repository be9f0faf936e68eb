/** State with a shape and a word: filled works, half needs a look, ring failed or was never seen, pulse is under way. */

import type { ReactNode } from 'react';
import { classNames } from './class-names.ts';
import styles from './status-dot.module.css';
import { VisuallyHidden } from './visually-hidden.tsx';

export type DotState = 'ok' | 'warn' | 'bad' | 'off' | 'busy';

export interface StatusDotProps {
  state: DotState;
  /** The dot alone, for a place where a name stands beside it; the word is still read aloud. */
  wordHidden?: boolean;
  children: ReactNode;
}

export function StatusDot({ state, wordHidden = false, children }: StatusDotProps) {
  return (
    <span className={classNames(styles.status, styles[state])}>
      <span aria-hidden="true" className={styles.dot} />
      {wordHidden ? <VisuallyHidden>{children}</VisuallyHidden> : children}
    </span>
  );
}
