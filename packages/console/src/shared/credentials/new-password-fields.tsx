/** A new password, typed twice, with its rules and how hard it is to guess. Errors stand at the field they belong to. */
import { MAX_PASSWORD_BYTES, MIN_PASSWORD_BYTES } from '@gatehouse/contract/identity/password-limits';
import { TextField } from '@gatehouse/design/text-field';
import { type RefObject, useRef, useState } from 'react';
import { useTranslate } from '../../platform/i18n/words.ts';
import styles from './new-password-fields.module.css';
import { type PasswordProblem, passwordProblem, passwordStrength, STRENGTHS } from './password-strength.ts';

export interface NewPassword {
  password: string;
  confirmation: string;
  setPassword: (text: string) => void;
  setConfirmation: (text: string) => void;
  problem: PasswordProblem | 'different' | undefined;
  /** False shows no problem yet, because nobody asked to go on. */
  isChecked: boolean;
  passwordField: RefObject<HTMLInputElement | null>;
  confirmationField: RefObject<HTMLInputElement | null>;
  /** True when it can be sent; otherwise the problem is shown and has the focus. */
  check: () => boolean;
  clear: () => void;
}

export function useNewPassword(): NewPassword {
  const [password, setPassword] = useState('');
  const [confirmation, setConfirmation] = useState('');
  const [isChecked, setChecked] = useState(false);
  const passwordField = useRef<HTMLInputElement>(null);
  const confirmationField = useRef<HTMLInputElement>(null);
  const problem = passwordProblem(password) ?? (password === confirmation ? undefined : 'different');
  return {
    password,
    confirmation,
    setPassword,
    setConfirmation,
    problem,
    isChecked,
    passwordField,
    confirmationField,
    check() {
      setChecked(true);
      if (problem === undefined) return true;
      (problem === 'different' ? confirmationField : passwordField).current?.focus();
      return false;
    },
    clear() {
      setPassword('');
      setConfirmation('');
      setChecked(false);
    },
  };
}

interface NewPasswordFieldsProps {
  value: NewPassword;
  userName: string;
  size?: 'medium' | 'large';
  /** What the gateway said about it. */
  error?: string | undefined;
}

export function NewPasswordFields({ value, userName, size = 'medium', error }: NewPasswordFieldsProps) {
  const t = useTranslate();
  const shown = value.isChecked ? value.problem : undefined;
  const limits = { min: MIN_PASSWORD_BYTES, max: MAX_PASSWORD_BYTES };
  return (
    <>
      <div className={styles.first}>
        <TextField
          ref={value.passwordField}
          label={t('credentials.new-password')}
          type="password"
          size={size}
          autoComplete="new-password"
          value={value.password}
          onValueChange={value.setPassword}
          hint={t('credentials.password-rule', { min: limits.min })}
          error={
            error ||
            (shown === 'short' && t('credentials.password-short', { min: limits.min })) ||
            (shown === 'long' && t('credentials.password-long', { max: limits.max }))
          }
        />
        <StrengthMeter password={value.password} userName={userName} />
      </div>
      <TextField
        ref={value.confirmationField}
        label={t('credentials.confirm-password')}
        type="password"
        size={size}
        autoComplete="new-password"
        value={value.confirmation}
        onValueChange={value.setConfirmation}
        error={shown === 'different' && t('credentials.password-different')}
      />
    </>
  );
}

/** Always takes its place, so that nothing moves when typing begins. */
function StrengthMeter({ password, userName }: { password: string; userName: string }) {
  const t = useTranslate();
  const strength = password ? passwordStrength(password, userName) : undefined;
  const level = strength === undefined ? 0 : STRENGTHS.indexOf(strength) + 1;
  return (
    <div className={styles.meter} data-level={level}>
      <span className={styles.bars} aria-hidden="true">
        {STRENGTHS.map((each, index) => (
          <span key={each} className={styles.bar} data-on={index < level || undefined} />
        ))}
      </span>
      <span className={styles.word} aria-live="polite">
        {strength && t(`credentials.strength-${strength}`)}
      </span>
    </div>
  );
}
