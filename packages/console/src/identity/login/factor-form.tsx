/** The second factor after the password or the provider: a key, which is asked for at once, or the code of an authenticator app. */
import { Button } from '@gatehouse/design/button';
import { Notice } from '@gatehouse/design/notice';
import { TextButton } from '@gatehouse/design/text-link';
import KeyRound from 'lucide-react/icons/key-round';
import { type SubmitEvent, useEffect, useRef, useState } from 'react';
import { useAttempt } from '../../platform/failures/use-attempt.ts';
import { useTranslate } from '../../platform/i18n/words.ts';
import { CODE_LENGTH, CodeField } from '../../shared/credentials/app-setup.tsx';
import type { FactorAnswers, Factors } from './login-calls.ts';
import styles from './login-card.module.css';
import { codeFailure, keyFailure } from './sign-in-failure.ts';

interface FactorFormProps {
  answers: FactorAnswers;
  factors: Factors;
  preferred: 'webauthn' | 'otp';
  onSignedIn: () => void;
  onBack: () => void;
  /** Nobody has recovery codes for a provider. */
  onRecovery?: () => void;
}

export function FactorForm({ factors, preferred, onBack, onRecovery, ...rest }: FactorFormProps) {
  const t = useTranslate();
  const [asked, setAsked] = useState<'key' | 'code'>(
    factors.key && (preferred === 'webauthn' || !factors.code) ? 'key' : 'code',
  );
  return (
    <div className={styles.form}>
      <h2 className={styles.title}>{t('login.factor-title')}</h2>
      {asked === 'key' ? <KeyAnswer {...rest} factors={factors} /> : <CodeAnswer {...rest} />}
      <div className={styles.others}>
        {factors.key && factors.code && (
          <TextButton onClick={() => setAsked(asked === 'key' ? 'code' : 'key')}>
            {t(asked === 'key' ? 'login.use-code' : 'login.use-key')}
          </TextButton>
        )}
        {onRecovery && <TextButton onClick={onRecovery}>{t('login.lost-device')}</TextButton>}
        <TextButton onClick={onBack}>{t('login.back')}</TextButton>
      </div>
    </div>
  );
}

type AnswerProps = Pick<FactorFormProps, 'answers' | 'onSignedIn'>;

function KeyAnswer({ answers, factors, onSignedIn }: AnswerProps & { factors: Factors }) {
  const t = useTranslate();
  const attempt = useAttempt({ describe: keyFailure, staysBusy: true });
  // A challenge serves once; the second try asks for another.
  const challenge = useRef(factors.challenge);

  const ask = async () => {
    const given = challenge.current;
    challenge.current = undefined;
    if (await attempt.run(() => answers.withKey(given))) onSignedIn();
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked once by itself, then by the button
  useEffect(() => void ask(), []);

  return (
    <>
      <p className={styles.lead}>{t('login.key-lead')}</p>
      {attempt.failure && <Notice tone="bad">{attempt.failure.message}</Notice>}
      <Button
        tone="primary"
        size="large"
        wide
        icon={KeyRound}
        data-autofocus=""
        loading={attempt.isBusy}
        loadingWord={t('login.waiting-key')}
        onClick={() => void ask()}
      >
        {t(attempt.failure ? 'common.try-again' : 'login.ask-key')}
      </Button>
    </>
  );
}

function CodeAnswer({ answers, onSignedIn }: AnswerProps) {
  const t = useTranslate();
  const [code, setCode] = useState('');
  const [isChecked, setChecked] = useState(false);
  const attempt = useAttempt({ describe: codeFailure, staysBusy: true });
  const field = useRef<HTMLInputElement>(null);
  const missing = isChecked && code.length !== CODE_LENGTH ? t('credentials.code-missing') : undefined;

  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    setChecked(true);
    if (code.length !== CODE_LENGTH) return field.current?.focus();
    if (await attempt.run(() => answers.withCode(code))) return onSignedIn();
    // A used code is of no use any more; one that was typed while it was looked at is another.
    setCode((typed) => (typed === code ? '' : typed));
    setChecked(false);
    field.current?.focus();
  };
  return (
    <form className={styles.form} onSubmit={(event) => void submit(event)} noValidate>
      <CodeField
        value={code}
        onValue={setCode}
        field={field}
        size="large"
        error={missing ?? attempt.failure?.message}
      />
      <Button
        type="submit"
        tone="primary"
        size="large"
        wide
        loading={attempt.isBusy}
        loadingWord={t('login.signing-in')}
      >
        {t('login.sign-in')}
      </Button>
    </form>
  );
}
