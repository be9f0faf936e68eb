/** A key as it stands on the keyboard, so that shortcuts are learnt by use. */

import styles from './key-cap.module.css';

export function KeyCap({ children }: { children: string }) {
  return <kbd className={styles.key}>{children}</kbd>;
}

/** Keys pressed together or one after the other. */
export function KeyCaps({ keys }: { keys: readonly string[] }) {
  return (
    <span className={styles.keys}>
      {keys.map((key) => (
        <KeyCap key={key}>{key}</KeyCap>
      ))}
    </span>
  );
}
