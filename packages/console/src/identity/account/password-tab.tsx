/** Changing one's password, with the second factor where one is held. */
import { mfaRoutes } from '@gatehouse/contract/identity/mfa';
import { passwordRoutes } from '@gatehouse/contract/identity/passwords';
import { Button } from '@gatehouse/design/button';
import { Notice } from '@gatehouse/design/notice';
import { SegmentedControl } from '@gatehouse/design/segmented-control';
import { TextField } from '@gatehouse/design/text-field';
import { useToast } from '@gatehouse/design/toast';
import { type SubmitEvent, useRef, useState } from 'react';
import { useApi } from '../../platform/browser/use-api.ts';
import { useAttempt } from '../../platform/failures/use-attempt.ts';
import { useTranslate } from '../../platform/i18n/words.ts';
import { useUser } from '../../platform/sign-in/user.ts';
import { encodeText } from '../../platform/webauthn/bytes.ts';
import { askKey } from '../../platform/webauthn/keys.ts';
import { WebauthnError } from '../../platform/webauthn/webauthn-error.ts';
import { CODE_LENGTH, CodeField } from '../../shared/credentials/app-setup.tsx';
import { NewPasswordFields, useNewPassword } from '../../shared/credentials/new-password-fields.tsx';
import styles from './account.module.css';
import { Section } from './section.tsx';
import { useUsableFactors } from './usable-factors.ts';

export function PasswordTab() {
  const t = useTranslate();
  return (
    <Section title={t('account.change-password')} lead={t('account.change-password-lead')}>
      <div className={styles.body}>
        <PasswordForm />
      </div>
    </Section>
  );
}

function PasswordForm() {
  const t = useTranslate();
  const { userName } = useUser();
  const toast = useToast();
  const factors = useUsableFactors();
  const [current, setCurrent] = useState('');
  const [code, setCode] = useState('');
  const [factor, setFactor] = useState(factors[0]);
  const [isChecked, setChecked] = useState(false);
  const currentField = useRef<HTMLInputElement>(null);
  const codeField = useRef<HTMLInputElement>(null);
  const newPassword = useNewPassword();
  const attempt = useAttempt();
  const send = useSendChange();
  const asked = factor !== undefined && factors.includes(factor) ? factor : factors[0];
  const { failure } = attempt;

  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    setChecked(true);
    if (!current) return currentField.current?.focus();
    if (!newPassword.check()) return;
    if (asked === 'code' && code.length !== CODE_LENGTH) return codeField.current?.focus();
    const isDone = await attempt.run(() => send({ current, next: newPassword.password, factor: asked, code }));
    setCode((typed) => (typed === code ? '' : typed));
    if (!isDone) return;
    setCurrent('');
    setChecked(false);
    newPassword.clear();
    toast.show({ tone: 'ok', title: t('account.password-changed') });
  };
  const codeMissing = isChecked && asked === 'code' && code.length !== CODE_LENGTH && !failure;
  return (
    <form className={styles.form} onSubmit={(event) => void submit(event)} noValidate>
      {failure && !isShownAtField(failure.field) && (
        <Notice tone="bad" title={t('common.failed-title')}>
          {failure.message}
        </Notice>
      )}
      <input type="text" name="username" autoComplete="username" value={userName} readOnly hidden />
      <TextField
        ref={currentField}
        label={t('account.current-password')}
        type="password"
        autoComplete="current-password"
        value={current}
        onValueChange={setCurrent}
        error={
          isChecked && !current
            ? t('account.current-password-missing')
            : failure?.field === 'old_password' && failure.message
        }
      />
      <NewPasswordFields value={newPassword} userName={userName} />
      {factors.length > 1 && asked && (
        <div>
          <SegmentedControl
            label={t('account.confirm-with')}
            value={asked}
            onValueChange={setFactor}
            segments={factors.map((value) => ({ value, label: t(`account.with-${value}`) }))}
          />
        </div>
      )}
      {asked === 'code' && (
        <CodeField
          value={code}
          onValue={setCode}
          field={codeField}
          error={codeMissing ? t('credentials.code-missing') : failure?.field === 'code' ? failure.message : undefined}
        />
      )}
      {asked === 'key' && <p className={styles.lead}>{t('account.key-will-be-asked')}</p>}
      <div>
        <Button type="submit" tone="primary" loading={attempt.isBusy} loadingWord={t('account.changing-password')}>
          {t('account.change-password')}
        </Button>
      </div>
    </form>
  );
}

function isShownAtField(field: string | undefined): boolean {
  return field === 'old_password' || field === 'code';
}

interface Change {
  current: string;
  next: string;
  factor: 'key' | 'code' | undefined;
  code: string;
}

function useSendChange() {
  const api = useApi();
  return async ({ current, next, factor, code }: Change) => {
    const body = { old_password: encodeText(current), new_password: encodeText(next) };
    if (factor === 'key') {
      const { webauthn_challenge } = await api(mfaRoutes.challenge, {});
      if (!webauthn_challenge) throw new WebauthnError('nothing-obtained');
      const webauthnAssertionResponse = await askKey(webauthn_challenge);
      return api(passwordRoutes.change, { body: { ...body, webauthnAssertionResponse } });
    }
    return api(passwordRoutes.change, { body: factor === 'code' ? { ...body, second_factor_token: code } : body });
  };
}
