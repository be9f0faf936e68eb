/** A link within text: underlined, because colour alone does not tell it from the words around it. */

import type { ComponentProps } from 'react';
import { classNames } from './class-names.ts';
import styles from './text-link.module.css';

/** The class alone, for a router's own link component. */
export const textLinkClass = styles.link;

export function TextLink({ className, children, ...rest }: ComponentProps<'a'>) {
  return (
    <a {...rest} className={classNames(styles.link, className)}>
      {children}
    </a>
  );
}

/** The same look on a button, for what happens here rather than elsewhere. */
export function TextButton({ className, children, ...rest }: ComponentProps<'button'>) {
  return (
    <button type="button" {...rest} className={classNames(styles.link, className)}>
      {children}
    </button>
  );
}
