/** Where this screen lies, from the outside in. */

import ChevronRight from 'lucide-react/icons/chevron-right';
import type { MouseEvent } from 'react';
import styles from './breadcrumbs.module.css';
import { Icon } from './icon.tsx';

export interface Crumb {
  label: string;
  /** Left out on the current place. */
  href?: string;
}

interface BreadcrumbsProps {
  label: string;
  crumbs: readonly Crumb[];
  /** Lets a router take a plain click. */
  onFollow?: (href: string, event: MouseEvent<HTMLAnchorElement>) => void;
}

export function Breadcrumbs({ label, crumbs, onFollow }: BreadcrumbsProps) {
  return (
    <nav aria-label={label}>
      <ol className={styles.list}>
        {crumbs.map(({ label: name, href }, index) => (
          <li key={href ?? name} className={styles.crumb}>
            {index > 0 && <Icon of={ChevronRight} size={14} />}
            {href === undefined ? (
              <span aria-current="page">{name}</span>
            ) : (
              <a href={href} onClick={(event) => onFollow?.(href, event)}>
                {name}
              </a>
            )}
          </li>
        ))}
      </ol>
    </nav>
  );
}
