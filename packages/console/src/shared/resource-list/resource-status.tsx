/** How it stands with a resource, in a word or two with a dot; more is said to whoever points at it. */
import { type DotState, StatusDot } from '@gatehouse/design/status-dot';
import styles from './resource-status.module.css';

export interface Status {
  dot: DotState;
  words: string;
  hint: string;
}

export function ResourceStatus({ status: { dot, words, hint } }: { status: Status }) {
  return (
    <span className={styles.status} title={hint}>
      <StatusDot state={dot}>{words}</StatusDot>
    </span>
  );
}
