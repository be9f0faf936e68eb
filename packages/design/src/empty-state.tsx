/** Nothing here yet, or nothing matches: says why, and offers the one button that helps. */

import type { ReactNode } from 'react';
import { classNames } from './class-names.ts';
import styles from './empty-state.module.css';
import { Icon, type IconComponent } from './icon.tsx';

export interface EmptyStateProps {
  icon?: IconComponent;
  title: ReactNode;
  level?: 2 | 3;
  actions?: ReactNode;
  className?: string;
  children?: ReactNode;
}

export function EmptyState({ icon, title, level = 2, actions, className, children }: EmptyStateProps) {
  const Heading = level === 2 ? 'h2' : 'h3';
  return (
    <div className={classNames(styles.empty, className)}>
      {icon && <Icon of={icon} size={24} className={styles.icon} />}
      <Heading className={styles.title}>{title}</Heading>
      {children && <div className={styles.text}>{children}</div>}
      {actions && <div className={styles.actions}>{actions}</div>}
    </div>
  );
}
