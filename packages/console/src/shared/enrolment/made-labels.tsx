/** What a token was made for, once it is: it cannot be changed any more. */
import { LabelChip } from '@gatehouse/design/label-chip';
import styles from './joining.module.css';

export function MadeLabels({ labels }: { labels: Readonly<Record<string, string>> }) {
  const entries = Object.entries(labels);
  if (entries.length === 0) return null;
  return (
    <div className={styles.labels}>
      {entries.map(([name, value]) => (
        <LabelChip key={name} name={name} value={value} />
      ))}
    </div>
  );
}
