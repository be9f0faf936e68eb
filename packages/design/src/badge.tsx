/** A word about a thing: its state, or that it is yours. */

import type { ReactNode } from 'react';
import styles from './badge.module.css';
import { classNames } from './class-names.ts';
import { Icon, type IconComponent } from './icon.tsx';
import type { StateTone } from './state-tone.ts';

export interface BadgeProps {
  tone?: StateTone | 'neutral' | 'brand';
  icon?: IconComponent;
  children: ReactNode;
}

export function Badge({ tone = 'neutral', icon, children }: BadgeProps) {
  return (
    <span className={classNames(styles.badge, tone !== 'neutral' && styles[tone])}>
      {icon && <Icon of={icon} size={14} />}
      {children}
    </span>
  );
}
