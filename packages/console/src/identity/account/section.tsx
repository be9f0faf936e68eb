/** One part of the account: its title, a sentence, its action, and what it holds. */
import { type ReactNode, useId } from 'react';
import styles from './account.module.css';

interface SectionProps {
  title: string;
  lead?: string;
  actions?: ReactNode;
  children: ReactNode;
}

export function Section({ title, lead, actions, children }: SectionProps) {
  const id = useId();
  return (
    <section className={styles.section} aria-labelledby={id}>
      <header className={styles.head}>
        <div className={styles.words}>
          <h2 id={id} className={styles.title}>
            {title}
          </h2>
          {lead && <p className={styles.lead}>{lead}</p>}
        </div>
        {actions && <div className={styles.actions}>{actions}</div>}
      </header>
      {children}
    </section>
  );
}
