/** The place of a screen that is being fetched; says so only when it takes long. */
import { Spinner } from '@gatehouse/design/spinner';
import styles from './status-page.module.css';

export function Waiting() {
  return (
    <div className={styles.waiting}>
      <Spinner size="large" />
    </div>
  );
}
