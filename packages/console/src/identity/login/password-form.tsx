/** User name and password. Says what is missing in the field, and what the gateway answered above the fields. */

import { Button } from '@gatehouse/design/button';
import { Notice } from '@gatehouse/design/notice';
import { TextField } from '@gatehouse/design/text-field';
import { type KeyboardEvent, type SubmitEvent, useRef, useState } from 'react';
import { useBrowser } from '../../platform/browser/browser-services.tsx';
import { fetchForAction } from '../../platform/code/fetch-code.ts';
import { useAttempt } from '../../platform/failures/use-attempt.ts';
import { useTranslate } from '../../platform/i18n/words.ts';
import type { PublicFacts } from '../../shared/public-page/public-facts.ts';
import type { Credentials, Factors } from './login-calls.ts';
import styles from './login-card.module.css';
import { signInFailure } from './sign-in-failure.ts';

interface PasswordFormProps {
  facts: PublicFacts;
  autofocus: boolean;
  /** Passkeys are listed where the user name is typed. */
  offersPasskey: boolean;
  onBegin: () => void;
  onRefused: () => void;
  onSignedIn: () => void;
  /** The password was right and something more is asked for. */
  onFactors: (credentials: Credentials, factors: Factors) => Promise<void>;
}

/** Whether capital letters are locked, as far as the last key told. */
function useCapsLock() {
  const [isOn, setOn] = useState(false);
  const listen = (event: KeyboardEvent) => setOn(event.getModifierState('CapsLock'));
  return { isOn, handlers: { onKeyDown: listen, onKeyUp: listen, onBlur: () => setOn(false) } };
}

const fetchCalls = () => fetchForAction(() => import('./login-calls.ts'));

export function PasswordForm(props: PasswordFormProps) {
  const { facts, autofocus, offersPasskey, onBegin, onRefused, onSignedIn, onFactors } = props;
  const t = useTranslate();
  const { send } = useBrowser();
  const [user, setUser] = useState('');
  const [pass, setPass] = useState('');
  const [isChecked, setChecked] = useState(false);
  const [isLeaving, setLeaving] = useState(false);
  const attempt = useAttempt({ describe: signInFailure });
  const capsLock = useCapsLock();
  const passwordField = useRef<HTMLInputElement>(null);

  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    setChecked(true);
    if (!user.trim() || !pass || attempt.isBusy) return;
    onBegin();
    const credentials = { user: user.trim(), pass };
    const isAccepted = await attempt.run(async () => {
      const { signIn } = await fetchCalls();
      const factors = await signIn(send, facts.secondFactor, credentials);
      if (factors) return onFactors(credentials, factors);
      // The button keeps turning until the next page is there.
      setLeaving(true);
      onSignedIn();
    });
    if (isAccepted) return;
    onRefused();
    setPass('');
    setChecked(false);
    passwordField.current?.focus();
  };

  return (
    <form className={styles.form} onSubmit={(event) => void submit(event)} noValidate>
      {attempt.failure && (
        <Notice tone="bad" title={t('common.failed-title')}>
          {attempt.failure.message}
        </Notice>
      )}
      <TextField
        label={t('login.user-name')}
        name="username"
        size="large"
        autoComplete={offersPasskey ? 'username webauthn' : 'username'}
        autoCapitalize="none"
        spellCheck={false}
        autoFocus={autofocus}
        value={user}
        onValueChange={setUser}
        error={isChecked && !user.trim() ? t('login.user-name-missing') : undefined}
      />
      <TextField
        ref={passwordField}
        label={t('login.password')}
        name="password"
        type="password"
        size="large"
        autoComplete="current-password"
        value={pass}
        onValueChange={setPass}
        // The user name is there already: what sends it is fetched while the password is being typed.
        onInput={() => void fetchCalls()}
        {...capsLock.handlers}
        hint={capsLock.isOn ? t('login.caps-lock') : undefined}
        error={isChecked && !pass ? t('login.password-missing') : undefined}
      />
      <Button
        className={styles.submit}
        type="submit"
        tone="primary"
        size="large"
        wide
        loading={attempt.isBusy || isLeaving}
        loadingWord={t('login.signing-in')}
      >
        {t('login.sign-in')}
      </Button>
    </form>
  );
}
