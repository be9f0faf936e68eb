/** Code or output as it is, with a button that copies the whole of it. */

import Check from 'lucide-react/icons/check';
import Copy from 'lucide-react/icons/copy';
import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { classNames } from './class-names.ts';
import styles from './code-block.module.css';
import { useCopy } from './use-copy.ts';
import { useWords } from './words.tsx';

export interface CodeBlockProps {
  /** What is shown here, for screen readers. */
  label: string;
  /** What is copied, and shown unless children say it in colour. */
  code: string;
  wrap?: boolean;
  children?: ReactNode;
}

export function CodeBlock({ label, code, wrap = false, children }: CodeBlockProps) {
  const words = useWords();
  const { state, copy } = useCopy();
  return (
    <div className={styles.block}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: long lines must be scrollable by keyboard */}
      <section className={classNames(styles.code, wrap && styles.wrap)} tabIndex={0} aria-label={label}>
        <code>{children ?? code}</code>
      </section>
      <div className={styles.action}>
        <Button size="small" icon={state === 'copied' ? Check : Copy} onClick={() => void copy(code)}>
          <span role="status">{state === 'copied' ? words.copied : words.copy}</span>
        </Button>
      </div>
      {state === 'failed' && <p role="alert">{words.copyFailed}</p>}
    </div>
  );
}

export type CodeTone = 'keyword' | 'string' | 'number' | 'comment' | 'special';

/** A coloured piece of code. */
export function CodePiece({ tone, children }: { tone: CodeTone; children: ReactNode }) {
  return <span className={styles[tone]}>{children}</span>;
}
