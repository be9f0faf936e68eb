/** Asks for the second factor that a role wants before a session begins. */
import type { AuthenticateChallenge, FactorAnswer } from '@gatehouse/contract/identity/webauthn';
import { Button } from '@gatehouse/design/button';
import { Dialog } from '@gatehouse/design/dialog';
import { Notice } from '@gatehouse/design/notice';
import { TextButton } from '@gatehouse/design/text-link';
import { type SubmitEvent, useId, useState } from 'react';
import { useAttempt } from '../../platform/failures/use-attempt.ts';
import { useTranslate } from '../../platform/i18n/words.ts';
import { askKeyForSession, supportsKeys } from '../../platform/webauthn/keys.ts';
import { CODE_LENGTH, CodeField } from './app-setup.tsx';

interface FactorDialogProps {
  name: string;
  challenge: AuthenticateChallenge;
  onAnswer: (answer: FactorAnswer) => void;
  onClose: () => void;
}

export function FactorDialog({ name, challenge, onAnswer, onClose }: FactorDialogProps) {
  const t = useTranslate();
  const formId = useId();
  const { webauthn_challenge: options, totp_challenge: takesCode } = challenge;
  const [factor, setFactor] = useState(firstFactor(challenge));
  const [code, setCode] = useState('');
  const attempt = useAttempt({ staysBusy: true });
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (factor === 'code' && code.length === CODE_LENGTH) onAnswer({ code });
    if (factor === 'key' && options) void attempt.run(async () => onAnswer({ key: await askKeyForSession(options) }));
  };
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={t('credentials.factor-title')}
      footer={
        <>
          <Button onClick={onClose}>{t('credentials.factor-cancel')}</Button>
          <Button
            type="submit"
            form={formId}
            tone="primary"
            loading={attempt.isBusy}
            loadingWord={t('credentials.factor-waiting')}
            disabled={factor === undefined || (factor === 'code' && code.length !== CODE_LENGTH)}
          >
            {t('credentials.factor-confirm')}
          </Button>
        </>
      }
    >
      <form id={formId} onSubmit={submit} noValidate>
        <p>{t('credentials.factor-text', { name })}</p>
        {attempt.failure && <Notice tone="bad">{attempt.failure.message}</Notice>}
        {factor === undefined && <Notice tone="warn">{t('credentials.factor-none')}</Notice>}
        {factor === 'key' && <p>{t('credentials.factor-key')}</p>}
        {factor === 'code' && <CodeField autoFocus value={code} onValue={setCode} />}
        {options && takesCode && (
          <TextButton onClick={() => setFactor(factor === 'key' ? 'code' : 'key')}>
            {t(factor === 'key' ? 'credentials.factor-use-code' : 'credentials.factor-use-key')}
          </TextButton>
        )}
      </form>
    </Dialog>
  );
}

function firstFactor({ webauthn_challenge, totp_challenge }: AuthenticateChallenge): 'key' | 'code' | undefined {
  if (webauthn_challenge && (supportsKeys() || !totp_challenge)) return 'key';
  return totp_challenge ? 'code' : undefined;
}
