/** The look of one toast; the provider decides how long it stays. */

import X from 'lucide-react/icons/x';
import type { ReactNode } from 'react';
import { classNames } from './class-names.ts';
import { Icon } from './icon.tsx';
import { IconButton } from './icon-button.tsx';
import { STATE_ICON, type StateTone } from './state-tone.ts';
import styles from './toast.module.css';
import { useWords } from './words.tsx';

export interface ToastMessage {
  tone?: StateTone;
  title: ReactNode;
  /** What it means, an action such as Undo, an id to quote. */
  text?: ReactNode;
}

interface ToastCardProps extends ToastMessage {
  onDismiss: () => void;
}

export function ToastCard({ tone = 'ok', title, text, onDismiss }: ToastCardProps) {
  const words = useWords();
  return (
    <div className={classNames(styles.toast, styles[tone])}>
      <Icon of={STATE_ICON[tone]} />
      <div className={styles.body}>
        <div className={styles.title}>{title}</div>
        {text && <div className={styles.text}>{text}</div>}
      </div>
      <IconButton icon={X} size="small" label={words.dismiss} onClick={onDismiss} />
    </div>
  );
}
