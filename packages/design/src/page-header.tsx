/** The first line of a screen: its title, a few words about it, its actions at the right edge. */

import type { ReactNode } from 'react';
import styles from './page-header.module.css';

export interface PageHeaderProps {
  title: ReactNode;
  /** Such as how many there are. */
  meta?: ReactNode;
  actions?: ReactNode;
  /** Above the title: breadcrumbs. */
  before?: ReactNode;
}

export function PageHeader({ title, meta, actions, before }: PageHeaderProps) {
  return (
    <header className={styles.header}>
      {before && <div className={styles.before}>{before}</div>}
      <h1 className={styles.title}>{title}</h1>
      {meta && <span className={styles.meta}>{meta}</span>}
      {actions && <div className={styles.actions}>{actions}</div>}
    </header>
  );
}
