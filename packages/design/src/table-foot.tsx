/** The line under a table: which rows are shown, and the keys that move through them. */

import type { ReactNode } from 'react';
import { type KeyHint, KeyHints } from './key-hints.tsx';
import styles from './table-foot.module.css';

interface TableFootProps {
  children: ReactNode;
  keys?: readonly KeyHint[];
}

export function TableFoot({ children, keys = [] }: TableFootProps) {
  return (
    <footer className={styles.foot}>
      {children}
      <KeyHints hints={keys} align="end" />
    </footer>
  );
}
