/** A dialog with a form whose saving may ask for a second factor: done, it closes and says so; refused, it stays and says why. */
import { FormDialog } from '@gatehouse/design/form-dialog';
import { Notice } from '@gatehouse/design/notice';
import { useToast } from '@gatehouse/design/toast';
import type { ReactNode, SubmitEvent } from 'react';
import { useAttempt } from '../../platform/failures/use-attempt.ts';
import styles from './proven-form-dialog.module.css';
import { useProof } from './use-proof.tsx';

interface ProvenFormDialogProps {
  title: string;
  /** On the button that saves, and on the one that goes on after a second factor. */
  saveWord: string;
  cancelWord: string;
  tone?: 'primary' | 'danger';
  /** Undefined where something of the form is missing: the form says what. */
  save: () => (() => Promise<unknown>) | undefined;
  /** What is said when it is saved. */
  saved: string;
  /** What is asked again then. */
  refresh: () => Promise<unknown>;
  onClose: () => void;
  /** What the form asks for. */
  children: ReactNode;
}

export function ProvenFormDialog(props: ProvenFormDialogProps) {
  const { title, saveWord, cancelWord, tone = 'primary', save, saved, refresh, onClose, children } = props;
  const toast = useToast();
  const attempt = useAttempt();
  const { withProof, question } = useProof({ title, confirmWord: saveWord });
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const work = save();
    if (!work || !(await attempt.run(() => withProof(work)))) return;
    onClose();
    toast.show({ tone: 'ok', title: saved });
    await refresh();
  };
  return (
    <>
      <FormDialog
        dismissable={!attempt.isBusy}
        title={title}
        cancelWord={cancelWord}
        doWord={saveWord}
        tone={tone}
        isBusy={attempt.isBusy}
        onSubmit={submit}
        onClose={onClose}
        className={styles.fields}
      >
        {children}
        {attempt.failure && <Notice tone="bad">{attempt.failure.message}</Notice>}
      </FormDialog>
      {question}
    </>
  );
}
