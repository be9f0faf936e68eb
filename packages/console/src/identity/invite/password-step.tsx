/** Choosing a password, or going without one. */
import { Button } from '@gatehouse/design/button';
import { Notice } from '@gatehouse/design/notice';
import { TextButton } from '@gatehouse/design/text-link';
import type { SubmitEvent } from 'react';
import { useAttempt } from '../../platform/failures/use-attempt.ts';
import { useTranslate } from '../../platform/i18n/words.ts';
import { type NewPassword, NewPasswordFields } from '../../shared/credentials/new-password-fields.tsx';
import { StepHead } from './step-head.tsx';
import styles from './steps.module.css';

interface PasswordStepProps {
  userName: string;
  value: NewPassword;
  onPasskey: (() => void) | undefined;
  /** To the second factor; where none is taken, the link is redeemed from here. */
  onNext: (() => void) | undefined;
  redeem: () => Promise<void>;
}

export function PasswordStep({ userName, value, onPasskey, onNext, redeem }: PasswordStepProps) {
  const t = useTranslate();
  const attempt = useAttempt({ staysBusy: true });
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (!value.check()) return;
    if (onNext) onNext();
    else void attempt.run(redeem);
  };
  return (
    <form className={styles.step} onSubmit={submit} noValidate>
      <StepHead title={t('invite.step-password')} />
      {attempt.failure && (
        <Notice tone="bad" title={t('common.failed-title')}>
          {attempt.failure.message}
        </Notice>
      )}
      <NewPasswordFields value={value} userName={userName} size="large" />
      {/* Password managers keep the name with the password when they find it here. */}
      <input type="text" name="username" autoComplete="username" value={userName} readOnly hidden />
      <div className={styles.actions}>
        <Button type="submit" tone="primary" size="large" wide loading={attempt.isBusy}>
          {t(onNext ? 'invite.next' : 'invite.finish')}
        </Button>
        {onPasskey && (
          <TextButton className={styles.other} onClick={onPasskey}>
            {t('invite.use-passkey')}
          </TextButton>
        )}
      </div>
    </form>
  );
}
