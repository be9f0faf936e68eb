/** Under a result whose rows are rows of one table: what was changed in them, as SQL, and how it is written or dropped. */
import { MAX_EDIT_CHANGES } from '@gatehouse/contract/kinds/db/editor';
import { Button } from '@gatehouse/design/button';
import { CodeBlock } from '@gatehouse/design/code-block';
import { Dialog } from '@gatehouse/design/dialog';
import { Notice } from '@gatehouse/design/notice';
import Plus from 'lucide-react/icons/plus';
import Trash2 from 'lucide-react/icons/trash-2';
import { useState } from 'react';
import { useTranslate } from '../../../../platform/i18n/words.ts';
import { isRunning, type Result, type Source, type Work } from '../bench/work.ts';
import type { Dialect } from '../dialects.ts';
import type { CellAt } from '../grid/moved-by.ts';
import { failureTitle } from '../session/failure-title.ts';
import styles from './edits.module.css';
import { changesOf, countStaged, sqlOf, stageRemoval, stageRow } from './staged.ts';
import type { StagedEdits } from './use-staged.ts';

interface EditBarProps {
  edits: StagedEdits;
  work: Work;
  result: Result;
  dialect: Dialect;
  active: CellAt | undefined;
  slot: number;
}

export function EditBar({ edits, work, result, dialect, active, slot }: EditBarProps) {
  const t = useTranslate();
  const [isShowing, setShowing] = useState(false);
  const { source } = result;
  if (!source) return null;
  const staged = edits.of(result);
  const count = staged ? countStaged(staged) : 0;
  const isMany = count > MAX_EDIT_CHANGES;
  const failure = edits.failure?.slot === slot ? edits.failure : undefined;
  const write = () => {
    setShowing(false);
    edits.write(slot, work, result, source);
  };
  const isBusy = isRunning(work) || edits.isWriting;
  return (
    <div className={styles.bar} data-staged={count > 0 || undefined}>
      {failure && (
        <Notice tone="bad" className={styles.notice}>
          {failure.change === undefined
            ? failureTitle(t, failure)
            : t('workbench.edit-failed', { number: failure.change + 1, why: failureTitle(t, failure) })}
        </Notice>
      )}
      <Button
        size="small"
        tone="ghost"
        icon={Plus}
        disabled={isBusy}
        onClick={() => edits.change(slot, result, (before) => stageRow(before, result))}
      >
        {t('workbench.edit-add')}
      </Button>
      <Button
        size="small"
        tone="ghost"
        icon={Trash2}
        disabled={isBusy || !active}
        disabledReason={active ? undefined : t('workbench.edit-choose')}
        onClick={() => active && edits.change(slot, result, (before) => stageRemoval(before, result, active.row))}
      >
        {t(active && staged?.rows[active.row]?.isRemoved ? 'workbench.edit-keep' : 'workbench.edit-remove')}
      </Button>
      <span className={styles.grow}>
        {count > 0 && <b role="status">{t('workbench.edit-staged', { count, table: source.table })}</b>}
      </span>
      {count > 0 && (
        <>
          <Button size="small" onClick={() => edits.discard(slot)} disabled={edits.isWriting}>
            {t('workbench.edit-discard')}
          </Button>
          <Button
            size="small"
            tone="primary"
            loading={edits.isWriting}
            loadingWord={t('workbench.edit-writing')}
            disabled={isMany || isRunning(work)}
            disabledReason={t('workbench.edit-many', { count: MAX_EDIT_CHANGES })}
            onClick={() => setShowing(true)}
          >
            {t('workbench.edit-review')}
          </Button>
        </>
      )}
      {isShowing && staged && (
        <Review
          sql={sqlOf(changesOf(staged, result, source), source, dialect)}
          count={count}
          source={source}
          onClose={() => setShowing(false)}
          onWrite={write}
        />
      )}
    </div>
  );
}

interface ReviewProps {
  sql: string;
  count: number;
  source: Source;
  onClose: () => void;
  onWrite: () => void;
}

function Review({ sql, count, source: { table }, onClose, onWrite }: ReviewProps) {
  const t = useTranslate();
  return (
    <Dialog
      open
      onOpenChange={onClose}
      size="large"
      title={t('workbench.edit-title', { count, table })}
      footer={
        <>
          <Button onClick={onClose}>{t('workbench.edit-back')}</Button>
          <Button tone="primary" onClick={onWrite}>
            {t('workbench.edit-write', { count })}
          </Button>
        </>
      }
    >
      <p>{t('workbench.edit-text')}</p>
      <CodeBlock label={t('workbench.edit-sql')} code={sql} wrap />
    </Dialog>
  );
}
