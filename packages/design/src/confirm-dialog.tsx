/** Asks before something that cannot be taken back, by typing its name where the harm would be great. */

import { type FormEvent, type ReactNode, useId, useState } from 'react';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { TextField } from './text-field.tsx';

export interface ConfirmDialogProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: ReactNode;
  /** What will happen, not "are you sure?". */
  children: ReactNode;
  /** A verb and its object, such as "Remove server". */
  confirmWord: ReactNode;
  /** What the button says while it works, such as "Removing". */
  confirmingWord?: ReactNode;
  cancelWord: ReactNode;
  tone?: 'danger-solid' | 'primary';
  confirming?: boolean;
  onConfirm: () => void;
  /** The name to type, and the label of the field. */
  typed?: { text: string; label: ReactNode; reason: string };
}

export function ConfirmDialog({
  open,
  onOpenChange,
  title,
  children,
  confirmWord,
  confirmingWord,
  cancelWord,
  tone = 'danger-solid',
  confirming = false,
  onConfirm,
  typed,
}: ConfirmDialogProps) {
  const formId = useId();
  const [text, setText] = useState('');
  const locked = typed !== undefined && text.trim() !== typed.text;
  const change = (next: boolean) => {
    setText('');
    onOpenChange(next);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!locked && !confirming) onConfirm();
  };
  return (
    <Dialog
      open={open}
      onOpenChange={change}
      dismissable={!confirming}
      title={title}
      footer={
        <>
          <Button disabled={confirming} onClick={() => change(false)}>
            {cancelWord}
          </Button>
          <Button
            type="submit"
            form={formId}
            tone={tone}
            loading={confirming}
            loadingWord={confirmingWord}
            disabled={locked}
            disabledReason={typed?.reason}
          >
            {confirmWord}
          </Button>
        </>
      }
    >
      <div>{children}</div>
      <form id={formId} onSubmit={submit} hidden={typed === undefined}>
        {typed && (
          <TextField label={typed.label} value={text} onValueChange={setText} autoComplete="off" spellCheck={false} />
        )}
      </form>
    </Dialog>
  );
}
