/** Two people changed one role: shows both changes and lets the second decide. Nothing is thrown away unasked. */
import type { RoleItem } from '@gatehouse/contract/access/roles/roles';
import { Button } from '@gatehouse/design/button';
import { Dialog } from '@gatehouse/design/dialog';
import { useMemo } from 'react';
import { useTranslate } from '../../platform/i18n/words.ts';
import { DiffView } from './diff-view.tsx';
import { mergeLines } from './merge-lines.ts';
import styles from './review-dialog.module.css';
import type { Draft } from './use-draft.ts';

interface ConflictDialogProps {
  draft: Draft;
  theirs: RoleItem;
  onClose: () => void;
}

export function ConflictDialog({ draft, theirs, onClose }: ConflictDialogProps) {
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
      title={t('roles.conflict-title', { role: theirs.name })}
      footer={
        <>
          <Button onClick={() => goOn(theirs.content)}>{t('roles.take-theirs')}</Button>
          <Button tone={merged === undefined ? 'primary' : 'secondary'} onClick={() => goOn(text)}>
            {t('roles.keep-mine')}
          </Button>
          {merged !== undefined && (
            <Button tone="primary" data-autofocus="" onClick={() => goOn(merged)}>
              {t('roles.combine')}
            </Button>
          )}
        </>
      }
    >
      <div className={styles.both}>
        <p className={styles.lead}>{t(merged === undefined ? 'roles.conflict-meets' : 'roles.conflict-apart')}</p>
        <h3 className={styles.title}>{t('roles.theirs')}</h3>
        <DiffView label={t('roles.theirs')} before={before} after={theirs.content} />
        <h3 className={styles.title}>{t('roles.yours')}</h3>
        <DiffView label={t('roles.yours')} before={before} after={text} />
      </div>
    </Dialog>
  );
}
