/** A hairline between groups, with or without a word such as "or". */

import type { ReactNode } from 'react';
import styles from './divider.module.css';

interface DividerProps {
  direction?: 'horizontal' | 'vertical';
  children?: ReactNode;
}

export function Divider({ direction = 'horizontal', children }: DividerProps) {
  if (children) return <div className={styles.worded}>{children}</div>;
  if (direction === 'vertical') return <span aria-hidden="true" className={styles.vertical} />;
  return <hr className={styles.line} />;
}
