/** Setting up an authenticator app: the picture to scan, the secret to type instead, and the first code. */
import { CopyField } from '@gatehouse/design/copy-field';
import { TextField } from '@gatehouse/design/text-field';
import type { RefObject } from 'react';
import { useTranslate } from '../../platform/i18n/words.ts';
import styles from './app-setup.module.css';

interface AppSetupProps {
  /** PNG in base64. */
  qrCode: string;
  secret: string;
  code: string;
  onCode: (code: string) => void;
  error?: string | undefined;
  codeField?: RefObject<HTMLInputElement | null>;
  size?: 'medium' | 'large';
}

export function AppSetup({ qrCode, secret, code, onCode, error, codeField, size = 'medium' }: AppSetupProps) {
  const t = useTranslate();
  return (
    <div className={styles.setup}>
      <div className={styles.scan}>
        <img
          className={styles.picture}
          width={180}
          height={180}
          src={`data:image/png;base64,${qrCode}`}
          alt={t('credentials.app-picture')}
        />
        <p className={styles.lead}>{t('credentials.app-lead')}</p>
        <div className={styles.code}>
          <CodeField value={code} onValue={onCode} error={error} field={codeField} size={size} isExplained />
        </div>
      </div>
      <CopyField label={t('credentials.app-secret')} value={inGroups(secret)} />
    </div>
  );
}

interface CodeFieldProps {
  value: string;
  onValue: (code: string) => void;
  error?: string | undefined;
  field?: RefObject<HTMLInputElement | null> | undefined;
  size?: 'medium' | 'large';
  autoFocus?: boolean;
  /** What stands above has said where it comes from. */
  isExplained?: boolean;
}

/** Six digits of an authenticator app. Phones offer the code from a message or the app. */
export function CodeField({ value, onValue, error, field, size = 'medium', autoFocus, isExplained }: CodeFieldProps) {
  const t = useTranslate();
  return (
    <TextField
      ref={field}
      label={t('credentials.code')}
      hint={isExplained ? undefined : t('credentials.code-hint')}
      size={size}
      mono
      inputMode="numeric"
      autoComplete="one-time-code"
      maxLength={CODE_TYPED_MAX}
      autoFocus={autoFocus}
      value={value}
      onValueChange={(typed) => onValue(typed.replaceAll(/[^0-9]/g, '').slice(0, CODE_LENGTH))}
      error={error}
    />
  );
}

export const CODE_LENGTH = 6;
/** Some apps copy it with a space in the middle. */
const CODE_TYPED_MAX = 9;

/** Groups of four are read and typed with fewer mistakes; apps ignore the spaces. */
function inGroups(secret: string): string {
  return secret.replaceAll(/(.{4})(?=.)/g, '$1 ');
}
