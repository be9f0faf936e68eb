/** A box for what stands alone. Regions that meet edge to edge need none. */

import type { ReactNode } from 'react';
import styles from './card.module.css';
import { classNames } from './class-names.ts';

export interface CardProps {
  title?: ReactNode;
  actions?: ReactNode;
  /** With a shadow, for a card over a picture. */
  floating?: boolean;
  className?: string;
  children: ReactNode;
}

export function Card({ title, actions, floating = false, className, children }: CardProps) {
  return (
    <section className={classNames(styles.card, floating && styles.floating, className)}>
      {(title || actions) && (
        <header className={styles.header}>
          {title && <h2 className={styles.title}>{title}</h2>}
          {actions}
        </header>
      )}
      {children}
    </section>
  );
}
