/** A dialog that is one form: two buttons under it, of which the main one sends it, as Enter in a field does. */
import { type ReactNode, type SubmitEvent, useId } from 'react';
import { Button, type ButtonProps } from './button.tsx';
import { Dialog, type DialogProps } from './dialog.tsx';

export interface FormDialogProps extends Pick<DialogProps, 'title' | 'size' | 'dismissable'> {
  cancelWord: ReactNode;
  /** On the button that sends it. */
  doWord: ReactNode;
  tone?: NonNullable<ButtonProps['tone']>;
  isBusy: boolean;
  onSubmit: (event: SubmitEvent) => unknown;
  onClose: () => void;
  /** Of the form. */
  className?: string | undefined;
  children: ReactNode;
}

export function FormDialog(props: FormDialogProps) {
  const { cancelWord, doWord, tone = 'primary', isBusy, onSubmit, onClose, className, children, ...dialog } = props;
  const formId = useId();
  return (
    <Dialog
      open
      onOpenChange={onClose}
      {...dialog}
      footer={
        <>
          <Button onClick={onClose}>{cancelWord}</Button>
          <Button type="submit" form={formId} tone={tone} loading={isBusy}>
            {doWord}
          </Button>
        </>
      }
    >
      <form id={formId} className={className} onSubmit={(event) => void onSubmit(event)} noValidate>
        {children}
      </form>
    </Dialog>
  );
}
