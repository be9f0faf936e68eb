/** Ends the session of somebody, with a reason that its people read. */
import { MAX_REASON } from '@gatehouse/contract/sessions/terminal-frames';
import { FormDialog } from '@gatehouse/design/form-dialog';
import { Notice } from '@gatehouse/design/notice';
import { TextField } from '@gatehouse/design/text-field';
import { type SubmitEvent, useState } from 'react';
import { useAttempt } from '../../platform/failures/use-attempt.ts';
import { useTranslate } from '../../platform/i18n/words.ts';

interface EndDialogProps {
  /** The resource, as its people call it. */
  what: string;
  /** Absent: it is one's own. */
  owner?: string;
  onEnd: (reason: string) => Promise<unknown>;
  onClose: () => void;
}

export function EndDialog({ what, owner, onEnd, onClose }: EndDialogProps) {
  const t = useTranslate();
  const [reason, setReason] = useState('');
  const attempt = useAttempt();
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    if (await attempt.run(() => onEnd(reason.trim()))) onClose();
  };
  return (
    <FormDialog
      dismissable={!attempt.isBusy}
      title={owner === undefined ? t('sessions.end-own-title', { what }) : t('sessions.end-title', { owner, what })}
      cancelWord={t('sessions.cancel')}
      doWord={t('sessions.end')}
      tone="danger-solid"
      isBusy={attempt.isBusy}
      onSubmit={submit}
      onClose={onClose}
    >
      {attempt.failure && <Notice tone="bad">{attempt.failure.message}</Notice>}
      <TextField
        label={t('sessions.reason')}
        hint={t('sessions.reason-hint')}
        optional
        maxLength={MAX_REASON}
        value={reason}
        onValueChange={setReason}
        autoFocus
      />
    </FormDialog>
  );
}
