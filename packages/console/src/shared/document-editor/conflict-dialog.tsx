/** Two people changed one document: shows both changes and lets the second decide. Nothing is thrown away unasked. */
import { Button } from '@gatehouse/design/button';
import { Dialog } from '@gatehouse/design/dialog';
import { useMemo } from 'react';
import { useTranslate } from '../../platform/i18n/words.ts';
import styles from './conflict-dialog.module.css';
import { DiffView } from './diff-view.tsx';
import { mergeLines } from './merge-lines.ts';
import type { Base, Draft } from './use-draft.ts';

interface ConflictDialogProps {
  draft: Draft;
  /** What it is called, and what is saved of it now. */
  name: string;
  theirs: Base;
  onClose: () => void;
}

export function ConflictDialog({ draft, name, theirs, onClose }: ConflictDialogProps) {
  const t = useTranslate();
  const before = draft.base?.content ?? '';
  const { text } = draft;
  const merged = useMemo(() => mergeLines(before, text, theirs.content), [before, text, theirs.content]);
  const goOn = (next: string) => {
    draft.rebase(theirs, next);
    onClose();
  };
  return (
    <Dialog
      open
      onOpenChange={onClose}
      size="large"
      title={t('document.conflict-title', { name })}
      footer={
        <>
          <Button onClick={() => goOn(theirs.content)}>{t('document.take-theirs')}</Button>
          <Button tone={merged === undefined ? 'primary' : 'secondary'} onClick={() => goOn(text)}>
            {t('document.keep-mine')}
          </Button>
          {merged !== undefined && (
            <Button tone="primary" data-autofocus="" onClick={() => goOn(merged)}>
              {t('document.combine')}
            </Button>
          )}
        </>
      }
    >
      <div className={styles.both}>
        <p className={styles.lead}>{t(merged === undefined ? 'document.conflict-meets' : 'document.conflict-apart')}</p>
        <h3 className={styles.title}>{t('document.theirs')}</h3>
        <DiffView label={t('document.theirs')} before={before} after={theirs.content} />
        <h3 className={styles.title}>{t('document.yours')}</h3>
        <DiffView label={t('document.yours')} before={before} after={text} />
      </div>
    </Dialog>
  );
}
