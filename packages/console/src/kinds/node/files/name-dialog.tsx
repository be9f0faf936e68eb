/** Asks for one line: the name of a new folder, or where to go. */
import { Button } from '@gatehouse/design/button';
import { Dialog } from '@gatehouse/design/dialog';
import { TextField } from '@gatehouse/design/text-field';
import { type ReactNode, type SubmitEvent, useId, useState } from 'react';
import { failureWords } from '../../../platform/failures/failure-words.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';

interface NameDialogProps {
  title: string;
  label: string;
  text?: ReactNode;
  initial?: string;
  confirmWord: string;
  /** Why it cannot be taken. */
  check?: (value: string) => string | undefined;
  onConfirm: (value: string) => Promise<unknown>;
  onClose: () => void;
}

export function NameDialog(props: NameDialogProps) {
  const { title, label, text, initial = '', confirmWord, check, onConfirm, onClose } = props;
  const t = useTranslate();
  const formId = useId();
  const [value, setValue] = useState(initial);
  const [error, setError] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const wrong = value === '' ? undefined : check?.(value);
    if (value === '' || isBusy) return;
    setError(wrong);
    if (wrong !== undefined) return;
    setBusy(true);
    try {
      await onConfirm(value);
      onClose();
    } catch (failure) {
      setError(failureWords(t, failure));
      setBusy(false);
    }
  };
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={title}
      footer={
        <>
          <Button onClick={onClose}>{t('files.cancel')}</Button>
          <Button
            type="submit"
            form={formId}
            tone="primary"
            disabled={value === ''}
            loading={isBusy}
            loadingWord={confirmWord}
          >
            {confirmWord}
          </Button>
        </>
      }
    >
      <form id={formId} onSubmit={submit} noValidate>
        {text && <p>{text}</p>}
        <TextField
          autoFocus
          label={label}
          value={value}
          mono
          // What is typed takes the place of what was there, and is not added to it.
          onFocus={({ target }) => target.select()}
          error={error}
          onValueChange={(next) => {
            setValue(next);
            setError(undefined);
          }}
        />
      </form>
    </Dialog>
  );
}
