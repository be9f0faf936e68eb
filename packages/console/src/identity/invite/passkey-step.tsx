/** Going without a password: a passkey with its name. */
import { Button } from '@gatehouse/design/button';
import { Notice } from '@gatehouse/design/notice';
import { TextField } from '@gatehouse/design/text-field';
import { TextButton } from '@gatehouse/design/text-link';
import Fingerprint from 'lucide-react/icons/fingerprint-pattern';
import { type SubmitEvent, useState } from 'react';
import { useAttempt } from '../../platform/failures/use-attempt.ts';
import { useTranslate } from '../../platform/i18n/words.ts';
import type { Choice } from './invite-calls.ts';
import { StepHead } from './step-head.tsx';
import styles from './steps.module.css';

interface PasskeyStepProps {
  onPassword: (() => void) | undefined;
  redeem: (device: NonNullable<Choice['device']>) => Promise<void>;
}

export function PasskeyStep({ onPassword, redeem }: PasskeyStepProps) {
  const t = useTranslate();
  const attempt = useAttempt({ staysBusy: true });
  const [name, setName] = useState(() => t('credentials.name-passkey'));
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (name.trim()) void attempt.run(() => redeem({ factor: 'passkey', name: name.trim() }));
  };
  return (
    <form className={styles.step} onSubmit={submit} noValidate>
      <StepHead title={t('invite.step-passkey')} lead={t('credentials.passkey-lead')} />
      {attempt.failure && <Notice tone="bad">{attempt.failure.message}</Notice>}
      <TextField
        label={t('credentials.device-name')}
        hint={t('credentials.device-name-hint')}
        size="large"
        maxLength={64}
        value={name}
        onValueChange={setName}
        error={name.trim() ? undefined : t('credentials.device-name-missing')}
      />
      <div className={styles.actions}>
        <Button
          type="submit"
          tone="primary"
          size="large"
          wide
          icon={Fingerprint}
          loading={attempt.isBusy}
          loadingWord={t('invite.waiting-key')}
        >
          {t('invite.create-passkey')}
        </Button>
        {onPassword && (
          <TextButton className={styles.other} onClick={onPassword}>
            {t('invite.use-password')}
          </TextButton>
        )}
      </div>
    </form>
  );
}
