/** Long work: what, how much, how much longer, and a way to stop it. */

import type { ReactNode } from 'react';
import { useId } from 'react';
import { classNames } from './class-names.ts';
import styles from './progress.module.css';

export interface ProgressProps {
  /** What is being done. */
  label: ReactNode;
  /** 0 to 1; left out while nobody can know. */
  value?: number;
  /** How much and how long, such as "42 of 100 MB, 2 min 41 s left". */
  detail?: string;
  tone?: 'info' | 'ok' | 'bad';
  /** A button that cancels. */
  action?: ReactNode;
}

export function Progress({ label, value, detail, tone = 'info', action }: ProgressProps) {
  const id = useId();
  const percent = value === undefined ? undefined : Math.round(Math.min(1, Math.max(0, value)) * 100);
  return (
    <div className={styles.progress}>
      <div className={styles.line}>
        <span id={id} className={styles.label}>
          {label}
        </span>
        <span className={styles.detail}>
          {detail}
          {action}
        </span>
      </div>
      <div
        role="progressbar"
        aria-labelledby={id}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={percent}
        aria-valuetext={detail}
        className={styles.track}
      >
        <div
          className={classNames(styles.bar, tone !== 'info' && styles[tone], percent === undefined && styles.unknown)}
          style={percent === undefined ? undefined : { width: `${percent}%` }}
        />
      </div>
    </div>
  );
}
