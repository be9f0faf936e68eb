/** The login page: user name and password, the reason when a session ended, and back to where the person came from. */
import { STORAGE_KEYS } from '@gatehouse/contract/local-storage';
import { Mark } from '@gatehouse/design/mark';
import { Notice } from '@gatehouse/design/notice';
import Clock from 'lucide-react/icons/clock';
import { useEffect, useMemo } from 'react';
import { type EndReason, readLoginAddress } from '../sign-in/login-address.ts';
import { readToken, timeLeftMs } from '../sign-in/token.ts';
import { useWords, type WordId } from '../words/words.ts';
import { useWorld } from '../world/world.tsx';
import { readLoginFacts } from './login-facts.ts';
import { LoginFrame } from './login-frame.tsx';
import styles from './login-screen.module.css';
import { PasswordForm } from './password-form.tsx';

const REASON_WORDS: Record<EndReason, WordId> = { inactive: 'login.ended-inactive', expired: 'login.ended-expired' };

export function LoginScreen() {
  const t = useWords();
  const { storage, now, go, pageConfig } = useWorld();
  const { target, reason } = useMemo(() => readLoginAddress(window.location.search), []);
  const facts = readLoginFacts(pageConfig);
  const isSignedIn = timeLeftMs(readToken(storage), now()) > 0;

  useEffect(() => {
    if (isSignedIn) go(target);
    // The last activity of an earlier sign-in would end the next one at once.
    else storage.removeItem(STORAGE_KEYS.lastActive);
  }, [isSignedIn, storage, go, target]);

  if (isSignedIn) return null;
  return (
    <LoginFrame version={facts.version}>
      <div className={styles.column}>
        <header className={styles.header}>
          <Mark size={44} className={styles.mark} />
          <h1 className={styles.heading}>{t('login.heading')}</h1>
          <p className={styles.cluster}>{facts.cluster}</p>
        </header>
        {reason && (
          <Notice tone="info" icon={Clock} title={t('login.ended-title')}>
            {t(REASON_WORDS[reason])}
          </Notice>
        )}
        {facts.passwords ? (
          <PasswordForm onSignedIn={() => go(target)} />
        ) : (
          <Notice tone="warn" announce="none">
            {t('login.only-sso')}
          </Notice>
        )}
        <p className={styles.help}>{t('login.trouble')}</p>
      </div>
    </LoginFrame>
  );
}
