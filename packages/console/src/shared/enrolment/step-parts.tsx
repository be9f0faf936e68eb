/** What every step of a flow is made of: what it says, and the line with the ways back and on. */
import { Button } from '@gatehouse/design/button';
import ChevronLeft from 'lucide-react/icons/chevron-left';
import { type ReactNode, useEffect, useRef } from 'react';
import { useFlow } from './flow-place.tsx';
import styles from './step-parts.module.css';

interface StepBodyProps {
  title: string;
  lead?: string | undefined;
  /** Beside it, under it on a phone. */
  aside?: ReactNode;
  children: ReactNode;
}

export function StepBody({ title, lead, aside, children }: StepBodyProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  // The keyboard and the screen reader come along; a field that wants to be first takes it from here.
  useEffect(() => {
    const place = heading.current?.closest('[data-step]');
    if (!place?.contains(document.activeElement)) heading.current?.focus({ preventScroll: true });
  }, []);
  return (
    <div className={styles.split} data-aside={aside ? '' : undefined}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what does not fit must be scrollable by keyboard */}
      <section className={styles.body} tabIndex={0} aria-label={title}>
        <h2 ref={heading} tabIndex={-1} className={styles.title}>
          {title}
        </h2>
        {lead && <p className={styles.lead}>{lead}</p>}
        <div className={styles.stack}>{children}</div>
      </section>
      {aside}
    </div>
  );
}

/** Children: the buttons that lead on, the main one last. */
export function StepFoot({ children }: { children: ReactNode }) {
  const { previous } = useFlow();
  return (
    <div className={styles.foot}>
      {previous && (
        <Button tone="ghost" icon={ChevronLeft} onClick={previous.go}>
          {previous.word}
        </Button>
      )}
      <span className={styles.end}>{children}</span>
    </div>
  );
}
