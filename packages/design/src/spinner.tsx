/** Says that something is loading, but only once it takes long enough to be worth saying. */

import { classNames } from './class-names.ts';
import styles from './spinner.module.css';
import { type Delay, useDelay } from './use-delay.ts';
import { VisuallyHidden } from './visually-hidden.tsx';
import { useWords } from './words.tsx';

interface SpinnerProps {
  delay?: Delay;
  size?: 'small' | 'medium' | 'large';
  /** What is loading. */
  label?: string;
  className?: string;
}

/** Renders nothing before its delay: 0, 400 (default) or 600 ms. */
export function Spinner({ delay = 'short', size = 'medium', label, className }: SpinnerProps) {
  const words = useWords();
  if (!useDelay(delay)) return null;
  return (
    <span role="status" className={className}>
      <SpinnerRing size={size} />
      <VisuallyHidden>{label ?? words.loading}</VisuallyHidden>
    </span>
  );
}

/** The turning ring alone, where words beside it already say what happens. */
export function SpinnerRing({ size = 'medium' }: Pick<SpinnerProps, 'size'>) {
  return <span aria-hidden="true" className={classNames(styles.spinner, size !== 'medium' && styles[size])} />;
}
