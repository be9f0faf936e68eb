/** One part of the gallery: its name and rule at the left, the components at the right. */

import type { ReactNode } from 'react';
import styles from './gallery.module.css';

interface SectionProps {
  id: string;
  title: string;
  rule?: string;
  children: ReactNode;
}

export function Section({ id, title, rule, children }: SectionProps) {
  return (
    <section id={id} className={styles.section} aria-labelledby={`${id}-title`}>
      <header>
        <h2 id={`${id}-title`}>{title}</h2>
        {rule && <p>{rule}</p>}
      </header>
      <div className={styles.body}>{children}</div>
    </section>
  );
}
