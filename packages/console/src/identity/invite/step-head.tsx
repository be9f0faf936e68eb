/** The title of a step, and a sentence under it. */
import styles from './steps.module.css';

export function StepHead({ title, lead }: { title: string; lead?: string }) {
  return (
    <header className={styles.head}>
      <h2 className={styles.title}>{title}</h2>
      {lead && <p className={styles.lead}>{lead}</p>}
    </header>
  );
}
