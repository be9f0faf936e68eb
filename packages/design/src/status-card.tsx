/** A whole screen's answer in one card, 540 px wide: denied, not found, failed, done. */

import type { ReactNode } from 'react';
import { classNames } from './class-names.ts';
import { Icon, type IconComponent } from './icon.tsx';
import { STATE_ICON, type StateTone } from './state-tone.ts';
import styles from './status-card.module.css';

export interface StatusCardProps {
  tone?: StateTone;
  icon?: IconComponent;
  title: ReactNode;
  /** 1 where the card is the whole page. */
  level?: 1 | 2;
  actions?: ReactNode;
  className?: string;
  children?: ReactNode;
}

export function StatusCard({ tone = 'info', icon, title, level = 1, actions, className, children }: StatusCardProps) {
  const Heading = level === 1 ? 'h1' : 'h2';
  return (
    <section className={classNames(styles.card, className)}>
      <div className={classNames(styles.icon, styles[tone])}>
        <Icon of={icon ?? STATE_ICON[tone]} size={20} />
      </div>
      <Heading className={styles.title}>{title}</Heading>
      {children && <div className={styles.text}>{children}</div>}
      {actions && <div className={styles.actions}>{actions}</div>}
    </section>
  );
}
