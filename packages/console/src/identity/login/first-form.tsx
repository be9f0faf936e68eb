/** What the login page shows first, by the gateway's settings: user name and password, a passkey, or providers. */

import { Button } from '@gatehouse/design/button';
import { Divider } from '@gatehouse/design/divider';
import { Notice } from '@gatehouse/design/notice';
import { TextButton } from '@gatehouse/design/text-link';
import Fingerprint from 'lucide-react/icons/fingerprint-pattern';
import { useState } from 'react';
import { useBrowser } from '../../platform/browser/browser-services.tsx';
import { fetchForAction } from '../../platform/code/fetch-code.ts';
import { useAttempt } from '../../platform/failures/use-attempt.ts';
import { useTranslate } from '../../platform/i18n/words.ts';
import { supportsKeys } from '../../platform/webauthn/keys.ts';
import type { PublicFacts } from '../../shared/public-page/public-facts.ts';
import { AddressForm } from './address-form.tsx';
import type { Credentials, Factors } from './login-calls.ts';
import styles from './login-card.module.css';
import { PasswordForm } from './password-form.tsx';
import { ProviderButtons } from './provider-buttons.tsx';
import { keyFailure } from './sign-in-failure.ts';
import { usePasskeyAutofill } from './use-passkey-autofill.ts';

interface FirstFormProps {
  facts: PublicFacts;
  target: string;
  onSignedIn: () => void;
  onFactors: (credentials: Credentials, factors: Factors) => Promise<void>;
  onRecovery: (() => void) | undefined;
}

export function FirstForm({ facts, target, onSignedIn, onFactors, onRecovery }: FirstFormProps) {
  const t = useTranslate();
  const { send } = useBrowser();
  const passkey = useAttempt({ describe: keyFailure, staysBusy: true });
  const asksAddress = facts.providers.some(({ domains }) => domains.length > 0);
  const [isPasswordShown, setPasswordShown] = useState(!asksAddress && facts.first !== 'passwordless');
  const offersPasskey = facts.passkeys && facts.passwords && supportsKeys();
  const showsPassword = facts.passwords && (isPasswordShown || !(offersPasskey || asksAddress));
  const showsAddress = asksAddress && !showsPassword;
  const leadsWithProviders = facts.first === 'sso' || showsAddress;
  const autofill = usePasskeyAutofill({
    isOffered: offersPasskey && showsPassword,
    onSignedIn,
    onFailure: (error) => void passkey.run(() => Promise.reject(error)),
  });

  const askPasskey = async () => {
    autofill.pause();
    const { answerWithPasskey } = await fetchForAction(() => import('./login-calls.ts'));
    if (await passkey.run(() => answerWithPasskey(send))) onSignedIn();
    else autofill.resume();
  };

  const providers = facts.providers.length > 0 && <ProviderButtons providers={facts.providers} target={target} />;
  const passkeyButton = offersPasskey && !showsAddress && (
    <Button
      size="large"
      wide
      tone={showsPassword ? 'secondary' : 'primary'}
      icon={Fingerprint}
      loading={passkey.isBusy}
      loadingWord={t('login.waiting-key')}
      onClick={() => void askPasskey()}
    >
      {t('login.use-passkey')}
    </Button>
  );
  return (
    <div className={styles.form}>
      {passkey.failure && (
        <Notice tone="bad" onDismiss={passkey.forget}>
          {passkey.failure.message}
        </Notice>
      )}
      {showsAddress && (
        <>
          <AddressForm providers={facts.providers} target={target} />
          <Divider>{t('login.or-choose')}</Divider>
        </>
      )}
      {leadsWithProviders && providers}
      {leadsWithProviders && providers && showsPassword && <Divider>{t('login.or')}</Divider>}
      {showsPassword && (
        <PasswordForm
          facts={facts}
          autofocus={facts.first !== 'sso'}
          offersPasskey={offersPasskey}
          onBegin={() => {
            passkey.forget();
            autofill.pause();
          }}
          onRefused={autofill.resume}
          onSignedIn={onSignedIn}
          onFactors={onFactors}
        />
      )}
      {!facts.passwords && facts.providers.length === 0 && (
        <Notice tone="warn" announce="none">
          {t('login.only-sso')}
        </Notice>
      )}
      {showsPassword && (offersPasskey || (providers && !leadsWithProviders)) && <Divider>{t('login.or')}</Divider>}
      {passkeyButton}
      {!leadsWithProviders && providers}
      {!showsPassword && facts.passwords && (
        <TextButton className={styles.other} onClick={() => setPasswordShown(true)}>
          {t('login.use-password')}
        </TextButton>
      )}
      {showsAddress && offersPasskey && (
        <TextButton className={styles.other} onClick={() => void askPasskey()}>
          {t('login.use-passkey')}
        </TextButton>
      )}
      {onRecovery && !showsAddress && (
        <TextButton className={styles.other} onClick={onRecovery}>
          {t('login.lost-device')}
        </TextButton>
      )}
    </div>
  );
}
