/** Details beside what they belong to, so that nothing covers what you compare with; a sheet on a phone. */

import X from 'lucide-react/icons/x';
import type { ReactNode } from 'react';
import { classNames } from './class-names.ts';
import { IconButton } from './icon-button.tsx';
import styles from './panel.module.css';
import { useWords } from './words.tsx';

export interface PanelProps {
  /** Its accessible name. */
  label: string;
  title: ReactNode;
  actions?: ReactNode;
  onClose?: () => void;
  className?: string;
  children: ReactNode;
}

export function Panel({ label, title, actions, onClose, className, children }: PanelProps) {
  const words = useWords();
  return (
    <aside aria-label={label} className={classNames(styles.panel, className)}>
      <header className={styles.header}>
        <h2 className={styles.title}>{title}</h2>
        {actions}
        {onClose && <IconButton icon={X} size="small" label={words.close} className={styles.close} onClick={onClose} />}
      </header>
      <div className={styles.body}>{children}</div>
    </aside>
  );
}
