/** One line of what a change gives or takes, told by its sign as well as by its colour. */
import { Icon } from '@gatehouse/design/icon';
import Minus from 'lucide-react/icons/minus';
import Plus from 'lucide-react/icons/plus';
import type { ReactNode } from 'react';
import styles from './effect-line.module.css';

interface EffectLineProps {
  side: 'gained' | 'lost';
  children: ReactNode;
}

export function EffectLine({ side, children }: EffectLineProps) {
  return (
    <span className={styles.line} data-side={side}>
      <Icon of={side === 'gained' ? Plus : Minus} size={14} />
      <span>{children}</span>
    </span>
  );
}
