/** The login page: the forms, the reason when a session ended, and back to where the person came from. */
import { STORAGE_KEYS } from '@gatehouse/contract/console/local-storage';
import { Notice } from '@gatehouse/design/notice';
import Clock from 'lucide-react/icons/clock';
import { Suspense, useEffect, useMemo, useState } from 'react';
import { useBrowser } from '../../platform/browser/browser-services.tsx';
import { lazyPart } from '../../platform/i18n/lazy-part.ts';
import { useTranslate } from '../../platform/i18n/words.ts';
import { readLoginAddress } from '../../platform/sign-in/login-address.ts';
import { readToken, timeLeftMs } from '../../platform/sign-in/token.ts';
import { enterConsole } from '../../shared/public-page/enter.ts';
import { readPublicFacts } from '../../shared/public-page/public-facts.ts';
import { PublicColumn, PublicFrame } from '../../shared/public-page/public-frame.tsx';
import styles from './login-card.module.css';
import { LoginCard } from './login-card.tsx';

/** For those whose provider leaves the second factor to the gateway. */
const ProviderFactor = lazyPart(
  () => import('./provider-factor.tsx').then((file) => file.ProviderFactor),
  ['credentials'],
);

/** Gives the first administrator another link. */
const FIRST_LINK_COMMAND = './gatehouse users reset admin';

export function LoginScreen() {
  const t = useTranslate();
  const browser = useBrowser();
  const { storage, now, go } = browser;
  const { target, reason, providerCode } = useMemo(() => readLoginAddress(window.location.search), []);
  /** From then on what the sign-in says counts; why the one before ended would stand above it and say otherwise. */
  const [hasTried, setTried] = useState(false);
  const facts = readPublicFacts(browser.pageConfig);
  const isSignedIn = providerCode === undefined && timeLeftMs(readToken(storage), now()) > 0;

  useEffect(() => {
    if (isSignedIn) go(target);
    // The last activity of an earlier sign-in would end the next one at once.
    else storage.removeItem(STORAGE_KEYS.lastActive);
  }, [isSignedIn, storage, go, target]);

  if (isSignedIn) return null;
  return (
    <PublicFrame version={facts.version}>
      <PublicColumn title={t('login.heading')} lead={facts.cluster}>
        {reason && !hasTried && (
          <Notice tone="info" icon={Clock} title={t('login.ended-title')}>
            {t(`login.ended-${reason}`)}
          </Notice>
        )}
        {facts.isUnclaimed && (
          <Notice tone="warn" title={t('login.unclaimed-title')} announce="none">
            <p>{t('login.unclaimed-text')}</p>
            <p>
              {t('login.unclaimed-again')} <code>{FIRST_LINK_COMMAND}</code>
            </p>
          </Notice>
        )}
        <div className={styles.all} onSubmitCapture={() => setTried(true)}>
          {providerCode === undefined ? (
            <LoginCard facts={facts} target={target} onSignedIn={() => enterConsole(browser, target)} />
          ) : (
            <Suspense>
              <ProviderFactor code={providerCode} preferred={facts.preferred} />
            </Suspense>
          )}
        </div>
      </PublicColumn>
    </PublicFrame>
  );
}
