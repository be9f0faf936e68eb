/** The second factor of a new account: an app, a key, a passkey, or none where none is asked for. */
import { Button } from '@gatehouse/design/button';
import { Notice } from '@gatehouse/design/notice';
import { RadioGroup } from '@gatehouse/design/radio-group';
import { TextField } from '@gatehouse/design/text-field';
import { TextButton } from '@gatehouse/design/text-link';
import { type SubmitEvent, useRef, useState } from 'react';
import { useAttempt } from '../../platform/failures/use-attempt.ts';
import { useTranslate } from '../../platform/i18n/words.ts';
import { supportsKeys } from '../../platform/webauthn/keys.ts';
import { AppSetup, CODE_LENGTH } from '../../shared/credentials/app-setup.tsx';
import { type PublicFacts, takesCodes, takesKeys } from '../../shared/public-page/public-facts.ts';
import type { Choice, Link } from './invite-calls.ts';
import { StepHead } from './step-head.tsx';
import styles from './steps.module.css';

export type Factor = 'key' | 'passkey' | 'app' | 'none';

/** What this gateway takes, the preselected one first. A browser without keys is not asked for one first. */
export function offeredFactors(
  { type, keepsPassword }: Pick<Link, 'type' | 'keepsPassword'>,
  { secondFactor, passkeys }: PublicFacts,
): Factor[] {
  const keys: Factor[] = takesKeys(secondFactor) ? ['key'] : [];
  if (keepsPassword && passkeys) keys.push('passkey');
  const apps: Factor[] = takesCodes(secondFactor) ? ['app'] : [];
  // Whoever recovers an account came without a device; leaving without one again would end the same way.
  const none: Factor[] = secondFactor === 'optional' && type !== 'recovery' ? ['none'] : [];
  return supportsKeys() ? [...keys, ...apps, ...none] : [...apps, ...keys, ...none];
}

interface FactorStepProps {
  link: Link;
  factors: readonly Factor[];
  onBack?: () => void;
  redeem: (choice: Pick<Choice, 'device'>) => Promise<void>;
}

export function FactorStep({ link, factors, onBack, redeem }: FactorStepProps) {
  const t = useTranslate();
  const attempt = useAttempt({ staysBusy: true });
  const [factor, setFactor] = useState<Factor>(factors[0] ?? 'none');
  const [names, setNames] = useState<Partial<Record<Factor, string>>>({});
  const [code, setCode] = useState('');
  const [isChecked, setChecked] = useState(false);
  const codeField = useRef<HTMLInputElement>(null);
  const name = factor === 'none' ? '' : (names[factor] ?? t(`credentials.name-${factor}`));
  const { failure } = attempt;

  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    setChecked(true);
    if (factor === 'none') return void attempt.run(() => redeem({}));
    if (!name.trim()) return;
    if (factor !== 'app') return void attempt.run(() => redeem({ device: { factor, name: name.trim() } }));
    if (code.length !== CODE_LENGTH) return codeField.current?.focus();
    void attempt.run(() => redeem({ device: { factor, name: name.trim(), code } }));
  };
  return (
    <form className={styles.step} onSubmit={submit} noValidate>
      <StepHead title={t('invite.step-factor')} lead={t('invite.factor-lead')} />
      {failure && !failure.field && <Notice tone="bad">{failure.message}</Notice>}
      {factors.length > 1 && (
        <RadioGroup
          label={t('credentials.kind')}
          value={factor}
          onValueChange={setFactor}
          options={factors.map((value) => ({
            value,
            label: t(value === 'none' ? 'invite.kind-none' : `credentials.kind-${value}`),
            hint: t(value === 'none' ? 'invite.kind-none-hint' : `credentials.kind-${value}-hint`),
          }))}
        />
      )}
      {factor === 'app' && (
        <AppSetup
          qrCode={link.qrCode}
          secret={link.totpSecret}
          code={code}
          onCode={setCode}
          codeField={codeField}
          size="large"
          error={codeError(
            failure,
            isChecked && code.length !== CODE_LENGTH ? t('credentials.code-missing') : undefined,
          )}
        />
      )}
      {factor !== 'none' && (
        <TextField
          label={t('credentials.device-name')}
          hint={factor === 'app' ? undefined : t('credentials.device-name-hint')}
          size="large"
          maxLength={64}
          value={name}
          onValueChange={(typed) => setNames({ ...names, [factor]: typed })}
          error={name.trim() ? undefined : t('credentials.device-name-missing')}
        />
      )}
      <div className={styles.actions}>
        <Button
          type="submit"
          tone="primary"
          size="large"
          wide
          loading={attempt.isBusy}
          loadingWord={t(factor === 'key' || factor === 'passkey' ? 'invite.waiting-key' : 'invite.finishing')}
        >
          {t(factor === 'key' || factor === 'passkey' ? 'invite.register-key' : 'invite.finish')}
        </Button>
        {onBack && (
          <TextButton className={styles.back} onClick={onBack}>
            {t('invite.back')}
          </TextButton>
        )}
      </div>
    </form>
  );
}

function codeError(failure: { message: string; field: string | undefined } | undefined, missing: string | undefined) {
  return missing ?? (failure?.field === 'code' ? failure.message : undefined);
}
