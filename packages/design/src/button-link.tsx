/** A link that looks like a button: for actions that go somewhere and may be opened in a new tab. */

import type { ComponentProps, ReactNode } from 'react';
import styles from './button.module.css';
import { type ButtonLook, buttonClass } from './button.tsx';
import { classNames } from './class-names.ts';
import { Icon, type IconComponent } from './icon.tsx';

export interface ButtonLinkProps extends ButtonLook, ComponentProps<'a'> {
  icon?: IconComponent;
  children: ReactNode;
}

export function ButtonLink({ tone, size, wide, icon, className, children, ...rest }: ButtonLinkProps) {
  return (
    <a {...rest} className={classNames(buttonClass({ tone, size, wide }), className)}>
      <span className={styles.content}>
        {icon && <Icon of={icon} size={size === 'small' ? 14 : 16} className={styles.icon} />}
        {children}
      </span>
    </a>
  );
}
