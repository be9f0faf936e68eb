/** A status card in the middle of what it stands on: the whole page, or the place of a screen inside the shell. */
import { Mark } from '@gatehouse/design/mark';
import type { ReactNode } from 'react';
import styles from './status-page.module.css';

/** For pages outside the shell. */
export function StatusPage({ children }: { children: ReactNode }) {
  return (
    <main className={styles.page}>
      <Mark size={32} />
      {children}
    </main>
  );
}

/** For the place of a screen. */
export function StatusPlace({ children }: { children: ReactNode }) {
  return <div className={styles.place}>{children}</div>;
}
