/** Asks before something that takes something away, does it, and keeps standing with the reason when it was refused. */
import { ConfirmDialog } from '@gatehouse/design/confirm-dialog';
import { Notice } from '@gatehouse/design/notice';
import { useToast } from '@gatehouse/design/toast';
import type { ReactNode } from 'react';
import { useAttempt } from '../../platform/failures/use-attempt.ts';
import { useTranslate } from '../../platform/i18n/words.ts';
import { useRefreshAccess } from './access-queries.ts';
import styles from './ask-dialog.module.css';

interface AskDialogProps {
  title: string;
  confirmWord: string;
  /** The name to type first. */
  typed?: string;
  run: () => Promise<unknown>;
  /** What the toast says afterwards. */
  done: string;
  onClose: () => void;
  onDone?: () => void;
  children: ReactNode;
}

export function AskDialog({ title, confirmWord, typed, run, done, onClose, onDone, children }: AskDialogProps) {
  const t = useTranslate();
  const toast = useToast();
  const refresh = useRefreshAccess();
  const attempt = useAttempt();
  const confirm = async () => {
    if (!(await attempt.run(run))) return;
    onClose();
    onDone?.();
    toast.show({ tone: 'ok', title: done });
    await refresh();
  };
  const asked = typed && {
    text: typed,
    label: t('access.type-name', { name: typed }),
    reason: t('access.type-name-first'),
  };
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      title={title}
      confirmWord={confirmWord}
      cancelWord={t('access.cancel')}
      confirming={attempt.isBusy}
      onConfirm={() => void confirm()}
      {...(asked ? { typed: asked } : {})}
    >
      <div className={styles.stack}>
        <div>{children}</div>
        {attempt.failure && <Notice tone="bad">{attempt.failure.message}</Notice>}
      </div>
    </ConfirmDialog>
  );
}
