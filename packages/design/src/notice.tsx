/** A message in its place on the page: what happened, why, what to do next. */

import X from 'lucide-react/icons/x';
import type { ReactNode } from 'react';
import { classNames } from './class-names.ts';
import { Icon, type IconComponent } from './icon.tsx';
import { IconButton } from './icon-button.tsx';
import styles from './notice.module.css';
import { STATE_ICON, type StateTone } from './state-tone.ts';
import { useWords } from './words.tsx';

export interface NoticeProps {
  tone?: StateTone;
  /** The subject, in medium weight, before the text. */
  title?: ReactNode;
  icon?: IconComponent;
  actions?: ReactNode;
  onDismiss?: () => void;
  /** 'alert' interrupts a screen reader, 'status' waits, 'none' for a message that was there from the start. */
  announce?: 'alert' | 'status' | 'none';
  className?: string;
  children?: ReactNode;
}

export function Notice({
  tone = 'info',
  title,
  icon,
  actions,
  onDismiss,
  announce = tone === 'bad' ? 'alert' : 'status',
  className,
  children,
}: NoticeProps) {
  const words = useWords();
  return (
    <div
      role={announce === 'none' ? undefined : announce}
      className={classNames(styles.notice, styles[tone], className)}
    >
      <Icon of={icon ?? STATE_ICON[tone]} />
      <div className={styles.body}>
        {title && <b>{title}</b>} {children}
        {actions && <div className={styles.actions}>{actions}</div>}
      </div>
      {onDismiss && (
        <IconButton icon={X} size="small" label={words.dismiss} className={styles.close} onClick={onDismiss} />
      )}
    </div>
  );
}
