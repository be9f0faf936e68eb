/** Tabs whose parts have addresses of their own: a navigation that looks like tabs. */

import type { MouseEvent } from 'react';
import styles from './tabs.module.css';

export interface TabLink {
  href: string;
  label: string;
  count?: number;
  current: boolean;
}

interface TabLinksProps {
  label: string;
  links: readonly TabLink[];
  /** Lets a router take a plain click. */
  onFollow?: (href: string, event: MouseEvent<HTMLAnchorElement>) => void;
}

export function TabLinks({ label, links, onFollow }: TabLinksProps) {
  return (
    <nav aria-label={label} className={styles.tabs}>
      {links.map((link) => (
        <a
          key={link.href}
          href={link.href}
          className={styles.tab}
          aria-current={link.current ? 'page' : undefined}
          onClick={(event) => onFollow?.(link.href, event)}
        >
          <span className={styles.word} data-word={link.label}>
            {link.label}
          </span>
          {link.count !== undefined && <span className={styles.count}>{link.count}</span>}
        </a>
      ))}
    </nav>
  );
}
