/** User name and password. Says what is missing in the field, and what the gateway answered above the fields. */
import { Button } from '@gatehouse/design/button';
import { Card } from '@gatehouse/design/card';
import { Notice } from '@gatehouse/design/notice';
import { TextField } from '@gatehouse/design/text-field';
import { type SubmitEvent, useRef, useState } from 'react';
import { asSentence } from '../words/formats.ts';
import { useWords } from '../words/words.ts';
import { useWorld } from '../world/world.tsx';
import styles from './login-screen.module.css';

const fetchSending = () => import('./send-password.ts');

export function PasswordForm({ onSignedIn }: { onSignedIn: () => void }) {
  const t = useWords();
  const { send } = useWorld();
  const [user, setUser] = useState('');
  const [pass, setPass] = useState('');
  const [isChecked, setChecked] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string>();
  const passwordField = useRef<HTMLInputElement>(null);

  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    setChecked(true);
    setFailure(undefined);
    if (!user.trim() || !pass || isBusy) return;
    setBusy(true);
    const result = await fetchSending()
      .then(({ sendPassword }) => sendPassword(send, user.trim(), pass))
      .catch(() => ({ ok: false, message: undefined }) as const);
    // After success the button keeps turning until the next page is there.
    if (result.ok) return onSignedIn();
    setBusy(false);
    setFailure(result.message === undefined ? t('login.failed-unreachable') : asSentence(result.message));
    setPass('');
    setChecked(false);
    passwordField.current?.focus();
  };

  return (
    <Card floating>
      <form className={styles.form} onSubmit={(event) => void submit(event)} noValidate>
        {failure && (
          <Notice tone="bad" title={t('login.failed-title')}>
            {failure}
          </Notice>
        )}
        <TextField
          label={t('login.user-name')}
          name="username"
          size="large"
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          autoFocus
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
          onInput={() => void fetchSending()}
          error={isChecked && !pass ? t('login.password-missing') : undefined}
        />
        <Button
          className={styles.submit}
          type="submit"
          tone="primary"
          size="large"
          wide
          loading={isBusy}
          loadingWord={t('login.signing-in')}
        >
          {t('login.sign-in')}
        </Button>
      </form>
    </Card>
  );
}
