/** A recovery code in place of a lost device. It leads on to adding a new one. */
import { Button } from '@gatehouse/design/button';
import { Notice } from '@gatehouse/design/notice';
import { TextField } from '@gatehouse/design/text-field';
import { TextButton } from '@gatehouse/design/text-link';
import { type SubmitEvent, useState } from 'react';
import { useBrowser } from '../../platform/browser/browser-services.tsx';
import { useAttempt } from '../../platform/failures/use-attempt.ts';
import { useTranslate } from '../../platform/i18n/words.ts';
import { type Credentials, spendRecoveryCode } from './login-calls.ts';
import styles from './login-card.module.css';
import { signInFailure } from './sign-in-failure.ts';

interface RecoveryFormProps {
  /** Name and password, when they were right already. */
  known: Credentials | undefined;
  onRecovered: (tokenId: string) => void;
  onBack: () => void;
}

export function RecoveryForm({ known, onRecovered, onBack }: RecoveryFormProps) {
  const t = useTranslate();
  const { send } = useBrowser();
  const [user, setUser] = useState(known?.user ?? '');
  const [pass, setPass] = useState(known?.pass ?? '');
  const [code, setCode] = useState('');
  const [isChecked, setChecked] = useState(false);
  const attempt = useAttempt({ describe: signInFailure, staysBusy: true });

  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    setChecked(true);
    if (!user.trim() || !code.trim()) return;
    await attempt.run(async () => {
      onRecovered(await spendRecoveryCode(send, { user: user.trim(), pass, code: code.trim() }));
    });
  };
  return (
    <form className={styles.form} onSubmit={(event) => void submit(event)} noValidate>
      <h2 className={styles.title}>{t('login.recovery-title')}</h2>
      <p className={styles.lead}>{t('login.recovery-lead')}</p>
      {attempt.failure && (
        <Notice tone="bad" title={t('common.failed-title')}>
          {attempt.failure.message}
        </Notice>
      )}
      {!known && (
        <>
          <TextField
            label={t('login.user-name')}
            size="large"
            autoComplete="username"
            autoCapitalize="none"
            spellCheck={false}
            value={user}
            onValueChange={setUser}
            error={isChecked && !user.trim() ? t('login.user-name-missing') : undefined}
          />
          <TextField
            label={t('login.password')}
            hint={t('login.recovery-password-hint')}
            type="password"
            size="large"
            autoComplete="current-password"
            value={pass}
            onValueChange={setPass}
          />
        </>
      )}
      <TextField
        label={t('login.recovery-code')}
        size="large"
        mono
        autoCapitalize="none"
        maxLength={256}
        value={code}
        onValueChange={setCode}
        error={isChecked && !code.trim() ? t('login.recovery-code-missing') : undefined}
      />
      <Button type="submit" tone="primary" size="large" wide loading={attempt.isBusy}>
        {t('login.recovery-go')}
      </Button>
      <TextButton className={styles.other} onClick={onBack}>
        {t('login.back')}
      </TextButton>
    </form>
  );
}
