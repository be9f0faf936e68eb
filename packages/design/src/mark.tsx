/** The mark: an arch, a door, a keyhole slit. Readable at 16 px; never boxed, tilted or spinning. */
import { Drawing } from './drawing.tsx';
import styles from './mark.module.css';

interface MarkProps {
  size?: number;
  /** Only where the name does not stand beside it. */
  label?: string;
  className?: string;
}

export function Mark({ size = 20, label, className }: MarkProps) {
  return (
    <Drawing size={size} label={label} className={className}>
      <path className={styles.arch} d="M3.25 21.75V11a8.75 8.75 0 0 1 17.5 0v10.75" />
      <path className={styles.door} d="M8 23V11.2a4 4 0 0 1 8 0V23z" />
      <path className={styles.slit} d="M12 13.4v3.2" />
    </Drawing>
  );
}
