/** The usual action, and an arrow for the other ways to do it. The caller puts the arrow into a Menu or a Popover. */

import ChevronDown from 'lucide-react/icons/chevron-down';
import type { ComponentProps, ReactElement, ReactNode } from 'react';
import { buttonClass } from './button.tsx';
import { classNames } from './class-names.ts';
import { Icon } from './icon.tsx';
import styles from './split-button.module.css';

interface SplitButtonProps extends ComponentProps<'button'> {
  size?: 'small' | 'medium';
  /** A Menu or Popover whose trigger is a SplitArrow; left out when there is no other way. */
  more?: ReactElement;
  children: ReactNode;
}

export function SplitButton({ size = 'small', more, className, children, ...rest }: SplitButtonProps) {
  return (
    <span className={more ? styles.split : undefined}>
      <button type="button" {...rest} className={classNames(buttonClass({ size }), more && styles.main, className)}>
        {children}
      </button>
      {more}
    </span>
  );
}

interface SplitLinkProps extends ComponentProps<'a'> {
  more?: ReactElement;
  children: ReactNode;
}

/** The same where the usual action is an address, so that the browser's other ways to open it work. */
export function SplitLink({ more, className, children, ...rest }: SplitLinkProps) {
  return (
    <span className={more ? styles.split : undefined}>
      <a {...rest} className={classNames(buttonClass({ size: 'small' }), more && styles.main, className)}>
        {children}
      </a>
      {more}
    </span>
  );
}

interface SplitArrowProps extends Omit<ComponentProps<'button'>, 'children'> {
  label: string;
  size?: 'small' | 'medium';
}

export function SplitArrow({ label, size = 'small', className, ...rest }: SplitArrowProps) {
  return (
    <button
      type="button"
      {...rest}
      aria-label={label}
      className={classNames(buttonClass({ size }), styles.arrow, size === 'medium' && styles.medium, className)}
    >
      <Icon of={ChevronDown} size={12} />
    </button>
  );
}
