/** The difference of two texts, line by line, with some of what is around each change. */
import { classNames } from '@gatehouse/design/class-names';
import { VisuallyHidden } from '@gatehouse/design/visually-hidden';
import { useMemo } from 'react';
import { useTranslate } from '../../platform/i18n/words.ts';
import styles from './diff-view.module.css';
import { type DiffLine, lineDiff } from './line-diff.ts';

const AROUND = 3;
const SIGNS = { same: ' ', added: '+', removed: '−' } as const;

interface DiffViewProps {
  label: string;
  before: string;
  after: string;
  /** As high as it needs to be, up to most of a page, where nothing else wants the room. */
  isTall?: boolean;
}

export function DiffView({ label, before, after, isTall = false }: DiffViewProps) {
  const t = useTranslate();
  const parts = useMemo(() => withContext(lineDiff(before, after)), [before, after]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a long difference must be scrollable by keyboard
    <section className={styles.diff} data-tall={isTall || undefined} aria-label={label} tabIndex={0}>
      {parts.map((part, index) =>
        part === 'gap' ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines are told apart by their place alone
          <div key={index} className={styles.gap} aria-hidden="true">
            ⋯
          </div>
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines are told apart by their place alone
          <div key={index} className={classNames(styles.line, styles[part.type])}>
            <span className={styles.number} aria-hidden="true">
              {part.line}
            </span>
            <span className={styles.sign}>
              <span aria-hidden="true">{SIGNS[part.type]}</span>
              {part.type !== 'same' && <VisuallyHidden>{t(`document.line-${part.type}`)}</VisuallyHidden>}
            </span>
            <code>{part.text}</code>
          </div>
        ),
      )}
    </section>
  );
}

/** Lines far from any change are left out. */
function withContext(lines: readonly DiffLine[]): (DiffLine | 'gap')[] {
  const isNear = (index: number) =>
    lines.slice(Math.max(0, index - AROUND), index + AROUND + 1).some(({ type }) => type !== 'same');
  const shown: (DiffLine | 'gap')[] = [];
  for (const [index, line] of lines.entries()) {
    if (isNear(index)) shown.push(line);
    else if (shown.at(-1) !== 'gap') shown.push('gap');
  }
  return shown;
}
