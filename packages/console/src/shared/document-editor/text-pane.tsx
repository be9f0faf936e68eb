/** The text of a document with what is wrong with it. The editor itself is fetched when it is first shown. */

import { Button } from '@gatehouse/design/button';
import { classNames } from '@gatehouse/design/class-names';
import { Icon } from '@gatehouse/design/icon';
import { Spinner } from '@gatehouse/design/spinner';
import { useCopy } from '@gatehouse/design/use-copy';
import Check from 'lucide-react/icons/check';
import CircleAlert from 'lucide-react/icons/circle-alert';
import CircleCheck from 'lucide-react/icons/circle-check';
import Copy from 'lucide-react/icons/copy';
import { Suspense, useMemo, useRef } from 'react';
import { lazyPart } from '../../platform/i18n/lazy-part.ts';
import { useTranslate } from '../../platform/i18n/words.ts';
import type { DocumentSchema } from './editor/document-schema.ts';
import { countChanges, lineDiff } from './line-diff.ts';
import type { Problem } from './read-document.ts';
import styles from './text-pane.module.css';
import type { Draft } from './use-draft.ts';

const YamlEditor = lazyPart(() => import('./editor/yaml-editor.tsx').then((file) => file.YamlEditor));

interface TextPaneProps {
  /** What the text is of, for those who do not see it. */
  label: string;
  /** What may stand in it. */
  schema: DocumentSchema;
  draft: Draft;
  problems: readonly Problem[];
  /** A new one is not valid before it has one. */
  isNameless: boolean;
  /** The gateway would not have it, for no part of it: why, is told elsewhere. */
  isRefused?: boolean;
  isReadOnly: boolean;
  /** For a text that may hold secrets: what is done when somebody has left it, and what may be copied of it; nothing while nobody knows. */
  hiding?: { onLeave: () => void; copied: string | undefined };
  className?: string;
}

export function TextPane(props: TextPaneProps) {
  const { label, schema, draft, problems, isNameless, isRefused = false, isReadOnly, hiding, className } = props;
  const t = useTranslate();
  const { state, copy } = useCopy();
  const goTo = useRef<(problem: Problem) => void>(undefined);
  const { text, base } = draft;
  const copied = hiding ? hiding.copied : text;
  const changes = useMemo(() => base && countChanges(lineDiff(base.content, text)), [base, text]);
  return (
    <section className={classNames(styles.pane, className)} aria-label={t('document.pane-text')}>
      <header className={styles.header}>
        <h2>{t('document.pane-text')}</h2>
        {changes && changes.added + changes.removed > 0 && (
          <span className={styles.changes}>
            {changes.added > 0 && <span className={styles.added}>+{changes.added}</span>}{' '}
            {changes.removed > 0 && <span className={styles.removed}>−{changes.removed}</span>}
          </span>
        )}
        <Button
          tone="ghost"
          size="small"
          icon={state === 'copied' ? Check : Copy}
          className={styles.copy}
          disabled={copied === undefined}
          {...(copied === undefined ? { disabledReason: t('document.mend-first') } : {})}
          onClick={() => void copy(copied ?? '')}
        >
          {t(state === 'copied' ? 'common.copied' : 'common.copy')}
        </Button>
      </header>
      <Suspense
        fallback={
          <div className={styles.editor}>
            <Spinner className={styles.spinner} />
          </div>
        }
      >
        <YamlEditor
          label={label}
          schema={schema}
          className={styles.editor}
          value={text}
          saved={base?.content}
          problems={problems}
          readOnly={isReadOnly}
          onValueChange={draft.setText}
          goTo={goTo}
          {...(hiding ? { onLeave: hiding.onLeave } : {})}
        />
      </Suspense>
      <footer className={styles.footer}>
        <div role="status" className={styles.verdict}>
          {isNameless ? (
            <>
              <Icon of={CircleAlert} size={14} className={styles.waits} />
              {t('document.needs-name')}
            </>
          ) : problems.length === 0 && isRefused ? (
            <>
              <Icon of={CircleAlert} size={14} className={styles.bad} />
              {t('document.refused')}
            </>
          ) : problems.length === 0 ? (
            <>
              <Icon of={CircleCheck} size={14} className={styles.ok} />
              {t('document.in-step')}
            </>
          ) : (
            <ul className={styles.problems}>
              {problems.slice(0, MAX_PROBLEMS).map((problem) => (
                <li key={`${problem.line}:${problem.column}:${problem.message}`}>
                  <button type="button" className={styles.problem} onClick={() => goTo.current?.(problem)}>
                    <Icon of={CircleAlert} size={14} className={styles.bad} />
                    <span>
                      <b>{t('document.at', { line: problem.line, column: problem.column })}</b>{' '}
                      {problem.path ? `${problem.path}: ${problem.message}` : problem.message}
                    </span>
                  </button>
                </li>
              ))}
            </ul>
          )}
        </div>
      </footer>
    </section>
  );
}

/** More than these do not fit, and mending the first often mends the rest. */
const MAX_PROBLEMS = 4;
