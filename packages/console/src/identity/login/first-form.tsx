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
  const [isPasswordShown, setPasswordShown] = useState(facts.first !== 'passwordless');
  const offersPasskey = facts.passkeys && facts.passwords && supportsKeys();
  const showsPassword = facts.passwords && (isPasswordShown || !offersPasskey);
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
  const passkeyButton = offersPasskey && (
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
      {facts.first === 'sso' && providers}
      {facts.first === 'sso' && providers && showsPassword && <Divider>{t('login.or')}</Divider>}
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
      {showsPassword && (offersPasskey || (providers && facts.first !== 'sso')) && <Divider>{t('login.or')}</Divider>}
      {passkeyButton}
      {facts.first !== 'sso' && providers}
      {!showsPassword && facts.passwords && (
        <TextButton className={styles.other} onClick={() => setPasswordShown(true)}>
          {t('login.use-password')}
        </TextButton>
      )}
      {onRecovery && (
        <TextButton className={styles.other} onClick={onRecovery}>
          {t('login.lost-device')}
        </TextButton>
      )}
    </div>
  );
}
